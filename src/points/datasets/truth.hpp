// True distances of noise-free samples: n x n arrays, row by row.
#pragma once

#include <functional>
#include <span>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Calls fill(i, row i) for every row of an n x n array, in parallel, with progress between
/// batches.
Matrix<double> pairwise_distances(
    std::size_t n, const Context&,
    const std::function<void(std::size_t i, std::span<double> row)>& fill);

/// Straight lines. O(n^2 x dim), n x n array.
Matrix<double> euclidean_distances(const Matrix<double>& points, const Context&);

/// Shortest paths along the union of the points' k nearest neighbours (all others where there are
/// fewer). Pieces that do not hang together are joined at their closest points, so every distance
/// is finite. O(n^2 x (dim + k + log n)), n x n array.
Matrix<double> graph_distances(const Matrix<double>& points, std::size_t k, const Context&);

}  // namespace geotherm::detail
