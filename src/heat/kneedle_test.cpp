// Kneedle on curves whose knee is known.
#include <gtest/gtest.h>

#include <cmath>

#include "geotherm/heat.hpp"

namespace geotherm {
namespace {

std::vector<double> evenly(std::size_t n, double from, double to) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = from + (to - from) * static_cast<double>(i) / static_cast<double>(n - 1);
  }
  return x;
}

TEST(Kneedle, FindsTheAnalyticKneeOfASquareRoot) {
  // On the unit square sqrt(x) - x is largest at x = 1/4; any scale of the axes keeps it.
  const std::vector<double> x = evenly(101, 0, 1);
  for (const double scale : {1.0, 1e6, 1e-6}) {
    std::vector<double> scaled_x, y;
    for (const double v : x) {
      scaled_x.push_back(7 + scale * v);
      y.push_back(-3 + 5 * std::sqrt(v));
    }
    const auto knee = find_knee(scaled_x, y, 1.0);
    ASSERT_TRUE(knee.has_value());
    EXPECT_EQ(*knee, 25U);
  }
}

TEST(Kneedle, FindsTheKneeOfThePublishedExample) {
  // y = 5 - 1/(x + 0.1) at ten points of [0, 1]: the knee is at x = 0.22, the third.
  const std::vector<double> x = evenly(10, 0, 1);
  std::vector<double> y;
  for (const double v : x) y.push_back(-1 / (v + 0.1) + 5);
  const auto knee = find_knee(x, y, 1.0);
  ASSERT_TRUE(knee.has_value());
  EXPECT_EQ(*knee, 2U);
}

TEST(Kneedle, WantsADeeperFallWhereSensitivityIsHigher) {
  // Spacing 0.1: the threshold is 0.1 S below the maximum of 0.15 at x = 0.3, the end is at 0.
  const std::vector<double> x = evenly(11, 0, 1);
  std::vector<double> y;
  for (const double v : x) y.push_back(v < 0.3 ? 1.5 * v : 0.45 + (v - 0.3) * 0.55 / 0.7);
  EXPECT_EQ(find_knee(x, y, 1.0), std::optional<std::size_t>(3));
  EXPECT_FALSE(find_knee(x, y, 2.0).has_value());
}

TEST(Kneedle, ALocalMinimumResetsAShallowMaximum) {
  // Above the diagonal: 0, .10, .09, .30, .20, 0: the first bump does not fall far enough.
  const std::vector<double> x = evenly(6, 0, 1);
  const std::vector<double> above = {0, 0.10, 0.09, 0.30, 0.20, 0};
  std::vector<double> y;
  for (std::size_t i = 0; i < 6; ++i) y.push_back(x[i] + above[i]);
  EXPECT_EQ(find_knee(x, y, 0.3), std::optional<std::size_t>(3));
}

TEST(Kneedle, HasNoKneeOnLinesConstantsAndTooFewPoints) {
  const std::vector<double> x = {0, 1, 2, 3};
  EXPECT_FALSE(find_knee(x, x, 1.0).has_value());
  EXPECT_FALSE(find_knee(x, std::vector<double>(4, 2.0), 1.0).has_value());
  EXPECT_FALSE(find_knee(std::vector<double>{0, 1}, std::vector<double>{0, 1}, 1.0).has_value());
  EXPECT_FALSE(find_knee({}, {}, 1.0).has_value());
  // Convex: below its diagonal throughout.
  EXPECT_FALSE(find_knee(x, std::vector<double>{0, 1, 4, 9}, 1.0).has_value());
  EXPECT_THROW(find_knee(x, std::vector<double>{1.0}, 1.0), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
