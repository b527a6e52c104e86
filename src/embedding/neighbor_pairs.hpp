// NeighborLists -> the lists of pairs that qdtsne and umappp read.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "embedding/problem.hpp"
#include "geotherm/neighbors.hpp"

namespace geotherm::detail {

/// The first `n_neighbors` of each list, with lengths in units of a power of two near the largest:
/// both methods calibrate to the lengths of each list, and take their squares and fourth powers.
inline std::vector<std::vector<std::pair<Index, double>>> neighbor_pairs(const NeighborLists& lists,
                                                                         std::size_t n_neighbors) {
  double largest = 0;
  for (const double d : lists.distances) largest = std::max(largest, d);
  const double unit = unit_for(largest);
  std::vector<std::vector<std::pair<Index, double>>> pairs(lists.n_points);
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    const auto others = lists.neighbors(i);
    const auto lengths = lists.lengths(i);
    for (std::size_t k = 0; k < std::min(n_neighbors, others.size()); ++k) {
      pairs[i].emplace_back(others[k], unit * lengths[k]);
    }
  }
  return pairs;
}

}  // namespace geotherm::detail
