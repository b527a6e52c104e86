// Curves, forks, loops and clouds with noise, as graphs, for the tests of this module.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::test {

struct Shape {
  Matrix<double> points;
  std::vector<double> time;   ///< distance from the beginning along the shape
  std::vector<Index> branch;  ///< 0: the trunk
};

inline void add_noise(Matrix<double>& points, double noise, std::uint64_t seed) {
  Rng rng(seed, "trajectory.test");
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] += noise * rng.normal();
}

/// n_arms lines of length 1 from the end of a trunk of length 1, in five dimensions; point 0 is its
/// beginning.
inline Shape fork(std::size_t n, std::size_t n_arms, double noise, std::uint64_t seed = 1) {
  Shape shape{Matrix<double>(n, 5), std::vector<double>(n), std::vector<Index>(n)};
  Rng rng(seed, "trajectory.test.fork");
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t branch = i == 0 ? 0 : rng.below(n_arms + 1);
    const double along = i == 0 ? 0 : rng.uniform();
    shape.branch[i] = static_cast<Index>(branch);
    shape.time[i] = branch == 0 ? along : 1 + along;
    shape.points(i, 0) = branch == 0 ? along : 1;
    if (branch > 0) shape.points(i, branch) = along;
  }
  add_noise(shape.points, noise, seed);
  return shape;
}

inline Shape circle(std::size_t n, double noise, std::uint64_t seed = 1) {
  Shape shape{Matrix<double>(n, 3), std::vector<double>(n), std::vector<Index>(n)};
  Rng rng(seed, "trajectory.test.circle");
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = i == 0 ? 0 : 2 * std::numbers::pi * rng.uniform();
    shape.points(i, 0) = std::cos(angle);
    shape.points(i, 1) = std::sin(angle);
    shape.time[i] = std::min(angle, 2 * std::numbers::pi - angle);
  }
  add_noise(shape.points, noise, seed);
  return shape;
}

inline Shape cloud(std::size_t n, std::size_t d, std::uint64_t seed = 1) {
  Shape shape{Matrix<double>(n, d), std::vector<double>(n), std::vector<Index>(n)};
  add_noise(shape.points, 1, seed);
  return shape;
}

inline Graph graph_of(const Matrix<double>& points, std::size_t knn = 10) {
  return build_graph(find_neighbors(points.view(), {.knn = knn, .reach = reach_of({})}));
}

/// Correlation of ranks.
inline double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  const auto ranks = [](const std::vector<double>& x) {
    std::vector<std::size_t> order(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto p, auto q) { return x[p] < x[q]; });
    std::vector<double> rank(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) rank[order[k]] = static_cast<double>(k);
    return rank;
  };
  const std::vector<double> p = ranks(a), q = ranks(b);
  const double middle = static_cast<double>(a.size() - 1) / 2;
  double pq = 0, pp = 0, qq = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    pq += (p[i] - middle) * (q[i] - middle);
    pp += (p[i] - middle) * (p[i] - middle);
    qq += (q[i] - middle) * (q[i] - middle);
  }
  return pq / std::sqrt(pp * qq);
}

}  // namespace geotherm::test
