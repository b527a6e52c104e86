// Rows of a matrix -> Euclidean distances between them, all pairs, by tiles of a matrix product.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// The distances from row i to the rows j, j + 1, ... (j >= i): one piece of the upper triangle.
using RowDistanceVisit =
    std::function<void(std::size_t i, std::size_t j, std::span<const double> distances)>;

/// Hands out every pair i <= j once, in pieces, from several threads; the cut into pieces does not
/// depend on their number. Uses up `rows` as working memory: no n x n array of its own. Refuses
/// entries that are not finite. Distances are right to about 1e-9 of their own size.
void visit_row_distances(Matrix<double> rows, std::string_view stage, const Context&,
                         const RowDistanceVisit& visit);

/// All of them, n x n, symmetric to the bit, zero diagonal.
Matrix<double> row_distances(Matrix<double> rows, std::string_view stage, const Context&);

}  // namespace geotherm::detail
