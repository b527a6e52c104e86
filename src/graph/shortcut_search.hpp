// One search for short circuits, over the whole graph or over a sample of its points: which edges
// are examined, and which of those are rejected.
#pragma once

#include <vector>

#include "geotherm/shortcuts.hpp"
#include "graph/components.hpp"
#include "graph/detour.hpp"
#include "graph/overlap.hpp"

namespace geotherm::detail {

/// An edge, once, with its two entries in the weights.
struct CandidateEdge {
  Index from = 0;
  Index to = 0;
  std::size_t entry = 0;   ///< of (from, to)
  std::size_t mirror = 0;  ///< of (to, from)
  double overlap = 0;
};

/// The edges with the lowest overlap of neighbourhoods, `share` of all, by falling overlap.
std::vector<CandidateEdge> find_candidates(const Graph&, const Windows&, double share, const Context&);

/// The candidates before their judges: all points, or those of a sample.
class ShortcutSearch {
 public:
  /// `in_sample`: points that take part; empty: all. `wide`: lists that know distances beyond the
  /// edges of the graph.
  ShortcutSearch(const Graph& graph, const NeighborLists& wide, const std::vector<CandidateEdge>& candidates,
                const ShortcutOptions& options, std::vector<char> in_sample,
                const Context& context);

  bool is_rejected(const CandidateEdge& e) const { return state_[e.entry] == EdgeState::rejected; }
  /// There is a short way round.
  bool is_cleared(const CandidateEdge& e) const { return state_[e.entry] == EdgeState::kept; }

 private:
  void set(const CandidateEdge& e, EdgeState s) { state_[e.entry] = state_[e.mirror] = s; }
  bool takes_part(std::size_t i) const { return in_sample_.empty() || in_sample_[i] != 0; }

  Groups open_parts() const;
  void judge();
  std::size_t give_back_short_detours(const std::vector<std::size_t>& which);
  std::vector<std::size_t> strongest_side(const std::vector<std::size_t>& links,
                                          const std::vector<char>& in_population,
                                          DetourSearch& search) const;
  double mean_cosine(Index end, Index other, double length) const;
  void spare_seams();
  void keep_connected();

  const Graph& graph_;
  const NeighborLists& wide_;
  const ShortcutOptions& options_;
  const std::vector<char> in_sample_;
  const Context& context_;
  std::vector<EdgeState> state_;
  std::vector<CandidateEdge> candidates_;  ///< those whose ends both take part
};

}  // namespace geotherm::detail
