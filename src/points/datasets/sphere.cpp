// The unit sphere, uniform by area; true distances are great circles. The coordinates are the unit
// vectors themselves, t is the angle from the pole.
#include <cmath>
#include <numbers>

#include "points/datasets/sample.hpp"
#include "points/datasets/truth.hpp"

namespace geotherm::detail {

Sample sample_sphere(const SynthOptions& options, std::size_t /*dim*/, const Context& context) {
  const std::size_t n = options.n;
  Sample sample{Matrix<double>(n, 3), {}, std::vector<double>(n), {}};
  draw_points(context, "sphere.points", n, [&](Rng& rng, std::size_t i) {
    // Archimedes: the height of a uniform point is uniform.
    const double z = 2 * rng.uniform() - 1;
    const double angle = 2 * std::numbers::pi * rng.uniform();
    const double radius = std::sqrt((1 - z) * (1 + z));
    sample.points(i, 0) = radius * std::cos(angle);
    sample.points(i, 1) = radius * std::sin(angle);
    sample.points(i, 2) = z;
    sample.t[i] = std::acos(z);
  });
  sample.coordinates = sample.points;
  return sample;
}

Matrix<double> sphere_distances(const Sample& sample, const Context& context) {
  const Matrix<double>& x = sample.coordinates;
  return pairwise_distances(x.rows(), context, [&](std::size_t i, std::span<double> row) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      // Kahan's angle between unit vectors: accurate for close and for opposite points alike,
      // where the arc cosine of the product loses half of the digits.
      double apart = 0, along = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        apart += (x(i, k) - x(j, k)) * (x(i, k) - x(j, k));
        along += (x(i, k) + x(j, k)) * (x(i, k) + x(j, k));
      }
      row[j] = 2 * std::atan2(std::sqrt(apart), std::sqrt(along));
    }
  });
}

}  // namespace geotherm::detail
