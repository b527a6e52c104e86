// By LAPACK where the BLAS of the build carries it: its divide and conquer is ten times as fast as
// Eigen's QR steps on some hundred rows, its values alone three times. By Eigen elsewhere.
#include "linalg/tridiagonal_eigen.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "core/blas_area.hpp"

#ifdef GEOTHERM_WITH_BLAS
// Weak: a BLAS without LAPACK leaves them null.
extern "C" {
__attribute__((weak)) void dstedc_(const char* job, const int* n, double* diagonal, double* beside,
                                   double* vectors, const int* leading, double* work,
                                   const int* n_work, int* integers, const int* n_integers,
                                   int* info);
__attribute__((weak)) void dsterf_(const int* n, double* diagonal, double* beside, int* info);
}
#endif

namespace geotherm::detail {
namespace {

// Both give false where LAPACK is not there or did not finish. `values` begins as the diagonal.
bool values_by_lapack([[maybe_unused]] std::vector<double>& values,
                      [[maybe_unused]] std::vector<double> beside) {
#ifdef GEOTHERM_WITH_BLAS
  if (dsterf_ == nullptr) return false;
  const BlasTurn turn;
  const int n = static_cast<int>(values.size());
  int info = 0;
  dsterf_(&n, values.data(), beside.data(), &info);
  return info == 0;
#else
  return false;
#endif
}

bool vectors_by_lapack([[maybe_unused]] TridiagonalEigen& result,
                       [[maybe_unused]] std::vector<double> beside) {
#ifdef GEOTHERM_WITH_BLAS
  if (dstedc_ == nullptr) return false;
  const BlasTurn turn;
  const std::size_t size = result.values.size();
  const int n = static_cast<int>(size);
  const int n_work = 1 + 4 * n + n * n, n_integers = 3 + 5 * n;
  std::vector<double> work(static_cast<std::size_t>(n_work));
  std::vector<int> integers(static_cast<std::size_t>(n_integers));
  result.vectors = Matrix<double>(size, size);
  int info = 0;
  dstedc_("I", &n, result.values.data(), beside.data(), result.vectors.data(), &n, work.data(),
          &n_work, integers.data(), &n_integers, &info);
  return info == 0;
#else
  return false;
#endif
}

Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> by_eigen(std::span<const double> diagonal,
                                                        std::span<const double> beside, int what) {
  const auto n = static_cast<Eigen::Index>(diagonal.size());
  const Eigen::Map<const Eigen::VectorXd> d(diagonal.data(), n), e(beside.data(), n - 1);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(d, e, what);
  return solver;
}

}  // namespace

TridiagonalEigen tridiagonal_eigen(std::span<const double> diagonal,
                                   std::span<const double> beside) {
  TridiagonalEigen result{{diagonal.begin(), diagonal.end()}, {}};
  if (vectors_by_lapack(result, {beside.begin(), beside.end()})) return result;
  const auto solver = by_eigen(diagonal, beside, Eigen::ComputeEigenvectors);
  std::ranges::copy(solver.eigenvalues(), result.values.begin());
  const std::size_t n = diagonal.size();
  result.vectors = Matrix<double>(n, n);
  for (std::size_t r = 0; r < n; ++r) {
    std::ranges::copy(solver.eigenvectors().col(static_cast<Eigen::Index>(r)),
                      result.vectors.row(r).begin());
  }
  return result;
}

std::vector<double> tridiagonal_values(std::span<const double> diagonal,
                                       std::span<const double> beside) {
  std::vector<double> values(diagonal.begin(), diagonal.end());
  if (values_by_lapack(values, {beside.begin(), beside.end()})) return values;
  const auto solver = by_eigen(diagonal, beside, Eigen::EigenvaluesOnly);
  std::ranges::copy(solver.eigenvalues(), values.begin());
  return values;
}

}  // namespace geotherm::detail
