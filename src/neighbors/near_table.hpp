// The table that the approximate search improves: for each point its best known neighbours.
#pragma once

#include <limits>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// One row a point: a heap with the worst entry first, ordered by (squared distance, index). As
/// that order is strict, what a row holds after a set of offers does not depend on their order.
class NearTable {
 public:
  /// Of an entry: compared with the rest of its neighbourhood; to be compared in this round;
  /// entered in this round, so for the next.
  enum class State : char { joined, fresh, entered };

  NearTable(std::size_t n, std::size_t width)
      : n_(n),
        width_(width),
        distances_(n * width, std::numeric_limits<float>::infinity()),
        ids_(n * width, -1),
        states_(n * width, State::joined) {}

  std::size_t n_points() const { return n_; }
  std::size_t width() const { return width_; }
  std::span<const Index> ids(std::size_t i) const { return {ids_.data() + i * width_, width_}; }
  std::span<State> states(std::size_t i) { return {states_.data() + i * width_, width_}; }
  std::span<const State> states(std::size_t i) const {
    return {states_.data() + i * width_, width_};
  }
  float worst(std::size_t i) const { return distances_[i * width_]; }

  /// True where the row of i took j in.
  bool offer(std::size_t i, Index j, float distance) {
    float* d = distances_.data() + i * width_;
    Index* id = ids_.data() + i * width_;
    State* state = states_.data() + i * width_;
    if (distance > d[0] || (distance == d[0] && j >= id[0] && id[0] >= 0)) return false;
    bool is_known = false;
    for (std::size_t k = 0; k < width_; ++k) is_known |= id[k] == j;
    if (is_known) return false;
    std::size_t at = 0;
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= width_) break;
      if (child + 1 < width_ && is_before(d[child], id[child], d[child + 1], id[child + 1])) {
        ++child;
      }
      if (is_before(d[child], id[child], distance, j)) break;
      d[at] = d[child];
      id[at] = id[child];
      state[at] = state[child];
      at = child;
    }
    d[at] = distance;
    id[at] = j;
    state[at] = State::entered;
    return true;
  }

 private:
  // Empty places (index -1, infinite distance) come last whatever their index says.
  static bool is_before(float da, Index a, float db, Index b) { return da != db ? da < db : a < b; }

  std::size_t n_;
  std::size_t width_;
  std::vector<float> distances_;
  std::vector<Index> ids_;
  std::vector<State> states_;
};

}  // namespace geotherm::detail
