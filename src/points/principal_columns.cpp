// Whether a table has been through PCA already.
#include <algorithm>
#include <cmath>

#include "geotherm/points.hpp"
#include "points/columns.hpp"

namespace geotherm {
namespace {

bool are_principal(const detail::TableSource& points, const Context& context) {
  // Components of the whole are not quite uncorrelated in a part of the rows, so a share of chance
  // is allowed for; independent columns that also happen to fall in variance are hardly ever met.
  const std::size_t d = points.cols();
  const std::size_t n = points.rows();
  if (d < 2 || n < 3) return false;
  const std::vector<double> peaks = detail::column_peaks(points, context);
  std::vector<double> scales(d, 1);
  for (std::size_t c = 0; c < d; ++c) scales[c] = detail::exact_scale(peaks[c]);
  const std::vector<double> means = detail::column_means(points, scales, context);
  Matrix<double> products(d, d);
  std::vector<double> row(d), scratch;
  for (std::size_t i = 0; i < n; ++i) {
    const double* values = points.row(i, scratch);
    for (std::size_t c = 0; c < d; ++c) row[c] = values[c] * scales[c] - means[c];
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b <= a; ++b) products(a, b) += row[a] * row[b];
    }
  }
  const double most_correlated = 5 / std::sqrt(static_cast<double>(n));
  for (std::size_t a = 0; a < d; ++a) {
    if (!(products(a, a) > 0)) return false;
    if (a > 0) {
      const double here = std::sqrt(products(a, a)) / scales[a];
      const double before = std::sqrt(products(a - 1, a - 1)) / scales[a - 1];
      if (here > before * (1 + most_correlated)) return false;
    }
    for (std::size_t b = 0; b < a; ++b) {
      const double correlation = products(a, b) / std::sqrt(products(a, a) * products(b, b));
      if (std::abs(correlation) > most_correlated) return false;
    }
  }
  return true;
}

}  // namespace

bool is_principal_components(MatrixView<const double> points, const Context& context) {
  return are_principal(points, context);
}
bool is_principal_components(MatrixView<const float> points, const Context& context) {
  return are_principal(points, context);
}

}  // namespace geotherm
