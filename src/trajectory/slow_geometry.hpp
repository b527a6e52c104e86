// The slow modes of heat on one component, and geodesics in the space that they span.
#pragma once

#include <vector>

#include "geotherm/trajectory.hpp"

namespace geotherm::detail {

/// The part of the graph that lies on these points, numbered anew in their order.
Graph part_of(const Graph&, std::span<const Index> cells);

/// Points of the component that `inside` lies in, ascending.
std::vector<Index> component_of(const Graph&, Index inside);

/// The points of a component in an order in which neighbours are near one another: what is read
/// together lies together in memory. Few points stay as they are.
std::vector<Index> in_near_order(const Graph&, std::vector<Index> component);

/// The slowest modes of a connected graph, n x m, and their eigenvalues. Modes that live on less
/// than a fiftieth of the points (outliers) are left out.
struct SlowModes {
  Matrix<double> modes;
  std::vector<double> eigenvalues;
};
SlowModes slow_modes(const Graph& connected, std::size_t n_modes, const Context&);

/// Rows of all n points; those outside `cells` are 0.
SlowCoordinates spread_to_points(SlowModes, std::span<const Index> cells, std::size_t n);

/// The leading m modes over their eigenvalues to `power`.
Matrix<double> weighted_modes(const SlowModes&, std::size_t m, double power);

/// Edges between neighbours in `places`, as long as they are there; where these fall into parts,
/// the graph's own edges join them, so that every point of a connected graph is reached.
Graph geodesic_graph(const Graph& connected, const Matrix<double>& places, std::size_t knn,
                     const Context&);

/// Pseudotime on a connected graph: mean over roots and resolutions, from 0 to 1; before and after
/// the ends of branches are brought together.
struct Order {
  std::vector<double> by_distance;
  std::vector<double> values;
};
Order order_from(const Graph& connected, const SlowModes&, std::span<const Index> roots,
                 const PseudotimeOptions&, const Context&);

}  // namespace geotherm::detail
