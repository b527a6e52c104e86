// A context on the CPU and one on the GPU, and data to hold them against each other.
#pragma once

#include "checks.hpp"
#include "geotherm/device.hpp"
#include "geotherm/geotherm.hpp"

namespace gpu_tests {

using namespace geotherm;

/// Made once: threads, and the same with the GPU.
const Context& cpu();
const Context& gpu();

inline Matrix<double> roll(std::size_t n, std::uint64_t seed = 7, double noise = 0.2) {
  SynthOptions options;
  options.n = n;
  options.noise = noise;
  options.geodesic_limit = 0;
  return synthesize(Shape::swiss_roll, options, Context{.seed = seed}).X;
}
inline Matrix<double> made(Shape shape, std::size_t n, std::size_t dim, double noise,
                           std::uint64_t seed = 7) {
  SynthOptions options;
  options.n = n;
  options.dim = dim;
  options.noise = noise;
  options.geodesic_limit = 0;
  return synthesize(shape, options, Context{.seed = seed}).X;
}
inline Matrix<double> normal(std::size_t n, std::size_t dims, std::uint64_t seed = 7) {
  Matrix<double> points(n, dims);
  Rng rng(seed, "gpu_tests.normal");
  for (std::size_t k = 0; k < points.size(); ++k) points.data()[k] = rng.normal();
  return points;
}
inline Graph graph_of(const Matrix<double>& points) {
  return build_graph(find_neighbors(points.view(), {.knn = 10, .reach = 1}, cpu()), {}, cpu());
}
/// Largest |a - b| / |b| where b is at least `least`; infinite where one of the two is 0 alone.
inline double relative_error(const Matrix<double>& a, const Matrix<double>& b, double least) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double x = a.data()[k], y = b.data()[k];
    if (std::abs(y) < least) continue;
    most = std::fmax(most, std::abs(x - y) / std::abs(y));
  }
  return a.size() == b.size() ? most : INFINITY;
}
inline double absolute_error(const Matrix<double>& a, const Matrix<double>& b) {
  double most = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t k = 0; k < a.size(); ++k) {
    most = std::fmax(most, std::abs(a.data()[k] - b.data()[k]));
  }
  return most;
}
inline bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

}  // namespace gpu_tests
