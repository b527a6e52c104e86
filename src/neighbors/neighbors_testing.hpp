// What the tests of this module share: point clouds, plain loops as the oracle, comparisons.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "geotherm/neighbors.hpp"

namespace geotherm::testing {

template <class T = double>
Matrix<T> gaussian_points(std::size_t n, std::size_t d, std::uint64_t seed = 1) {
  Rng rng(seed, "test.points");
  Matrix<T> points(n, d);
  for (std::size_t k = 0; k < points.size(); ++k) points.data()[k] = static_cast<T>(rng.normal());
  return points;
}

/// Small integers: most distances occur many times, and all sums are exact.
template <class T = double>
Matrix<T> grid_points(std::size_t n, std::size_t d, std::uint64_t levels, std::uint64_t seed = 2) {
  Rng rng(seed, "test.grid");
  Matrix<T> points(n, d);
  for (std::size_t k = 0; k < points.size(); ++k) {
    points.data()[k] = static_cast<T>(rng.below(levels));
  }
  return points;
}

template <class T>
double plain_distance(std::span<const T> a, std::span<const T> b, Metric metric) {
  const std::size_t d = a.size();
  std::vector<double> x(a.begin(), a.end()), y(b.begin(), b.end());
  if (metric == Metric::euclidean || metric == Metric::manhattan) {
    double sum = 0;
    for (std::size_t c = 0; c < d; ++c) {
      const double gap = x[c] - y[c];
      sum += metric == Metric::manhattan ? std::abs(gap) : gap * gap;
    }
    return metric == Metric::manhattan ? sum : std::sqrt(sum);
  }
  const auto centre = [&](std::vector<double>& v) {
    double mean = 0;
    for (const double e : v) mean += e / static_cast<double>(d);
    for (double& e : v) e -= mean;
  };
  if (metric == Metric::correlation) {
    centre(x);
    centre(y);
  }
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t c = 0; c < d; ++c) {
    xx += x[c] * x[c];
    yy += y[c] * y[c];
    xy += x[c] * y[c];
  }
  return 1 - xy / std::sqrt(xx * yy);
}

/// Sorts all others of each point by (distance, index) and cuts.
template <class T>
NeighborLists plain_neighbors(const Matrix<T>& points, std::size_t knn, double reach,
                              Metric metric) {
  NeighborLists lists;
  lists.n_points = points.rows();
  lists.knn = knn;
  lists.reach = reach;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    std::vector<std::pair<double, Index>> all;
    for (std::size_t j = 0; j < points.rows(); ++j) {
      if (j == i) continue;
      all.push_back({plain_distance<T>(points.row(i), points.row(j), metric), Index(j)});
    }
    std::sort(all.begin(), all.end());
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k >= knn && (reach == 1 || all[k].first > reach * all[knn - 1].first)) break;
      lists.indices.push_back(all[k].second);
      lists.distances.push_back(all[k].first);
    }
    lists.offsets.push_back(lists.indices.size());
  }
  return lists;
}

/// To the bit.
inline void expect_same(const NeighborLists& a, const NeighborLists& b) {
  EXPECT_EQ(a.n_points, b.n_points);
  EXPECT_EQ(a.knn, b.knn);
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.indices, b.indices);
  EXPECT_EQ(a.distances, b.distances);
}

/// Same neighbours; distances to a relative tolerance (plus the same of `scale`).
inline void expect_close(const NeighborLists& a, const NeighborLists& b, double tolerance,
                         double scale = 0) {
  ASSERT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.indices, b.indices);
  for (std::size_t k = 0; k < a.distances.size(); ++k) {
    ASSERT_NEAR(a.distances[k], b.distances[k], tolerance * (b.distances[k] + scale)) << k;
  }
}

}  // namespace geotherm::testing
