// What a map keeps of the neighbours of its points, and how densely they lie in it.
#pragma once

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Of a sample of at most 1,000 points.
struct NeighborFit {
  /// Share of the ten strongest memberships of a point that are among its ten nearest in the map.
  double kept = 0;
  /// Median distance in the map to the 15th nearest, over the standard deviation over all axes.
  double spacing = 0;
};
NeighborFit neighbor_fit(MatrixView<const double> map, const SparseMatrix& memberships,
                         const Context& = {});

inline constexpr double largest_scale = 8;
/// RefineOptions::scale at which the points of a map lie as the objective wants them to: 1 for an
/// even sheet, up to 8 for compact groups.
double scale_of(const NeighborFit&, std::size_t n_points, std::size_t n_dimensions);

}  // namespace geotherm::detail
