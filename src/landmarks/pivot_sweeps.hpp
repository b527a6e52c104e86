// Sweeps over the points: each moves to where it fits its distances to pivots that stand still, and
// to its neighbours.
#pragma once

#include <vector>

#include "geotherm/landmarks.hpp"

namespace geotherm::detail {

struct Pivots {
  std::size_t count = 0;       ///< rounded up to whole lanes; those past the end weigh nothing
  Matrix<float> squared;       ///< m x count: squared distances from every landmark
  std::vector<double> weight;  ///< points that each stands for
  Matrix<double> coordinates;  ///< components x count
  double median = 0;           ///< of the distances between landmarks, for weights that fall
};

/// Drawn from the landmarks; each landmark's points count for the pivot nearest to it.
/// `n_points`: of each landmark's cell.
Pivots choose_pivots(std::span<const std::size_t> n_points, const Matrix<double>& squared,
                     MatrixView<const double> landmark_map, std::size_t n_pivots,
                     const Context& context);

/// What a sweep needs beside graph, distances and pivots.
struct SweepOptions {
  double scale = 1;         ///< of the graph's lengths, in the unit of the distances
  double local = 1;         ///< weight of all neighbours together, for 1 of all pivots
  double mean_degree = 0;   ///< entries of the graph a point; 0: of the graph itself
  MdsOptions mds = {};
};
/// Sweeps until they settle. Coordinates are in the unit of the distances, neither centred nor
/// turned.
Embedding run_sweeps(const Graph&, const LandmarkDistances&, Pivots, const SweepOptions&,
                     Matrix<double> start, const Context&);

}  // namespace geotherm::detail
