// Rows of the kernel, or the kernel at half a time -> its diagonal, by a low-rank part and random
// probes.
#include "heat/estimated_diagonal.hpp"

#include <algorithm>
#include <cmath>

#include "heat/rademacher.hpp"
#include "linalg/blas.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t n_probes = 64;
// Eigenvalues below this share of the largest are rounding, or matter to nobody.
constexpr double least_eigenvalue = 1e-9;

/// Columns that make W = H(P, P) the identity: F^T W F = 1 on the eigenvectors kept, one per row.
Matrix<double> whitening(const Matrix<double>& rows, std::span<const Index> points) {
  const std::size_t r = points.size();
  auto among = Matrix<double>::uninitialized(r, r);
  for (std::size_t a = 0; a < r; ++a) {
    for (std::size_t b = 0; b < r; ++b) {
      const auto i = static_cast<std::size_t>(points[a]), j = static_cast<std::size_t>(points[b]);
      among(a, b) = 0.5 * (rows(a, j) + rows(b, i));
    }
  }
  const SymmetricEigen eigen = symmetric_eigen(among);
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < r; ++k) {
    if (eigen.values[k] > least_eigenvalue * eigen.values.back()) kept.push_back(k);
  }
  auto result = Matrix<double>::uninitialized(kept.size(), r);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const double root = std::sqrt(eigen.values[kept[k]]);
    for (std::size_t a = 0; a < r; ++a) result(k, a) = eigen.vectors(a, kept[k]) / root;
  }
  return result;
}

}  // namespace

/// With A = h_t/2 and P the columns of A at `points`, h_t = A A is nearly A Q Q^T A, Q an
/// orthonormal basis of P, since heat is smooth (Nystrom: C^T W^-1 C with C = A P, the rows given,
/// and W = P^T P, their columns at the points). What is left is seen by Rademacher probes z without
/// their part in Q: E (A z - C^T W^-1 P^T z)_i^2, where P^T z is A z at the points (Hutch++, Meyer,
/// Musco, Musco and Woodruff 2021; Persson, Cortinovis and Kressner 2022).
std::vector<double> estimated_diagonal(const Matrix<double>& rows, std::span<const Index> points,
                                       const DiffusionKernel& half_time, const Context& context) {
  const std::size_t n = half_time.size(), r = points.size();
  const Matrix<double> factor = whitening(rows, points);
  auto basis = Matrix<double>::uninitialized(factor.rows(), n);  // Q^T A
  gemm(1, factor, false, rows, false, 0, basis.view());
  std::vector<double> diagonal(n);
  for (std::size_t k = 0; k < basis.rows(); ++k) {
    for (std::size_t i = 0; i < n; ++i) diagonal[i] += basis(k, i) * basis(k, i);
  }
  Matrix<double> rest =
      half_time.apply(rademacher_probes(n, n_probes, "diagonal.probes", context), context);
  auto there = Matrix<double>::uninitialized(r, n_probes);
  for (std::size_t p = 0; p < r; ++p) {
    std::ranges::copy(rest.row(static_cast<std::size_t>(points[p])), there.row(p).begin());
  }
  auto inside = Matrix<double>::uninitialized(factor.rows(), n_probes);
  gemm(1, factor, false, there, false, 0, inside.view());
  gemm(-1, basis, true, inside, false, 1, rest.view());
  add_row_squares(rest, 1 / static_cast<double>(n_probes), diagonal);
  return diagonal;
}

Matrix<double> estimated_diagonals(const Laplacian& laplacian, std::span<const double> times,
                                   std::size_t n_probes, std::string_view purpose,
                                   const Context& context) {
  const std::size_t n = laplacian.size();
  std::vector<double> halves(times.begin(), times.end());
  for (double& time : halves) time /= 2;
  Matrix<double> diagonals(times.size(), n);
  constexpr std::size_t width = 16;  // probes at a time: memory times x n x 16
  for (std::size_t first = 0; first < n_probes; first += width) {
    const std::size_t count = std::min(width, n_probes - first);
    const Matrix<double> probes = rademacher_probes(n, count, purpose, context, first);
    // A diagonal is seen to a percent or so: six digits are plenty.
    const auto spread = heat_apply_times(laplacian, probes, halves, 1e-6, context);
    for (std::size_t s = 0; s < times.size(); ++s) {
      add_row_squares(spread[s], 1, diagonals.row(s));
    }
  }
  for (std::size_t k = 0; k < diagonals.size(); ++k) {
    diagonals.data()[k] /= static_cast<double>(n_probes);
  }
  return diagonals;
}

}  // namespace geotherm::detail
