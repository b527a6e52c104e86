// Thick noise is told from thin, and a step of mean shift does what it says.
#include "geotherm/smoothing.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "geotherm/points.hpp"

namespace geotherm {
namespace {

/// A flat square of side 10 in three dimensions, thickened by noise.
Matrix<double> sheet(std::size_t n, double noise) {
  Rng rng(1, "smoothing.sheet");
  Matrix<double> points(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    points(i, 0) = 10 * rng.uniform();
    points(i, 1) = 10 * rng.uniform();
    points(i, 2) = noise * rng.normal();
  }
  return points;
}

double thickness(const Matrix<double>& points) {
  double sum = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) sum += points(i, 2) * points(i, 2);
  return std::sqrt(sum / static_cast<double>(points.rows()));
}

TEST(Smoothing, RoundnessIsOneInABallAndTheShareOfDirectionsOnASheet) {
  Rng rng(2, "smoothing.ball");
  Matrix<double> ball(3000, 3);
  for (std::size_t k = 0; k < ball.size(); ++k) ball.data()[k] = rng.normal();
  // 100 of 3,000 points: the covariance is known to about a tenth.
  EXPECT_NEAR(neighborhood_roundness(ball), 1.0, 0.1);
  EXPECT_NEAR(neighborhood_roundness(sheet(3000, 1e-3)), 2.0 / 3, 0.07);
}

TEST(Smoothing, ThickNoiseIsThinnedAndThinNoiseLeftAlone) {
  const Matrix<double> thick = sheet(8000, 0.6);
  const SmoothedPoints thinned = smooth_points(thick);
  EXPECT_GT(thinned.steps, 0U);
  EXPECT_LE(thinned.steps, 3U);
  EXPECT_LT(thickness(thinned.points), 0.75 * thickness(thick));
  const Matrix<double> thin = sheet(8000, 0.02);
  const SmoothedPoints same = smooth_points(thin);
  EXPECT_EQ(same.steps, 0U);
  EXPECT_EQ(same.points(17, 1), thin(17, 1));
}

TEST(Smoothing, AStepIsTheMeanOfAPointAndItsNeighbours) {
  Matrix<double> points(4, 1);
  for (std::size_t i = 0; i < 4; ++i) points(i, 0) = std::pow(2.0, static_cast<double>(i));
  const SmoothedPoints moved = smooth_points(points, {.steps = 1, .neighbors = 1});
  // 1 and 2 are nearest to each other; 4's nearest is 2, 8's is 4.
  EXPECT_DOUBLE_EQ(moved.points(0, 0), 1.5);
  EXPECT_DOUBLE_EQ(moved.points(1, 0), 1.5);
  EXPECT_DOUBLE_EQ(moved.points(2, 0), 3);
  EXPECT_DOUBLE_EQ(moved.points(3, 0), 6);
}

TEST(Smoothing, PointsWithTheSameNeighbourhoodComeToTheSamePlaceToTheBit) {
  // Two far clouds of 12, each the neighbourhood of all its points: who is nearest afterwards is
  // for the index to say, not for the last bit of a sum.
  Rng rng(4, "smoothing_test.clouds");
  Matrix<double> points(24, 3);
  for (std::size_t i = 0; i < 24; ++i) {
    for (std::size_t c = 0; c < 3; ++c) points(i, c) = rng.normal() + (i % 2 == 0 ? 0.0 : 100.0);
  }
  const SmoothedPoints moved = smooth_points(points, {.steps = 1, .neighbors = 11});
  for (std::size_t i = 2; i < 24; ++i) {
    for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(moved.points(i, c), moved.points(i % 2, c));
  }
}

TEST(Smoothing, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> points = sheet(2000, 0.5);
  const SmoothedPoints alone = smooth_points(points, {.steps = 2});
  for (const std::size_t n_threads : {2, 8}) {
    ThreadPool pool(n_threads);
    const SmoothedPoints together = smooth_points(points, {.steps = 2}, {}, {.executor = &pool});
    for (std::size_t k = 0; k < alone.points.size(); ++k) {
      ASSERT_EQ(together.points.data()[k], alone.points.data()[k]);
    }
  }
}

TEST(Smoothing, TakesFewPointsAndRefusesBadOptions) {
  for (const std::size_t n : {1, 2, 3, 5}) {
    const SmoothedPoints moved = smooth_points(sheet(n, 0.1), {.steps = 2});
    EXPECT_EQ(moved.points.rows(), n);
  }
  EXPECT_EQ(issues_with(SmoothOptions{.steps = 1000, .neighbors = 0}).size(), 2U);
  EXPECT_TRUE(issues_with(SmoothOptions{}).empty());
}

}  // namespace
}  // namespace geotherm
