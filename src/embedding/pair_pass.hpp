// One pass over all pairs: the stress of a layout and its pull on every point, fused.
#pragma once

#include "embedding/problem.hpp"

namespace geotherm::detail {

/// Layouts inside the solvers lie component by component (n_components x n), so that the loop over
/// points is contiguous, and in the problem's units.
using Layout = Matrix<double>;

Layout layout_of(MatrixView<const double> coordinates, double unit);
/// The other way, oriented.
Matrix<double> coordinates_of(const Layout&, double unit);

/// Keeps the partial sums of the tiles: about 32 layouts.
class PairPass {
 public:
  PairPass(const Problem& problem, std::size_t n_components, const Context& context);

  /// Returns sum_{i<j} w (d - |x_i - x_j|)^2 and writes half its gradient,
  /// pull_i = sum_j w (1 - d / |x_i - x_j|) (x_i - x_j). Every pair is visited once.
  double operator()(const Layout& x, Layout& pull);

 private:
  const Problem& problem_;
  const Context& context_;
  std::size_t edge_;  // points per block
  std::size_t n_blocks_;
  Matrix<double> partial_;  // row (block * n_components + component): pull of that block on all
  std::vector<double> stresses_;
};

}  // namespace geotherm::detail
