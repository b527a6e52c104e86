// The Swiss roll: its distribution, its labels, and lengths along the spiral.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geotherm/points.hpp"

namespace geotherm {
namespace {

constexpr double pi = std::numbers::pi;

TEST(SwissRoll, FollowsItsFormulaUniformlyOnTheSheet) {
  const std::size_t n = 20000;
  const Dataset roll =
      synthesize(Shape::swiss_roll, {.n = n, .noise = 0, .width = 8, .geodesic_limit = 0});
  double mean_t = 0, mean_h = 0, product = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double t = roll.t[i], h = roll.X(i, 1);
    EXPECT_NEAR(roll.X(i, 0), t * std::cos(t), 1e-14 * t);
    EXPECT_NEAR(roll.X(i, 2), t * std::sin(t), 1e-14 * t);
    EXPECT_TRUE(t >= 1.5 * pi && t < 4.5 * pi && h >= 0 && h < 8);
    mean_t += t / n;
    mean_h += h / n;
    product += (t - 3 * pi) * (h - 4) / n;
  }
  // Five standard errors of uniform draws, whose deviation is the width / sqrt(12).
  const double error = 5 / std::sqrt(12.0 * n);
  EXPECT_NEAR(mean_t, 3 * pi, 3 * pi * error);
  EXPECT_NEAR(mean_h, 4, 8 * error);
  EXPECT_NEAR(product, 0, 3 * pi * 8 * error / std::sqrt(12.0));
}

TEST(SwissRoll, MeasuresDistancesOnTheUnrolledSheet) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 40, .noise = 0});
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      // Length of the curve between the two, as a straight line on the sheet, by a fine polygon in
      // space. A polygon of m sides falls short by O(1/m^2).
      const std::size_t m = 4000;
      const double arc_i = roll.coordinates(i, 0), arc_j = roll.coordinates(j, 0);
      double length = 0;
      double from[3] = {roll.X(i, 0), roll.X(i, 1), roll.X(i, 2)};
      double t = roll.t[i];
      for (std::size_t s = 1; s <= m; ++s) {
        const double share = static_cast<double>(s) / static_cast<double>(m);
        const double arc = arc_i + share * (arc_j - arc_i);
        // Newton's steps for the t of this arc length; its derivative is sqrt(1 + t^2).
        for (int step = 0; step < 3; ++step) {
          t -= (0.5 * (t * std::sqrt(1 + t * t) + std::asinh(t)) - arc) / std::sqrt(1 + t * t);
        }
        const double to[3] = {t * std::cos(t), roll.X(i, 1) + share * (roll.X(j, 1) - roll.X(i, 1)),
                              t * std::sin(t)};
        length += std::hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
        std::copy(to, to + 3, from);
      }
      EXPECT_NEAR(roll.geodesic(i, j), length, 1e-5 * length + 1e-9);
    }
  }
}

TEST(SwissRoll, LabelsFiveEqualBinsOfT) {
  for (const bool clustered : {false, true}) {
    const Dataset roll =
        synthesize(Shape::swiss_roll, {.n = 3000, .clustered = clustered, .geodesic_limit = 0});
    const auto [low, high] = std::minmax_element(roll.t.begin(), roll.t.end());
    std::size_t counts[5] = {};
    for (std::size_t i = 0; i < 3000; ++i) {
      ASSERT_TRUE(roll.label[i] >= 0 && roll.label[i] < 5);
      const double width = (*high - *low) / 5;
      const double from = *low + width * roll.label[i];
      EXPECT_TRUE(roll.t[i] >= from - 1e-12 && roll.t[i] <= from + width + 1e-12);
      ++counts[roll.label[i]];
    }
    for (const std::size_t count : counts) EXPECT_GT(count, 0U);
  }
}

TEST(SwissRoll, DrawsClustersFromTwoGaussians) {
  const std::size_t n = 20000;
  const Dataset roll =
      synthesize(Shape::swiss_roll, {.n = n, .noise = 0, .clustered = true, .geodesic_limit = 0});
  double mean = 0, variance = 0, mean_h = 0, variance_h = 0;
  for (std::size_t i = 0; i < n; ++i) {
    mean += roll.t[i] / n;
    variance += (roll.t[i] - 9.5) * (roll.t[i] - 9.5) / n;
    mean_h += roll.X(i, 1) / n;
    variance_h += (roll.X(i, 1) - 2.5) * (roll.X(i, 1) - 2.5) / n;
  }
  // Means 7 and 12, deviation 1: variance 1 + 2.5^2. Five standard errors; for the variance of t,
  // var((t - 9.5)^2) = 4 * 2.5^2 + 2.
  EXPECT_NEAR(mean, 9.5, 5 * std::sqrt(7.25 / n));
  EXPECT_NEAR(variance, 7.25, 5 * std::sqrt(27.0 / n));
  EXPECT_NEAR(mean_h, 2.5, 5 / std::sqrt(n));
  EXPECT_NEAR(variance_h, 1, 5 * std::sqrt(2.0 / n));
}

TEST(SwissRoll, KeepsItsFirstPointsWhenMoreAreAskedFor) {
  const Dataset few = synthesize(Shape::swiss_roll, {.n = 700, .geodesic_limit = 0});
  const Dataset many = synthesize(Shape::swiss_roll, {.n = 1500, .geodesic_limit = 0});
  for (std::size_t i = 0; i < 700; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(few.X(i, j), many.X(i, j));
  }
}

}  // namespace
}  // namespace geotherm
