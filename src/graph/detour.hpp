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

/// The open edges whose ends are both `allowed` (empty: all are), as they are when this is made:
/// of each point by length, side by side in memory.
class OpenEdges {
 public:
  struct Step {
    double length = 0;
    Index to = 0;
  };
  OpenEdges(const Graph& graph, const std::vector<EdgeState>& state,
            const std::vector<char>& allowed, const Context& context = {});
  std::size_t n_points() const { return offsets_.size() - 1; }
  std::span<const Step> from(Index point) const {
    const auto i = static_cast<std::size_t>(point);
    return {steps_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]};
  }

 private:
  std::vector<std::size_t> offsets_;
  std::vector<Step> steps_;
};

/// Reusable Dijkstra over open edges. Memory O(n) once, work proportional to what is reached.
class DetourSearch {
 public:
  explicit DetourSearch(const OpenEdges& edges);
  /// Distances from the nearest of the sources to the targets; infinite where above `bound` or not
  /// among the `most_settled` points nearest to the sources.
  std::vector<double> distances(std::span<const Index> sources, std::span<const Index> targets,
                                double bound,
                                std::size_t most_settled = std::numeric_limits<std::size_t>::max());
  struct Reached {
    Index point = 0;
    double distance = 0;
  };
  /// Whether a path of at most `bound` leads from one point to the other. Paths of up to four edges
  /// are looked at first, which most short detours have; what lies around `from` is kept for the
  /// next question from there. Then from both ends at once: in many dimensions two balls of half
  /// the radius hold far fewer points than one.
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
    void reach(Index point, double distance);
    /// Takes the first entry of the queue; nothing where a shorter path to its point was found
    /// since.
    std::optional<Entry> take_nearest();
    double radius() const { return queue.empty() ? 0 : queue.front().first; }
    double to(Index point) const { return best[static_cast<std::size_t>(point)]; }
    void forget();
  };

  /// The next point by distance, whose neighbours are then reached too; -1 where none is left.
  Index settle_next(Side& side, double bound);
  void go_around(Index centre);
  bool is_joined_by_few(Index from, Index to, double bound);
  bool is_joined_by_many(Index from, Index to, double bound);

  const OpenEdges& edges_;
  Side side_, other_;  ///< the other is made when it is needed
  Index centre_ = -1;  ///< of `around_`
  std::vector<double> around_;  ///< lengths of paths of up to two edges
  std::vector<Index> met_;      ///< where those are finite
};

}  // namespace geotherm::detail
