// Kernel at half a time -> the diagonal at that time, by a low-rank part and random probes.
#include "heat/estimated_diagonal.hpp"

#include <algorithm>

#include "core/transposed.hpp"
#include "linalg/blas.hpp"
#include "points/orthonormal_rows.hpp"

namespace geotherm::detail {
namespace {

// Random vectors: those that span most of the kernel's range, those for the rest.
constexpr std::size_t n_in_range = 192;
constexpr std::size_t n_probes = 64;

Matrix<double> rademacher(std::size_t n, std::size_t count, std::string_view purpose,
                            const Context& context) {
  Matrix<double> signs = Matrix<double>::uninitialized(n, count);
  for (std::size_t s = 0; s < count; ++s) {
    Rng rng(context.seed, purpose, s);
    for (std::size_t i = 0; i < n; ++i) signs(i, s) = rng.uniform() < 0.5 ? -1.0 : 1.0;
  }
  return signs;
}

}  // namespace

/// h_t(i, i) = |row i of A|^2 with A = h_t/2. Heat is smooth, so A has most of itself in the span Q
/// of its products with a few random vectors: |row i of A Q|^2, and what is left by Rademacher probes z
/// without their part in Q, E (A z)_i^2 (Hutch++, Meyer, Musco, Musco and Woodruff 2021, for a diagonal).
std::vector<double> estimated_diagonal(const DiffusionKernel& half_time, const Context& context) {
  const std::size_t n = half_time.size(), n_range = std::min(n_in_range, n / 2);
  Matrix<double> range = transposed(
      half_time.apply(rademacher(n, n_range, "diagonal.range", context), context), context);
  orthonormalize_rows(range, 0, context);
  std::vector<double> diagonal(n);
  const auto add_squares = [&](const Matrix<double>& heat, double share) {
    for (std::size_t i = 0; i < n; ++i) {
      for (const double h : heat.row(i)) diagonal[i] += share * h * h;
    }
  };
  add_squares(half_time.apply(transposed(range, context), context), 1);
  Matrix<double> rest = rademacher(n, n_probes, "diagonal.probes", context);
  Matrix<double> inside = Matrix<double>::uninitialized(n_range, n_probes);
  gemm(1, range, false, rest, false, 0, inside.view());
  gemm(-1, range, true, inside, false, 1, rest.view());
  add_squares(half_time.apply(rest, context), 1 / static_cast<double>(n_probes));
  return diagonal;
}

}  // namespace geotherm::detail
