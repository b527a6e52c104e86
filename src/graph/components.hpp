// Groups of points that are or become connected.
#pragma once

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

/// Union by smallest index: the root of a group is its first member.
class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }
  Index root(Index i) {
    while (at(i) != i) i = at(i) = at(at(i));
    return i;
  }
  /// False where they were together already.
  bool join(Index a, Index b) {
    a = root(a);
    b = root(b);
    if (a == b) return false;
    at(std::max(a, b)) = std::min(a, b);
    return true;
  }

 private:
  Index& at(Index i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<Index> parent_;
};

/// A link to be added between two components.
struct Link {
  Index from = 0;
  Index to = 0;
  double weight = 0;
  double length = 0;
};

/// "3 components of 500, 20 and 3 points".
std::string describe_components(const Graph& graph);

}  // namespace geotherm::detail
