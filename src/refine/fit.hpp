// What a map keeps of neighbours and of paths along the graph, and how densely its points lie.
#pragma once

#include <vector>

#include "refine/attraction.hpp"

namespace geotherm::detail {

/// Of a sample of at most 1,000 points.
struct NeighborFit {
  /// Share of the ten strongest memberships of a point that are among its ten nearest in the map.
  double kept = 0;
  /// Median distance in the map to the 15th nearest, over the standard deviation over all axes.
  double spacing = 0;
};
NeighborFit neighbor_fit(MatrixView<const double> map, const Attraction&,
                         const Context& = {});

/// Lengths of paths along a graph from some of its points, to tell how well maps keep them.
class PathSample {
 public:
  /// From 32 points of a graph with lengths (16 of more than 20,000), within their components. O(n
  /// log n) each.
  explicit PathSample(const Graph&, const Context& = {});
  /// Mean over the points of Spearman's correlation with distances in the map; 0 of nothing.
  double correlation(MatrixView<const double> map, const Context& = {}) const;
  /// The same of distances in two maps: how much of the arrangement of a component stays.
  double agreement(MatrixView<const double> one, MatrixView<const double> other,
                   const Context& = {}) const;

 private:
  struct From {
    Index point = 0;
    std::vector<Index> to;
    std::vector<double> lengths;
  };
  std::vector<From> from_;
};

}  // namespace geotherm::detail
