// Precision at k against sets of neighbours found by hand and by sorting.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "geotherm/metrics.hpp"
#include "metrics/test_points.hpp"

namespace geotherm {
namespace {

using namespace testing;

std::set<std::size_t> nearest(const Matrix<double>& d, std::size_t i, std::size_t k) {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < d.rows(); ++j) {
    if (j != i) order.push_back(j);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return d(i, a) < d(i, b); });
  return {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k)};
}

TEST(Precision, IsTheShareOfTrueNeighboursFoundAgain) {
  auto points = random_points(60, 3, 1), map = random_points(60, 2, 2);
  for (std::size_t k = 0; k < 3; ++k) points(7, k) = points(8, k);  // a duplicate
  const auto a = pairwise_distances(points), b = pairwise_distances(map);
  for (const std::size_t k : {1, 5, 59}) {
    std::size_t shared = 0;
    for (std::size_t i = 0; i < 60; ++i) {
      const auto expected = nearest(a, i, k);
      for (const std::size_t j : nearest(b, i, k)) shared += expected.count(j);
    }
    const double expected = static_cast<double>(shared) / (60.0 * static_cast<double>(k));
    EXPECT_DOUBLE_EQ(precision_at_knn({.distances = a}, {.distances = b}, {.knn = k}), expected);
    EXPECT_DOUBLE_EQ(precision_at_knn({.coordinates = points}, {.coordinates = map}, {.knn = k}),
                     expected);
  }
}

TEST(Precision, IsOneForTheSameOrderAndSettlesTiesByIndex) {
  const auto points = random_points(30, 3, 3);
  EXPECT_EQ(precision_at_knn({.coordinates = points}, {.coordinates = times(points, 1e-200)}), 1.0);
  // All points equal: the nearest of i are the lowest indices. On a line they are beside it.
  const Matrix<double> equal(4, 1);
  const auto line = matrix_of({{0}, {1}, {2.1}, {3.3}});
  // k = 1: truth 1,0,0,0 (ties by index); line 1,0,1,2.
  EXPECT_EQ(precision_at_knn({.coordinates = equal}, {.coordinates = line}, {.knn = 1}), 0.5);
}

TEST(Precision, OfASampleIsRepeatableAndNearTheWhole) {
  const auto points = random_points(400, 3, 4);
  auto map = Matrix<double>(400, 2);
  for (std::size_t i = 0; i < 400; ++i) std::copy_n(points.row(i).begin(), 2, map.row(i).begin());
  const Space a{.coordinates = points}, b{.coordinates = map};
  const double whole = precision_at_knn(a, b);
  const double part = precision_at_knn(a, b, {.max_points = 200});
  EXPECT_NE(part, whole);
  // Over 40 seeds the sample has a standard deviation of 0.0096: five of them.
  EXPECT_NEAR(part, whole, 0.05);
  EXPECT_EQ(part, precision_at_knn(a, b, {.max_points = 200}));
  EXPECT_EQ(whole, precision_at_knn(a, b, {.max_points = 400}));
  Context other;
  other.seed = 5;
  EXPECT_NE(part, precision_at_knn(a, b, {.max_points = 200}, other));
}

TEST(Precision, IsTheSameForAnyNumberOfThreads) {
  const auto points = random_points(150, 3, 6), map = random_points(150, 2, 7);
  const double alone = precision_at_knn({.coordinates = points}, {.coordinates = map});
  for_numbers_of_threads([&](const Context& context) {
    EXPECT_EQ(precision_at_knn({.coordinates = points}, {.coordinates = map}, {}, context), alone);
  });
}

TEST(Precision, RefusesEveryBadFieldByName) {
  EXPECT_TRUE(issues_with(NeighborhoodOptions{}, 100).empty());
  const auto issues = issues_with(NeighborhoodOptions{.knn = 0, .max_points = 0}, 10);
  ASSERT_EQ(issues.size(), 2U);
  EXPECT_NE(issues[0].find("knn is 0"), std::string::npos);
  EXPECT_NE(issues[1].find("max_points is 0"), std::string::npos);
  const auto points = random_points(10, 2, 8);
  const Space space{.coordinates = points};
  EXPECT_NE(refusal([&] { precision_at_knn(space, space); }).find("knn is 10"), std::string::npos);
  const auto distances = pairwise_distances(points);
  const Space both{.distances = distances, .coordinates = points};
  EXPECT_NE(refusal([&] { precision_at_knn(both, space, {.knn = 2}); }).find("exactly one"),
            std::string::npos);
}

}  // namespace
}  // namespace geotherm
