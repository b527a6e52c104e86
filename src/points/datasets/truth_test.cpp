// Shortest paths and neighbours behind the true distances, against the plainest programs there are.
#include "points/datasets/truth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "points/datasets/shortest_paths.hpp"
#include "points/points_testing.hpp"

namespace geotherm {
namespace {

using testing::gaussian_table;
using testing::largest_difference;
using testing::same_bits;

double distance(const Matrix<double>& points, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t j = 0; j < points.cols(); ++j) sum += std::pow(points(a, j) - points(b, j), 2);
  return std::sqrt(sum);
}

/// Floyd and Warshall on the union of k nearest neighbours by a full sort.
Matrix<double> brute_force(const Matrix<double>& points, std::size_t k) {
  const std::size_t n = points.rows();
  Matrix<double> d(n, n, INFINITY);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return distance(points, i, a) < distance(points, i, b);
    });
    order.erase(std::find(order.begin(), order.end(), i));
    for (std::size_t r = 0; r < std::min(k, n - 1); ++r) {
      d(i, order[r]) = d(order[r], i) = distance(points, i, order[r]);
    }
    d(i, i) = 0;
  }
  for (std::size_t k2 = 0; k2 < n; ++k2) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) d(i, j) = std::min(d(i, j), d(i, k2) + d(k2, j));
    }
  }
  return d;
}

TEST(Truth, GraphDistancesAgreeWithFloydAndWarshall) {
  for (const std::size_t k : {5U, 10U}) {
    const Matrix<double> points = gaussian_table(200, 3, 1);
    const Matrix<double> d = detail::graph_distances(points, k, {});
    // Sums of a few dozen steps in different orders.
    EXPECT_LT(largest_difference(d, brute_force(points, k)), 1e-13);
    for (std::size_t i = 0; i < 200; ++i) {
      for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(d(i, j), d(j, i));
    }
  }
}

TEST(Truth, EuclideanDistancesAgreeWithTheirDefinition) {
  const Matrix<double> points = gaussian_table(300, 7, 2);
  const Matrix<double> d = detail::euclidean_distances(points, {});
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t j = 0; j < 300; ++j) EXPECT_NEAR(d(i, j), distance(points, i, j), 1e-14 * 10);
  }
}

TEST(Truth, PiecesAreJoinedWhereTheyAreClosest) {
  // Three far groups on a line, each a unit grid of four; two neighbours do not reach across.
  Matrix<double> points(12, 1);
  const double starts[3] = {0, 100, 300};
  for (std::size_t i = 0; i < 12; ++i) {
    points(i, 0) = starts[i / 4] + static_cast<double>(i % 4);
  }
  const Matrix<double> d = detail::graph_distances(points, 2, {});
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 12; ++j) {
      EXPECT_DOUBLE_EQ(d(i, j), std::abs(points(i, 0) - points(j, 0)));
    }
  }
}

TEST(Truth, ManagesDuplicatesAndTwoPoints) {
  Matrix<double> points(30, 2);  // more equal points than neighbours, in three places
  for (std::size_t i = 0; i < 30; ++i) points(i, 0) = static_cast<double>(i % 3);
  const Matrix<double> d = detail::graph_distances(points, 4, {});
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t j = 0; j < 30; ++j) {
      EXPECT_DOUBLE_EQ(d(i, j), std::abs(points(i, 0) - points(j, 0)));
    }
  }
  const Matrix<double> two = gaussian_table(2, 3, 3);
  EXPECT_EQ(detail::graph_distances(two, 10, {})(0, 1), distance(two, 0, 1));
}

TEST(Truth, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> points = gaussian_table(700, 4, 4);
  const Matrix<double> along = detail::graph_distances(points, 6, {});
  const Matrix<double> straight = detail::euclidean_distances(points, {});
  testing::with_threads(0, [&](const Context& context) {
    EXPECT_TRUE(same_bits(detail::graph_distances(points, 6, context), along));
    EXPECT_TRUE(same_bits(detail::euclidean_distances(points, context), straight));
  });
}

TEST(ShortestPaths, LeaveUnreachablePointsAtInfinity) {
  const SparseMatrix graph =
      sparse_from_triplets(4, 4, {{0, 1, 2.0}, {1, 0, 2.0}, {2, 3, 1.0}, {3, 2, 1.0}});
  std::vector<double> lengths(4);
  detail::shortest_paths_from(graph, 1, lengths);
  EXPECT_EQ(lengths, (std::vector<double>{2, 0, INFINITY, INFINITY}));
}

}  // namespace
}  // namespace geotherm
