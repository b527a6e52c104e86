// One search for short circuits, over the whole graph or over a sample of its points: which edges
// are suspected, and which of those are convicted.
#pragma once

#include <vector>

#include "geotherm/shortcuts.hpp"
#include "graph/detour.hpp"
#include "graph/overlap.hpp"

namespace geotherm::detail {

/// An edge, once, with its two entries in the weights.
struct Suspect {
  Index from = 0;
  Index to = 0;
  std::size_t entry = 0;   ///< of (from, to)
  std::size_t mirror = 0;  ///< of (to, from)
  double overlap = 0;
};

class ShortcutTrial {
 public:
  /// `in_sample`: points that take part; empty: all.
  ShortcutTrial(const Graph& graph, const Windows& windows, const ShortcutOptions& options,
                std::vector<char> in_sample, const Context& context);

  std::size_t n_edges() const { return edges_.size(); }
  /// By falling overlap.
  const std::vector<Suspect>& suspects() const { return suspects_; }
  bool is_convicted(const Suspect& e) const { return state_[e.entry] == EdgeState::convicted; }

 private:
  void set(const Suspect& e, EdgeState s) { state_[e.entry] = state_[e.mirror] = s; }
  bool takes_part(std::size_t i) const { return in_sample_.empty() || in_sample_[i] != 0; }

  void collect_edges(const Windows& windows);
  void choose_suspects();
  void judge();
  std::size_t give_back_short_detours(const std::vector<std::size_t>& which);
  std::vector<std::size_t> strongest_side(const std::vector<std::size_t>& links,
                                          const std::vector<char>& in_population,
                                          DetourSearch& search) const;
  void keep_connected();

  const Graph& graph_;
  const ShortcutOptions& options_;
  const std::vector<char> in_sample_;
  const Context& context_;
  std::vector<EdgeState> state_;
  std::vector<Suspect> edges_;
  std::vector<Suspect> suspects_;
};

}  // namespace geotherm::detail
