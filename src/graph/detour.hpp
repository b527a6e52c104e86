// Bounded shortest-path searches along the kept edges of a graph.
#pragma once

#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

/// What has become of each stored entry of the weights; both directions of an edge agree.
enum class EdgeState : char {
  kept,
  needed,  ///< kept because something would fall apart without it, not because it was cleared
  candidate,
  rejected
};
inline bool is_open(EdgeState s) { return s == EdgeState::kept || s == EdgeState::needed; }

/// Reusable Dijkstra from one point over open edges whose ends are both `allowed`
/// (empty: all are). Memory O(n) once, work proportional to what is reached.
class DetourSearch {
 public:
  DetourSearch(const Graph& graph, const std::vector<EdgeState>& state,
               const std::vector<char>& allowed);
  /// Distances from `source` to the targets; infinite where farther than `bound`.
  std::vector<double> distances(Index source, std::span<const Index> targets, double bound);

 private:
  const Graph& graph_;
  const std::vector<EdgeState>& state_;
  const std::vector<char>& allowed_;
  std::vector<double> best_;
  std::vector<Index> touched_;
};

}  // namespace geotherm::detail
