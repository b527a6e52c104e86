// Graph -> Graph without shortcut edges, and weights from edge lengths.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm {

struct ShortcutOptions {
  /// Share of the edges that are candidates: those whose ends have the fewest neighbours in common;
  /// in [0, 0.5]. More: more edges are examined, not necessarily more removed; 0: no search.
  double share = 0.2;
  /// Neighbours of each end that are compared; > knn.
  std::size_t window = 80;
  /// A neighbourhood ends at this many times the distance to the knn-th neighbour; > 1.
  double spread = 4.0;
  /// A candidate is rejected if the shortest path without it is longer than this many times its
  /// length; > 1.
  double detour = 5.0;
  /// Components of this many points are populations: the only link between two of them stays; >= 1.
  std::size_t least_population = 8;
  /// Subsamples (of 80 % of the points) in most of which an edge has to be rejected again, else it
  /// is only down-weighted; 0: none are drawn.
  std::size_t n_subsamples = 5;
  /// No point loses more than this share of its weighted degree: the edges it keeps are raised
  /// instead; in (0, 1].
  double max_loss = 0.5;
};
std::vector<std::string> issues_with(const ShortcutOptions&);

struct Edge {
  Index from = 0;
  Index to = 0;
  double length = 0;
  double weight = 0;  ///< before
};
struct ShortcutReport {
  std::size_t n_edges = 0;  ///< before
  std::size_t n_candidates = 0;
  std::vector<Edge> removed;             ///< from < to
  std::vector<Edge> down_weighted;       ///< rejected, but not in most subsamples
  std::vector<double> removed_fraction;  ///< for each point, share of its weighted degree

  double removed_share() const {
    return n_edges == 0 ? 0 : static_cast<double>(removed.size()) / static_cast<double>(n_edges);
  }
};

struct ShortcutRemoval {
  Graph graph;
  ShortcutReport report;
};

/// Removes edges between regions that are far apart without them. `wide` are neighbour lists of at
/// least `window` entries over the same points. The number of components does not change, and a
/// curve with a gap in its sampling, such as a loop, is not cut open. A graph without lengths is
/// returned as it is (the report has no edges).
ShortcutRemoval remove_shortcuts(Graph, const NeighborLists& wide, const ShortcutOptions&,
                                 const Context& = {});

/// The same lists cut back to `knn` neighbours and what lies within `reach` of the knn-th.
NeighborLists shortened(const NeighborLists&, std::size_t knn, double reach);

/// Divides each weight by the local mean squared step, w_ij = W_ij m^2 / sqrt(s_i s_j), so that
/// heat moves in units of length rather than in hops; scaled to the same median degree as before.
Graph with_length_rates(Graph, const Context& = {});

}  // namespace geotherm
