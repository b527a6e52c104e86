// Kernel at half a time -> the diagonal at that time, by a low-rank part and random probes.
#include "heat/estimated_diagonal.hpp"

#include <algorithm>

#include "core/transposed.hpp"
#include "heat/rademacher.hpp"
#include "linalg/blas.hpp"
#include "points/orthonormal_rows.hpp"

namespace geotherm::detail {
namespace {

// Random vectors: those that span most of the kernel's range, those for the rest.
constexpr std::size_t n_in_range = 192;
constexpr std::size_t n_rest = 64;

}  // namespace

/// h_t(i, i) = |row i of A|^2 with A = h_t/2. Heat is smooth, so A has most of itself in the span Q
/// of its products with a few random vectors: |row i of A Q|^2, and what is left by Rademacher probes z
/// without their part in Q, E (A z)_i^2 (Hutch++, Meyer, Musco, Musco and Woodruff 2021, for a diagonal).
std::vector<double> estimated_diagonal(const DiffusionKernel& half_time, const Context& context) {
  const std::size_t n = half_time.size(), n_range = std::min(n_in_range, n / 2);
  Matrix<double> range = transposed(
      half_time.apply(rademacher_probes(n, n_range, "diagonal.range", context), context), context);
  orthonormalize_rows(range, 0, context);
  std::vector<double> diagonal(n);
  add_row_squares(half_time.apply(transposed(range, context), context), 1, diagonal);
  Matrix<double> rest = rademacher_probes(n, n_rest, "diagonal.probes", context);
  Matrix<double> inside = Matrix<double>::uninitialized(n_range, n_rest);
  gemm(1, range, false, rest, false, 0, inside.view());
  gemm(-1, range, true, inside, false, 1, rest.view());
  add_row_squares(half_time.apply(rest, context), 1 / static_cast<double>(n_rest), diagonal);
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
