// Measures over all pairs: against plain vectors of pairs, units, degenerate input, threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "geotherm/metrics.hpp"
#include "metrics/test_points.hpp"

namespace geotherm {
namespace {

using namespace testing;

std::vector<double> pairs_of(const Matrix<double>& d) {
  std::vector<double> pairs;
  for (std::size_t i = 0; i < d.rows(); ++i) {
    for (std::size_t j = i + 1; j < d.rows(); ++j) pairs.push_back(d(i, j));
  }
  return pairs;
}

TEST(Demap, IsSpearmansCorrelationOverThePairs) {
  auto points = random_points(80, 3, 1);
  for (std::size_t e = 0; e < points.size(); ++e) points.data()[e] = std::round(points.data()[e]);
  const auto map = random_points(80, 2, 2);
  const auto a = pairwise_distances(points), b = pairwise_distances(map);
  EXPECT_NEAR(demap({.distances = a}, {.coordinates = map}), spearman(pairs_of(a), pairs_of(b)),
              1e-14);
}

TEST(Demap, IsOneForAnyRisingFunctionOfTheTruthAndMinusOneForAFallingOne) {
  const auto d = pairwise_distances(random_points(40, 3, 3));
  Matrix<double> rising = d, falling = d;
  for (std::size_t e = 0; e < d.size(); ++e) {
    rising.data()[e] = std::exp(d.data()[e]);
    falling.data()[e] = 1 / (1 + d.data()[e]);
  }
  EXPECT_NEAR(demap({.distances = d}, {.distances = rising}), 1.0, 1e-14);
  EXPECT_NEAR(demap({.distances = d}, {.distances = falling}), -1.0, 1e-14);
}

TEST(Demap, OfFewOrEqualPointsIsZero) {
  const Matrix<double> one(1, 1), two = matrix_of({{0}, {1}}), equal(5, 2);
  EXPECT_EQ(demap({.coordinates = one}, {.coordinates = one}), 0.0);
  EXPECT_EQ(demap({.coordinates = two}, {.coordinates = two}), 0.0);
  EXPECT_EQ(demap({.coordinates = equal}, {.coordinates = random_points(5, 2, 4)}), 0.0);
}

TEST(Demap, OfASampleIsNearTheWholeAndSameForAnyNumberOfThreads) {
  const auto points = random_points(500, 3, 5);
  Matrix<double> map(500, 2);
  for (std::size_t i = 0; i < 500; ++i) std::copy_n(points.row(i).begin(), 2, map.row(i).begin());
  const Space a{.coordinates = points}, b{.coordinates = map};
  const double whole = demap(a, b), part = demap(a, b, {.max_points = 250});
  EXPECT_NE(part, whole);
  EXPECT_NEAR(part, whole, 0.08);  // five standard deviations over seeds
  EXPECT_EQ(demap(a, b, {.max_points = 500}), whole);
  for_numbers_of_threads([&](const Context& context) {
    EXPECT_EQ(demap(a, b, {}, context), whole);
    EXPECT_EQ(demap(a, b, {.max_points = 250}, context), part);
  });
}

TEST(Demap, RefusesASampleWithoutPairs) {
  EXPECT_TRUE(issues_with(DemapOptions{}).empty());
  const auto issues = issues_with(DemapOptions{.max_points = 1});
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_NE(issues[0].find("max_points is 1"), std::string::npos);
}

TEST(Stress, IsTheResidualOverTheSquaresOfTheTruth) {
  const auto truth = pairwise_distances(random_points(60, 4, 6));
  const auto map = random_points(60, 2, 7);
  const auto a = pairs_of(truth), b = pairs_of(pairwise_distances(map));
  double residual = 0, squares = 0, dot = 0, own = 0;
  for (std::size_t p = 0; p < a.size(); ++p) {
    residual += (a[p] - b[p]) * (a[p] - b[p]);
    squares += a[p] * a[p];
    dot += a[p] * b[p];
    own += b[p] * b[p];
  }
  const auto scores = score_stress({.distances = truth}, {.coordinates = map});
  EXPECT_NEAR(scores.normalized, residual / squares, 1e-13);
  EXPECT_NEAR(scores.scaled, 1 - dot * dot / (squares * own), 1e-13);
  EXPECT_NEAR(scores.scale, dot / own, 1e-13);
  for_numbers_of_threads([&](const Context& context) {
    const auto again = score_stress({.distances = truth}, {.coordinates = map}, context);
    EXPECT_EQ(again.normalized, scores.normalized);
    EXPECT_EQ(again.scaled, scores.scaled);
  });
}

TEST(Stress, ScaledIsBlindToUnitsEvenExtremeOnes) {
  const auto points = random_points(20, 2, 8);
  const auto d = pairwise_distances(points);
  const auto same = score_stress({.distances = d}, {.coordinates = points});
  EXPECT_EQ(same.normalized, 0.0);
  const auto huge = score_stress({.distances = d}, {.coordinates = times(points, 0x1p300)});
  EXPECT_NEAR(huge.scaled, 0.0, 1e-30);  // squares of rounding errors
  EXPECT_NEAR(huge.scale, 0x1p-300, 1e-15 * 0x1p-300);
  EXPECT_GT(huge.normalized, 1e100);
  const auto tiny = score_stress({.distances = d}, {.coordinates = times(points, 0x1p-600)});
  EXPECT_NEAR(tiny.scaled, 0.0, 1e-30);
  EXPECT_EQ(tiny.normalized, 1.0);
}

TEST(Stress, OfEqualPointsIsZeroOneOrInfinite) {
  const Matrix<double> equal(4, 2);
  const auto points = random_points(4, 2, 9);
  EXPECT_EQ(score_stress({.coordinates = equal}, {.coordinates = equal}).normalized, 0.0);
  EXPECT_EQ(score_stress({.coordinates = points}, {.coordinates = equal}).normalized, 1.0);
  EXPECT_EQ(score_stress({.coordinates = points}, {.coordinates = equal}).scaled, 1.0);
  const auto spread = score_stress({.coordinates = equal}, {.coordinates = points});
  EXPECT_EQ(spread.normalized, std::numeric_limits<double>::infinity());
  EXPECT_EQ(spread.scaled, 0.0);
  const Matrix<double> one(1, 1);
  EXPECT_EQ(score_stress({.coordinates = one}, {.coordinates = one}).normalized, 0.0);
}

}  // namespace
}  // namespace geotherm
