// Kneedle (Satopaa, Albrecht, Irwin, Raghavan 2011) for a concave rising curve, offline form. The
// curve is taken as smooth: no spline is fitted.
#include <algorithm>
#include <string>

#include "geotherm/heat.hpp"

namespace geotherm {

std::optional<std::size_t> find_knee(std::span<const double> x, std::span<const double> y,
                                     double sensitivity) {
  if (x.size() != y.size()) {
    throw InvalidArgument("x has " + std::to_string(x.size()) + " values, y has " +
                          std::to_string(y.size()) + ": give as many of both");
  }
  const std::size_t n = x.size();
  if (n < 3) return std::nullopt;
  const auto [x_low, x_high] = std::minmax_element(x.begin(), x.end());
  const auto [y_low, y_high] = std::minmax_element(y.begin(), y.end());
  if (!(*x_high > *x_low) || !(*y_high > *y_low)) return std::nullopt;

  // How far the curve, scaled to the unit square, is above its diagonal.
  std::vector<double> above(n);
  for (std::size_t i = 0; i < n; ++i) {
    above[i] = (y[i] - *y_low) / (*y_high - *y_low) - (x[i] - *x_low) / (*x_high - *x_low);
  }
  const double mean_spacing = 1 / static_cast<double>(n - 1);

  // A local maximum is the knee once the curve falls below its threshold before the next one; a
  // local minimum on the way resets the threshold.
  std::optional<std::size_t> candidate;
  double threshold = 0;
  for (std::size_t i = 1; i < n; ++i) {
    const bool has_next = i + 1 < n;
    if (has_next && above[i] >= above[i - 1] && above[i] > above[i + 1]) {
      candidate = i;
      threshold = above[i] - sensitivity * mean_spacing;
      continue;
    }
    if (!candidate) continue;
    if (above[i] < threshold) return candidate;
    if (has_next && above[i] <= above[i - 1] && above[i] < above[i + 1]) threshold = 0;
  }
  return std::nullopt;
}

}  // namespace geotherm
