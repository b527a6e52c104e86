// The leading singular values and right vectors of an operator, by irlba.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

struct LinearOperator {
  std::size_t rows = 0;
  std::size_t cols = 0;
  /// y = A x and x = A^T y; called from one thread, parallel inside.
  std::function<void(std::span<const double> x, std::span<double> y)> multiply;
  std::function<void(std::span<const double> y, std::span<double> x)> multiply_transposed;
};

struct TruncatedSvd {
  std::vector<double> values;  ///< falling
  Matrix<double> right;        ///< rank x cols, orthonormal rows, signs as they came
  Outcome outcome = Outcome::converged;
};
/// Residuals at most 1e-10 of the largest value. The operator's largest singular value should be
/// of the order of 1 or more; rank < min(rows, cols). Reports progress at every product.
TruncatedSvd truncated_svd(const LinearOperator&, std::size_t rank, const Context&);

}  // namespace geotherm::detail
