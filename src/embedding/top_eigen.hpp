// Largest eigenvalues of a symmetric operator that is only ever applied to blocks of vectors.
#pragma once

#include <functional>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Vectors are the rows of the blocks: out = block * A.
using BlockOperator = std::function<void(MatrixView<const double> block, MatrixView<double> out)>;

struct TopEigenOptions {
  std::size_t n_wanted = 2;
  /// Residual norms to reach, as a share of the largest Ritz value in magnitude.
  double tolerance = 1e-10;
  std::size_t max_products = 100;
};

struct TopEigen {
  std::vector<double> values;  ///< falling
  Matrix<double> vectors;      ///< n_wanted x n, orthonormal rows
  std::size_t n_products = 0;
  Outcome outcome = Outcome::converged;
};

/// Block Krylov with full orthogonalisation and thick restarts. `start` holds the first block
/// (more rows than wanted speed it up, at little cost where a product streams A anyway).
/// n_wanted <= start.rows; `on_product` is called before each product and may stop.
TopEigen top_eigen(const BlockOperator& apply, Matrix<double> start, const TopEigenOptions&,
                   const std::function<Next(std::size_t product)>& on_product);

}  // namespace geotherm::detail
