// Eigenvalues and eigenvectors of symmetric tridiagonal matrices, as Lanczos steps leave them.
#pragma once

#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

struct TridiagonalEigen {
  std::vector<double> values;  ///< ascending
  Matrix<double> vectors;      ///< one eigenvector per row, signs as they came
};
/// `beside` has one entry less than `diagonal`, which is not empty.
TridiagonalEigen tridiagonal_eigen(std::span<const double> diagonal,
                                   std::span<const double> beside);
/// The values alone, ascending; O(n^2).
std::vector<double> tridiagonal_values(std::span<const double> diagonal,
                                       std::span<const double> beside);

}  // namespace geotherm::detail
