// The unit circle, angles uniform; true distances are arcs.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "points/datasets/sample.hpp"
#include "points/datasets/truth.hpp"

namespace geotherm::detail {

Sample sample_circle(const SynthOptions& options, std::size_t /*dim*/, const Context& context) {
  const std::size_t n = options.n;
  Sample sample{Matrix<double>(n, 2), Matrix<double>(n, 1), std::vector<double>(n), {}};
  draw_points(context, "circle.angles", n, [&](Rng& rng, std::size_t i) {
    const double angle = 2 * std::numbers::pi * rng.uniform();
    sample.points(i, 0) = std::cos(angle);
    sample.points(i, 1) = std::sin(angle);
    sample.coordinates(i, 0) = sample.t[i] = angle;
  });
  return sample;
}

Matrix<double> circle_distances(const Sample& sample, const Context& context) {
  const Matrix<double>& angles = sample.coordinates;
  return pairwise_distances(angles.rows(), context, [&](std::size_t i, std::span<double> row) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double between = std::abs(angles(i, 0) - angles(j, 0));
      row[j] = std::min(between, 2 * std::numbers::pi - between);
    }
  });
}

}  // namespace geotherm::detail
