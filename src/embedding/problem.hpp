// A stress problem that has been looked through once: dissimilarities, their unit, their weights.
#pragma once

#include <string_view>

#include "embedding/weights.hpp"

namespace geotherm::detail {

struct Problem {
  /// n x n, symmetric to 1e-6 of the largest entry; the diagonal is never read.
  MatrixView<const double> distances;
  /// Power of two by which solvers multiply what they read, so that the largest is in [1/2, 1)
  /// and neither squares nor their sums leave the range of doubles.
  double unit = 1;
  /// No two points differ: the map is a single point.
  bool is_point = false;
  Weighting weighting = {};

  std::size_t n() const { return distances.rows; }
};

/// Power of two that brings `largest` into [1/2, 1), as far as doubles allow; 1 for 0.
double unit_for(double largest) noexcept;

/// Refuses dissimilarities and weights that are not square, finite, symmetric and non-negative.
/// A given array of weights goes before the kind named. O(n^2), no copy.
Problem checked_problem(MatrixView<const double> distances, MatrixView<const double> weights,
                        MdsWeights kind, const Context&);

/// Refuses a start that is not n x n_components or not finite.
void check_start(const Matrix<double>& start, std::size_t n, std::size_t n_components);

struct WeightTotals {
  std::vector<double> per_point;  ///< sum_j w_ij; n for uniform weights, as in Guttman's transform
  double squares = 0;             ///< sum_{i<j} w d^2, in the problem's units
  double smallest = 0;            ///< among positive weights
  double largest = 0;
};
WeightTotals weight_totals(const Problem&, const Context&);

/// raw over squares; 0 over 0 is 0.
double normalised_stress(double raw, double squares) noexcept;

}  // namespace geotherm::detail
