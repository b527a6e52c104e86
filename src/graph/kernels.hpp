// The four kernels: NeighborLists -> Graph. Components are not numbered yet.
#pragma once

#include "geotherm/graph.hpp"

namespace geotherm::detail {

Graph alpha_decay(const NeighborLists&, const AffinityOptions&, const Context&);
Graph knn_gaussian(const NeighborLists&, const Context&);
Graph adaptive_gaussian(const NeighborLists&, const Context&);
Graph fuzzy_union(const NeighborLists&, const Context&);

}  // namespace geotherm::detail
