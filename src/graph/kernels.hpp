// The four kernels: NeighborLists -> Graph. Components are not numbered yet.
#pragma once

#include <span>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

Graph alpha_decay(const NeighborLists&, const AffinityOptions&, const Context&);
Graph knn_gaussian(const NeighborLists&, const Context&);
Graph adaptive_gaussian(const NeighborLists&, const Context&);
Graph fuzzy_union(const NeighborLists&, const Context&);

/// Of the fuzzy union's memberships exp(-(d - rho) / sigma).
struct SmoothDistance {
  double rho = 0;
  double sigma = 0;
};
/// `lengths`: the knn nearest; `mean_of_all`: over all points.
SmoothDistance smooth_distance(std::span<const double> lengths, double mean_of_all);

}  // namespace geotherm::detail
