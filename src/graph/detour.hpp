// Bounded shortest-path searches along the kept edges of a graph.
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

/// What has become of each stored entry of the weights; both directions of an edge agree.
enum class EdgeState : char {
  kept,
  needed,  ///< kept although the path without it is long
  candidate,
  rejected
};
inline bool is_open(EdgeState s) { return s == EdgeState::kept || s == EdgeState::needed; }

/// Reusable Dijkstra over open edges whose ends are both `allowed`
/// (empty: all are). Memory O(n) once, work proportional to what is reached.
class DetourSearch {
 public:
  DetourSearch(const Graph& graph, const std::vector<EdgeState>& state,
               const std::vector<char>& allowed);
  /// Distances from the nearest of the sources to the targets; infinite where above `bound` or not
  /// among the `most_settled` points nearest to the sources.
  std::vector<double> distances(std::span<const Index> sources, std::span<const Index> targets,
                                double bound,
                                std::size_t most_settled = std::numeric_limits<std::size_t>::max());
  struct Reached {
    Index point = 0;
    double distance = 0;
  };
  /// Whether a path of at most `bound` leads from one point to the other. From both ends at once:
  /// in many dimensions two balls of half the radius hold far fewer points than one.
  bool is_joined(Index from, Index to, double bound);
  /// All points within `bound` of the nearest source, by distance and then index.
  std::vector<Reached> within(std::span<const Index> sources, double bound);

 private:
  using Entry = std::pair<double, Index>;
  /// What a search has reached from its end.
  struct Side {
    std::vector<double> best = {};
    std::vector<Index> touched = {};
    std::vector<Entry> queue = {};  ///< a heap, nearest first; its memory serves the next search
    void reach(Index point, double distance, double bound);
    /// Takes the first entry of the queue; nothing where a shorter path to its point was found
    /// since.
    std::optional<Entry> take_nearest();
    const Entry& nearest() const { return queue.front(); }
    void forget();
  };

  /// The next point by distance, whose neighbours are then reached too; -1 where none is left.
  Index settle_next(Side& side, double bound);
  bool may_pass(std::size_t entry) const;

  const Graph& graph_;
  const std::vector<EdgeState>& state_;
  const std::vector<char>& allowed_;
  Side side_, other_;  ///< the other is made when it is needed
};

}  // namespace geotherm::detail
