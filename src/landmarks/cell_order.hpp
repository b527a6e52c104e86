// Points cell by cell: near in this order means near in space, so that a pass over the points finds
// its neighbours in the cache. Which order a pass takes does not change what it finds for a point.
#pragma once

#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Positions sorted by `cell_of`, ascending within a cell. O(n).
inline std::vector<Index> cell_order(std::span<const Index> cell_of, std::size_t n_cells) {
  std::vector<std::size_t> next(n_cells + 1, 0);
  for (const Index c : cell_of) ++next[static_cast<std::size_t>(c) + 1];
  for (std::size_t c = 0; c < n_cells; ++c) next[c + 1] += next[c];
  std::vector<Index> order(cell_of.size());
  for (std::size_t i = 0; i < cell_of.size(); ++i) {
    order[next[static_cast<std::size_t>(cell_of[i])]++] = static_cast<Index>(i);
  }
  return order;
}

}  // namespace geotherm::detail
