#include "linalg/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace geotherm::detail {

SymmetricEigen symmetric_eigen(MatrixView<const double> matrix) {
  const std::size_t n = matrix.rows;
  SymmetricEigen result{std::vector<double>(n), Matrix<double>(n, n)};
  if (n == 0) return result;
  const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> a(
      matrix.data, static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n),
      Eigen::OuterStride<>(static_cast<Eigen::Index>(matrix.stride)));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
  for (std::size_t j = 0; j < n; ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    result.values[j] = solver.eigenvalues()[column];
    for (std::size_t i = 0; i < n; ++i) {
      result.vectors(i, j) = solver.eigenvectors()(static_cast<Eigen::Index>(i), column);
    }
  }
  fix_column_signs(result.vectors);
  return result;
}

void fix_column_signs(MatrixView<double> columns) {
  for (std::size_t j = 0; j < columns.cols; ++j) {
    double largest = 0;
    for (std::size_t i = 0; i < columns.rows; ++i) {
      if (std::abs(columns(i, j)) > std::abs(largest)) largest = columns(i, j);
    }
    if (largest >= 0) continue;
    for (std::size_t i = 0; i < columns.rows; ++i) columns(i, j) = -columns(i, j);
  }
}

}  // namespace geotherm::detail
