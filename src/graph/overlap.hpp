// How much the neighbourhoods of two points have in common.
#pragma once

#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

/// The neighbours of each point that count as its neighbourhood, sorted by index.
class Windows {
 public:
  /// The first `window` neighbours of each list, but none farther than `spread` times the distance
  /// to the knn-th: a small population is not compared with what lies beyond it.
  Windows(const NeighborLists& lists, std::size_t window, double spread, const Context& context);

  /// |A and B| / |A or B| of the windows of i and j, each with its own point in it.
  double jaccard(std::size_t i, std::size_t j) const;

 private:
  std::vector<std::size_t> offsets_;
  std::vector<Index> members_;
};

}  // namespace geotherm::detail
