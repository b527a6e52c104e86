// The linear system behind fates, with several right-hand sides at once.
#pragma once

#include <Eigen/SparseCore>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Ones on the diagonal, rows in the order of falling pseudotime: nearly lower triangular.
using FateSystem = Eigen::SparseMatrix<double, Eigen::RowMajor>;

struct FateSolution {
  Matrix<double> shares;   ///< as the right-hand sides: rows x ends
  bool is_settled = true;  ///< false: the solver stopped before a residual of 1e-9
};
/// Each column to a residual of 1e-9 of its right-hand side.
FateSolution solve_fates(const FateSystem&, const Matrix<double>& known, const Context&);

}  // namespace geotherm::detail
