// Columns -> what brings them to one scale.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/median.hpp"
#include "geotherm/columns.hpp"
#include "geotherm/points.hpp"

namespace geotherm {
namespace {

struct Moments {
  double mean = 0;
  double deviation = 0;  ///< 0 where the spread is within the rounding of the values
};

// Two passes in the column's own unit, so that squares neither overflow nor vanish.
Moments moments_of(MatrixView<const double> points, std::size_t column) {
  double peak = 0;
  for (std::size_t i = 0; i < points.rows; ++i) peak = std::max(peak, std::abs(points(i, column)));
  if (peak == 0) return {};
  const double unit = std::ldexp(1.0, std::ilogb(peak)), n = static_cast<double>(points.rows);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < points.rows; ++i) sum += points(i, column) / unit;
  const double mean = sum / n;
  for (std::size_t i = 0; i < points.rows; ++i) {
    const double offset = points(i, column) / unit - mean;
    squares += offset * offset;
  }
  const double deviation = std::sqrt(squares / n);
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  return {mean * unit, deviation > rounding ? deviation * unit : 0};
}

Moments robust_moments_of(MatrixView<const double> points, std::size_t column) {
  std::vector<double> values(points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) values[i] = points(i, column);
  const double middle = detail::median(values);
  for (double& value : values) value = std::abs(value - middle);
  constexpr double of_a_normal = 1.4826;  // deviation over median deviation
  return {middle, of_a_normal * detail::median(std::move(values))};
}

}  // namespace

std::optional<ColumnScaling> column_scaling_named(std::string_view name) {
  if (name == "none") return ColumnScaling::none;
  if (name == "standardise" || name == "standardize") return ColumnScaling::standardise;
  if (name == "robust") return ColumnScaling::robust;
  return std::nullopt;
}

std::vector<double> column_deviations(MatrixView<const double> points) {
  std::vector<double> deviations;
  for (std::size_t j = 0; j < points.cols; ++j) {
    deviations.push_back(moments_of(points, j).deviation);
  }
  return deviations;
}

ColumnScales column_scales(MatrixView<const double> points, ColumnScaling scaling,
                           const Context& context) {
  require_finite(points);
  const bool is_none = scaling == ColumnScaling::none;
  ColumnScales scales{std::vector<double>(points.cols, 0.0), std::vector<double>(points.cols, 1.0)};
  if (is_none) return scales;
  parallel_for(context, points.cols, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      Moments found = moments_of(points, j);
      if (scaling == ColumnScaling::robust && found.deviation > 0) {
        const Moments robust = robust_moments_of(points, j);
        if (robust.deviation > 0) found = robust;
      }
      scales.shift[j] = found.mean;
      if (found.deviation > 0) scales.scale[j] = 1 / found.deviation;
    }
  });
  return scales;
}

void apply_scales(const ColumnScales& scales, MatrixView<double> points, const Context& context) {
  parallel_for(context, points.rows, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = points.row(i);
      for (std::size_t j = 0; j < points.cols; ++j) {
        row[j] = (row[j] - scales.shift[j]) * scales.scale[j];
      }
    }
  });
}

}  // namespace geotherm
