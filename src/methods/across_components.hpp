// Graphs of several components: one of them, all without their bridges, and distances across.
#pragma once

#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

std::vector<std::size_t> component_sizes(const Graph&);
/// The same graph without the edges of `bridges`.
Graph without_bridges(const Graph&);
/// One component as a graph of its own, points in their order.
Graph component_graph(const Graph&, Index component);

/// Row p holds the distances of points[p] (ascending; every end of a bridge among them) to all
/// points, infinite to other components. Those become the shortest path along bridges: distances
/// inside, and the bridges' lengths. Where the graph has no bridges, or none with a length, they
/// become 1.1 times the largest distance.
void fill_across(Matrix<double>& rows, const std::vector<Index>& points, const Graph&,
                 const Context&);

}  // namespace geotherm::detail
