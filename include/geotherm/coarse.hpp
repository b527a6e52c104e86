// Borders of cells, gathered from all blocks of a table -> the landmark solution of heat_geo.
#pragma once

#include <vector>

#include "geotherm/blocks.hpp"
#include "geotherm/methods.hpp"

namespace geotherm {

/// The solution on the landmarks.
struct CoarseMap {
  Matrix<double> distances;    ///< between all landmarks
  Matrix<double> coordinates;  ///< one row per landmark
  double scale = 1;            ///< of distances in a unit of length
  PivotSet pivots;
  Outcome outcome = Outcome::converged;
  RunReport report;
};
/// `crossings`: of all blocks, the shortest of each pair, row < col. `n_points`: of each landmark's
/// cell. `edges`: of the points of each cell, added over all blocks. `edge_length`: median over all
/// blocks. `options` as heat_geo takes them for that many points. O(landmarks^3), two arrays of
/// landmarks^2.
CoarseMap heat_geo_coarse(MatrixView<const float> landmark_points,
                          const std::vector<Triplet>& crossings,
                          std::span<const std::size_t> n_points, const CellEdges& edges,
                          double edge_length, const MethodOptions& options, const Context& = {});

}  // namespace geotherm
