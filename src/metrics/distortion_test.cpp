#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "geotherm/metrics.hpp"

namespace geotherm {
namespace {

/// Points on a line, and true distances from each of them.
struct Line {
  Matrix<double> places;
  Matrix<double> truth;
  std::vector<Index> rows;

  explicit Line(std::size_t n) : places(n, 1), truth(n, n) {
    for (std::size_t i = 0; i < n; ++i) {
      places(i, 0) = static_cast<double>(i);
      rows.push_back(static_cast<Index>(i));
      for (std::size_t j = 0; j < n; ++j) {
        truth(i, j) = std::abs(static_cast<double>(i) - static_cast<double>(j));
      }
    }
  }
};

TEST(PointDistortion, IsZeroForAMapThatIsRightInAnyUnit) {
  Line line(40);
  for (std::size_t i = 0; i < 40; ++i) line.places(i, 0) *= 250;
  for (const double value : point_distortion(line.truth, line.rows, line.places)) {
    EXPECT_NEAR(value, 0, 1e-12);  // rounding of one logarithm
  }
}

TEST(PointDistortion, PointsOutAPointThatLiesInTheWrongPlace) {
  Line line(41);
  line.places(20, 0) = 200;
  const std::vector<double> values = point_distortion(line.truth, line.rows, line.places);
  for (std::size_t i = 0; i < 41; ++i) {
    if (i == 20) continue;
    EXPECT_LT(values[i], 0.01) << i;
  }
  EXPECT_GT(values[20], std::log(5));  // its true distances are at most 20, here 160 and more
}

TEST(PointDistortion, IsTheLogarithmOfTheFactorByWhichDistancesAreOff) {
  // Distances of the first point are doubled in the truth; the others, the many, set the scale.
  Line line(51);
  for (std::size_t j = 0; j < 51; ++j) {
    line.truth(0, j) *= 2;
    line.truth(j, 0) *= 2;
  }
  EXPECT_NEAR(point_distortion(line.truth, line.rows, line.places)[0], std::log(2), 1e-12);
}

TEST(PointDistortion, LeavesOutPairsThatHaveNoTrueDistanceAndKeepsCoincidingOnesFinite) {
  Line line(10);
  for (std::size_t r = 0; r < 10; ++r) line.truth(r, 9) = std::numeric_limits<double>::infinity();
  line.places(3, 0) = line.places(4, 0);
  const std::vector<double> values = point_distortion(line.truth, line.rows, line.places);
  EXPECT_TRUE(std::isnan(values[9]));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_TRUE(std::isfinite(values[i])) << i;
  Matrix<double> one_place(10, 2);
  for (const double value : point_distortion(line.truth, line.rows, one_place)) {
    if (std::isnan(value)) continue;
    EXPECT_NEAR(value, std::log(1e6), 1e-9);
  }
}

TEST(PointDistortion, IsTheSameToTheBitOnAnyNumberOfThreads) {
  Line line(600);
  for (std::size_t i = 0; i < 600; ++i) line.places(i, 0) += std::sin(static_cast<double>(i));
  const std::vector<double> alone = point_distortion(line.truth, line.rows, line.places);
  for (const std::size_t n_threads : {2, 8}) {
    ThreadPool pool(n_threads);
    EXPECT_EQ(alone, point_distortion(line.truth, line.rows, line.places, {.executor = &pool}));
  }
}

TEST(PointDistortion, RefusesTablesThatDoNotFit) {
  Line line(5);
  const std::vector<Index> few = {0, 1};
  EXPECT_THROW(point_distortion(line.truth, few, line.places), InvalidArgument);
  const std::vector<Index> beyond = {0, 1, 2, 3, 5};
  EXPECT_THROW(point_distortion(line.truth, beyond, line.places), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
