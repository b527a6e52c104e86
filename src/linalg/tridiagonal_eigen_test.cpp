// Tridiagonal matrices against the dense decomposition, on both sides of LAPACK's own thresholds.
#include "linalg/tridiagonal_eigen.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/symmetric_eigen.hpp"

namespace geotherm::detail {
namespace {

TEST(TridiagonalEigen, AgreesWithTheDenseDecomposition) {
  for (const std::size_t n : {1U, 2U, 20U, 150U}) {
    Rng rng(5, "tridiagonal_test", n);
    std::vector<double> diagonal(n), beside(n - 1);
    Matrix<double> dense(n, n);
    for (std::size_t i = 0; i < n; ++i) dense(i, i) = diagonal[i] = rng.normal();
    for (std::size_t i = 0; i + 1 < n; ++i) {
      dense(i, i + 1) = dense(i + 1, i) = beside[i] = 0.1 + rng.uniform();
    }
    const TridiagonalEigen found = tridiagonal_eigen(diagonal, beside);
    const std::vector<double> values = tridiagonal_values(diagonal, beside);
    const SymmetricEigen wanted = symmetric_eigen(dense);
    for (std::size_t r = 0; r < n; ++r) {
      // Entries are near 1, so values are right to some multiples of the rounding error.
      ASSERT_NEAR(found.values[r], wanted.values[r], 1e-13 * static_cast<double>(n));
      ASSERT_NEAR(values[r], wanted.values[r], 1e-13 * static_cast<double>(n));
      double left = 0, length = 0;
      for (std::size_t i = 0; i < n; ++i) {
        double product = 0;
        for (std::size_t j = 0; j < n; ++j) product += dense(i, j) * found.vectors(r, j);
        left += std::abs(product - found.values[r] * found.vectors(r, i));
        length += found.vectors(r, i) * found.vectors(r, i);
      }
      ASSERT_NEAR(left, 0, 1e-13 * static_cast<double>(n));
      ASSERT_NEAR(length, 1, 1e-13 * static_cast<double>(n));
    }
  }
}

}  // namespace
}  // namespace geotherm::detail
