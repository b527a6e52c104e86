// Components and their points -> the links that join them.
#pragma once

#include <vector>

#include "graph/components.hpp"
#include "neighbors/space.hpp"

namespace geotherm::detail {

/// Up to this many components every pair is joined.
constexpr std::size_t most_joined_pairwise = 24;
/// Beyond, each is joined to this many of the nearest.
constexpr std::size_t n_nearest_components = 8;

/// A minimum spanning tree of the components, exactly, by a k-d tree: for few dimensions. Weights
/// are not set, and lengths are Euclidean.
std::vector<Link> shortest_links(const Graph& graph, const Space<double>& space,
                                 const Context& context);

/// One link for every pair of components to be joined, sorted by their numbers: all pairs, or the
/// nearest ones and what a spanning tree needs. Up to 8 dimensions the shortest spanning tree is
/// among them; other links are the shortest that alternating searches between the two components
/// find from several starts, as a rule within 5 % of the shortest. O(n d log n) and, for the pairs,
/// O(n d / 64) each at most.
std::vector<Link> bridging_links(const Graph& graph, MatrixView<const double> points,
                                 const Context& context);

}  // namespace geotherm::detail
