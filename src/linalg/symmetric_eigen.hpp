// Full eigendecomposition of small dense symmetric matrices, and the sign rule.
#pragma once

#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

struct SymmetricEigen {
  std::vector<double> values;  ///< ascending
  Matrix<double> vectors;      ///< n x n, one eigenvector per column, largest entry positive
};
/// O(n^3): for covariance matrices, small subspaces, the exact kernel and tests.
SymmetricEigen symmetric_eigen(MatrixView<const double> matrix);

/// Makes the entry of largest magnitude (ties: the first) of each column positive.
void fix_column_signs(MatrixView<double> columns);

}  // namespace geotherm::detail
