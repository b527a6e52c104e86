// A stress problem that has been looked through once: dissimilarities, their unit, their weights.
#pragma once

#include <string_view>

#include "embedding/weights.hpp"

namespace geotherm::detail {

/// Dissimilarities that are not in this memory but on a GPU, and the passes that solvers make over
/// them. Layouts and vectors are component by component, by point.
class PairSource {
 public:
  virtual ~PairSource() = default;
  virtual std::size_t n() const = 0;
  /// Infinite where an entry is no finite number >= 0.
  virtual double largest() = 0;
  /// As PairPass, with uniform weights.
  virtual double pass(const Matrix<double>& x, Matrix<double>& pull, double unit) = 0;
  /// out = -1/2 vectors * (unit D)^2, entry by entry squared.
  virtual void squares_times(MatrixView<const double> vectors, MatrixView<double> out,
                             double unit) = 0;
  /// One sweep of SgdMds over all pairs; y: the layout in the order of the sweep.
  virtual void stochastic_sweep(std::span<const Index> order, Matrix<double>& y, double share,
                                double unit) = 0;
};

struct Problem {
  /// n x n, symmetric to 1e-6 of the largest entry; the diagonal is never read.
  MatrixView<const double> distances;
  /// Power of two by which solvers multiply what they read, so that the largest is in [1/2, 1)
  /// and neither squares nor their sums leave the range of doubles.
  double unit = 1;
  /// No two points differ: the map is a single point.
  bool is_point = false;
  Weighting weighting = {};
  /// Where it is given, in place of `distances`; weights are then uniform.
  PairSource* elsewhere = nullptr;

  std::size_t n() const { return elsewhere != nullptr ? elsewhere->n() : distances.rows; }
};

/// Power of two that brings `largest` into [1/2, 1), as far as doubles allow; 1 for 0.
double unit_for(double largest) noexcept;

/// Refuses dissimilarities and weights that are not square, finite, symmetric and non-negative.
/// A given array of weights overrides the kind. O(n^2), no copy.
Problem checked_problem(MatrixView<const double> distances, MatrixView<const double> weights,
                        MdsWeights kind, const Context&);

/// The same with the options and the start of a solver, which are checked too.
Problem checked_problem(MatrixView<const double> distances, MatrixView<const double> weights,
                        const Matrix<double>& start, const MdsOptions&, const Context&);

/// The same of pairs elsewhere, symmetric as they are.
Problem checked_problem(PairSource&);

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
