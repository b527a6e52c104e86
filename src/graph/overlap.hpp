// How much the neighbourhoods of two points have in common.
#pragma once

#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

/// The neighbours of each point that count as its neighbourhood.
class Windows {
 public:
  /// The first `window` neighbours of each list, but none farther than `spread` times the distance
  /// to the knn-th: a small population is not compared with what lies beyond it.
  Windows(const NeighborLists& lists, std::size_t window, double spread, const Context& context);

  /// The overlap of windows. That of one point at a time is marked: O(n) memory, and another j for
  /// the same i takes one pass over the window of j.
  class Marked {
   public:
    explicit Marked(const Windows& windows)
        : windows_(windows), is_in_(windows.offsets_.size() - 1, 0) {}
    /// |A and B| / |A or B| of the windows of i and j, each with its own point in it.
    double jaccard(std::size_t i, std::size_t j);

   private:
    const Windows& windows_;
    std::vector<unsigned char> is_in_;
    std::span<const Index> marked_ = {};
  };

 private:
  std::span<const Index> of(std::size_t i) const {
    return std::span<const Index>(members_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }

  std::vector<std::size_t> offsets_;
  std::vector<Index> members_;
};

}  // namespace geotherm::detail
