// A torus of radii 3 and 1, uniform by area. Its geodesics have no closed form: true distances are
// shortest paths along the noise-free points. The coordinates are the two angles, t the large one.
#include <cmath>
#include <numbers>

#include "points/datasets/sample.hpp"
#include "points/datasets/truth.hpp"

namespace geotherm::detail {

Sample sample_torus(const SynthOptions& options, std::size_t /*dim*/, const Context& context) {
  constexpr double large = 3;
  constexpr double small = 1;
  const std::size_t n = options.n;
  Sample sample{Matrix<double>(n, 3), Matrix<double>(n, 2), std::vector<double>(n), {}};
  draw_points(context, "torus.angles", n, [&](Rng& rng, std::size_t i) {
    const double around = 2 * std::numbers::pi * rng.uniform();
    // The area of a strip grows with its distance from the axis, so strips are kept by that share.
    double across = 0, from_axis = 0;
    do {
      across = 2 * std::numbers::pi * rng.uniform();
      from_axis = large + small * std::cos(across);
    } while (rng.uniform() * (large + small) >= from_axis);
    sample.points(i, 0) = from_axis * std::cos(around);
    sample.points(i, 1) = from_axis * std::sin(around);
    sample.points(i, 2) = small * std::sin(across);
    sample.coordinates(i, 0) = sample.t[i] = around;
    sample.coordinates(i, 1) = across;
  });
  return sample;
}

Matrix<double> torus_distances(const Sample& sample, const Context& context) {
  return graph_distances(sample.points, 12, context);
}

}  // namespace geotherm::detail
