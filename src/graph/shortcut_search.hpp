// One search for shortcut edges, over the whole graph or over a sample of its points: which edges
// are candidates, and which of those are rejected.
#pragma once

#include <vector>

#include "geotherm/shortcuts.hpp"
#include "graph/bundles.hpp"
#include "graph/components.hpp"
#include "graph/detour.hpp"
#include "graph/overlap.hpp"

namespace geotherm::detail {

/// The edges with the lowest overlap of neighbourhoods, `share` of all, by falling overlap.
std::vector<CandidateEdge> find_candidates(const Graph&, const Windows&, double share,
                                           const Context&);

/// Decides on every candidate whose ends both take part (docs/methods/shortcuts.md).
class ShortcutSearch {
 public:
  /// `in_sample`: points that take part; empty: all.
  ShortcutSearch(const Graph& graph, const std::vector<CandidateEdge>& candidates,
                 const ShortcutOptions& options, std::vector<char> in_sample,
                 const Context& context);

  /// Of a search over all points: bundles are looked at there alone.
  bool is_rejected(const CandidateEdge& e) const { return state_[e.entry] == EdgeState::rejected; }
  /// The path without it is short.
  bool is_cleared(const CandidateEdge& e) const { return state_[e.entry] == EdgeState::kept; }

 private:
  void set(const CandidateEdge& e, EdgeState s) { state_[e.entry] = state_[e.mirror] = s; }
  bool takes_part(std::size_t i) const { return in_sample_.empty() || in_sample_[i] != 0; }

  Groups open_components() const;
  void decide();
  std::size_t restore_short_detours(const std::vector<std::size_t>& which);
  std::vector<std::size_t> strongest_side(const std::vector<std::size_t>& links,
                                          const std::vector<char>& in_population,
                                          DetourSearch& search) const;
  void restore_bundles();
  bool is_boundary_or_gap(const Bundle& bundle, DetourSearch& search) const;
  void keep_connected();

  const Graph& graph_;
  const ShortcutOptions& options_;
  const std::vector<char> in_sample_;
  const Context& context_;
  std::vector<EdgeState> state_;
  std::vector<CandidateEdge> candidates_;  ///< those whose ends both take part
};

}  // namespace geotherm::detail
