// Points -> points that noise has left: a heat flow of the coordinates themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/neighbors.hpp"

namespace geotherm {

struct SmoothOptions {
  /// Mean-shift steps: each point moves to the mean of itself and its neighbours. Empty: up to 3,
  /// as long as neighbourhoods are filled balls (noise in every direction); none where they are
  /// thin.
  std::optional<std::size_t> steps = std::nullopt;
  /// Neighbours of the mean; >= 1. Empty: 20 for 2,500 points, growing with the cube root of their
  /// number. More: stronger; a population smaller than this dissolves.
  std::optional<std::size_t> neighbors = std::nullopt;
};
std::vector<std::string> issues_with(const SmoothOptions&);

struct SmoothedPoints {
  Matrix<double> points;
  std::size_t steps = 0;
  std::size_t neighbors = 0;
  double roundness = 0;  ///< before the first step, see neighborhood_roundness
};
/// Neighbours are searched again for each step; knn and reach of `search` are not used.
SmoothedPoints smooth_points(MatrixView<const double> points, const SmoothOptions& = {},
                             const NeighborOptions& search = {}, const Context& = {});

/// How far neighbourhoods (100 points, or a quarter of them all) are filled balls: the effective
/// rank (tr C)^2 / tr C^2 of their covariance over the number of columns, corrected for sampling;
/// the median over up to 256 points. Near 1: noise in every direction; near d / columns on a clean
/// sheet of dimension d.
double neighborhood_roundness(MatrixView<const double> points, const NeighborOptions& search = {},
                              const Context& = {});

}  // namespace geotherm
