// Rejected edges that run side by side: how they are gathered into bundles, how wide a bundle is,
// and whether the data goes on behind its ends.
#pragma once

#include <vector>

#include "graph/components.hpp"
#include "graph/detour.hpp"

namespace geotherm::detail {

/// An edge, once, with its two entries in the weights.
struct CandidateEdge {
  Index from = 0;
  Index to = 0;
  std::size_t entry = 0;   ///< of (from, to)
  std::size_t mirror = 0;  ///< of (to, from)
  double overlap = 0;
};

using Bundle = std::vector<CandidateEdge>;

/// The edges gathered into bundles: two belong together if both pairs of ends are equal or joined
/// by an open edge. In each edge of a bundle `from` is on the side of the first edge's `from`.
std::vector<Bundle> bundles_of(const std::vector<CandidateEdge>& edges, const Graph&,
                               const std::vector<EdgeState>&);

/// Edges no two of which share a point, taken in order (at least half of the most there could be).
std::size_t n_disjoint(const Bundle&);

/// Edges per point that has one of them.
double edges_per_point(const Bundle&);

/// Whether the data goes on behind the ends of a bundle, as a curve does behind a gap in it. With A
/// and B the ends on both sides, d the distance along the open edges, L = d(A, B) and x the points
/// within L / 4 of A, m_A = sum (L - d(x, B)) / sum d(x, A): the mean cosine between the directions
/// to x and to B. 1 at the end of a curve, where every point lies on the way to B; 0 inside a curve
/// or a sheet, and at the side of a sheet. Ends less than half as far from the other side as the
/// farthest are left out of A and B (an outlier may have edges to both sides). Returns min(m_A,
/// m_B); 0 where B is not among the `most_settled` points nearest to A, or no point is that near.
double continuation(const Bundle&, DetourSearch&, std::size_t most_settled = 100'000);

}  // namespace geotherm::detail
