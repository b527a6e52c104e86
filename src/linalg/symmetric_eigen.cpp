// By LAPACK's divide and conquer where the BLAS of the build carries it (OpenBLAS does), several
// times as fast as Eigen's QR steps on matrices of a thousand rows; by Eigen elsewhere and for
// small ones.
#include "linalg/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/blas_area.hpp"

#ifdef GEOTHERM_WITH_BLAS
// Weak: a BLAS without LAPACK leaves it null.
extern "C" __attribute__((weak)) void dsyevd_(const char* job, const char* triangle, const int* n,
                                              double* a, const int* leading, double* values,
                                              double* work, const int* n_work, int* integers,
                                              const int* n_integers, int* info);
#endif

namespace geotherm::detail {
namespace {

constexpr std::size_t worth_lapack = 128;

/// False where LAPACK is not there or did not finish.
bool by_lapack([[maybe_unused]] MatrixView<const double> matrix,
               [[maybe_unused]] SymmetricEigen& result) {
#ifdef GEOTHERM_WITH_BLAS
  if (dsyevd_ == nullptr || matrix.rows < worth_lapack) return false;
  const BlasTurn turn;
  const std::size_t n = matrix.rows;
  // Rows of a symmetric matrix are its columns.
  auto a = Matrix<double>::uninitialized(n, n);
  for (std::size_t i = 0; i < n; ++i) std::ranges::copy(matrix.row(i), a.row(i).begin());
  const int order = static_cast<int>(n);
  int info = 0, n_integers = -1, n_work = -1;
  double best_work = 0;
  int best_integers = 0;
  dsyevd_("V", "U", &order, a.data(), &order, result.values.data(), &best_work, &n_work,
          &best_integers, &n_integers, &info);
  if (info != 0) return false;
  n_work = static_cast<int>(best_work);
  n_integers = best_integers;
  auto work = std::vector<double>(static_cast<std::size_t>(n_work));
  std::vector<int> integers(static_cast<std::size_t>(n_integers));
  dsyevd_("V", "U", &order, a.data(), &order, result.values.data(), work.data(), &n_work,
          integers.data(), &n_integers, &info);
  if (info != 0) return false;
  work = {};
  result.vectors = Matrix<double>::uninitialized(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto vector = a.row(j);
    for (std::size_t i = 0; i < n; ++i) result.vectors(i, j) = vector[i];
  }
  return true;
#else
  return false;
#endif
}

void by_eigen(MatrixView<const double> matrix, SymmetricEigen& result) {
  const std::size_t n = matrix.rows;
  const Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>> a(
      matrix.data, static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n),
      Eigen::OuterStride<>(static_cast<Eigen::Index>(matrix.stride)));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
  result.vectors = Matrix<double>::uninitialized(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    result.values[j] = solver.eigenvalues()[column];
    for (std::size_t i = 0; i < n; ++i) {
      result.vectors(i, j) = solver.eigenvectors()(static_cast<Eigen::Index>(i), column);
    }
  }
}

}  // namespace

SymmetricEigen symmetric_eigen(MatrixView<const double> matrix) {
  const std::size_t n = matrix.rows;
  SymmetricEigen result{std::vector<double>(n), {}};
  if (n == 0) return result;
  if (!by_lapack(matrix, result)) by_eigen(matrix, result);
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
