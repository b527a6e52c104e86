#include "points/orthonormal_rows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace geotherm::detail {
namespace {

double norm_of(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// Takes from row r its parts along the rows before it (classical Gram-Schmidt, one pass).
void project_out(Matrix<double>& rows, std::size_t r, const Context& context) {
  const std::span<double> v = rows.row(r);
  std::vector<double> parts(r, 0.0);
  parallel_for(context, r, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::span<const double> u = rows.row(k);
      for (std::size_t j = 0; j < v.size(); ++j) parts[k] += u[j] * v[j];
    }
  });
  parallel_for(context, v.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < r; ++k) {
      const std::span<const double> u = rows.row(k);
      for (std::size_t j = begin; j < end; ++j) v[j] -= parts[k] * u[j];
    }
  });
}

/// The length that is left after projecting out twice; the row is then of length 1, or useless.
double orthogonalize(Matrix<double>& rows, std::size_t r, const Context& context) {
  const std::span<double> v = rows.row(r);
  double left = norm_of(v);
  if (left == 0) return 0;
  for (double& x : v) x /= left;
  // One pass leaves rounding errors magnified by the cancellation; the second removes them.
  double length = 1;
  for (int pass = 0; pass < 2; ++pass) {
    project_out(rows, r, context);
    left = norm_of(v);
    length *= left;
    if (left == 0) return 0;
    for (double& x : v) x /= left;
  }
  return length;
}

}  // namespace

void orthonormalize_rows(Matrix<double>& rows, std::size_t first, const Context& context) {
  // How much of each axis the rows so far cover; the least covered one is the safest new direction.
  std::vector<double> covered(rows.cols(), 0.0);
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::span<double> v = rows.row(r);
    context.report_or_throw({.stage = "orthogonal rows", .done = r, .total = rows.rows()});
    // A row that loses all but a hundredth of its length was rounding noise.
    if (r >= first && orthogonalize(rows, r, context) < 0.01) {
      const auto axis = std::min_element(covered.begin(), covered.end()) - covered.begin();
      std::fill(v.begin(), v.end(), 0.0);
      v[static_cast<std::size_t>(axis)] = 1;
      orthogonalize(rows, r, context);
    }
    for (std::size_t j = 0; j < v.size(); ++j) covered[j] += v[j] * v[j];
  }
}

void fix_row_signs(Matrix<double>& rows) {
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    const std::span<double> v = rows.row(r);
    double largest = 0;
    for (const double x : v) {
      if (std::abs(x) > std::abs(largest)) largest = x;
    }
    if (largest >= 0) continue;
    for (double& x : v) x = -x;
  }
}

}  // namespace geotherm::detail
