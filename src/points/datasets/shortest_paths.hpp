// Dijkstra's shortest paths, for the true distances of synthetic data.
#pragma once

#include <span>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Lengths of the shortest paths from `source` along a graph of edge lengths (0 or more); infinity
/// where there is none.
void shortest_paths_from(const SparseMatrix& graph, std::size_t source, std::span<double> lengths);

}  // namespace geotherm::detail
