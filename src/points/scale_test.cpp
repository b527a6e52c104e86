// z-scores and log-normalised counts: laws, awkward units, refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "geotherm/points.hpp"
#include "points/points_testing.hpp"

namespace geotherm {
namespace {

using testing::gaussian_table;
using testing::same_bits;

TEST(Standardize, GivesColumnsOfMeanZeroAndDeviationOne) {
  Matrix<double> points = gaussian_table(5000, 6, 1);
  for (std::size_t i = 0; i < points.rows(); ++i) points(i, 2) = 1e6 + 3 * points(i, 2);
  const Matrix<double> z = standardize(points);
  for (std::size_t j = 0; j < z.cols(); ++j) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < z.rows(); ++i) {
      mean += z(i, j) / 5000;
      square += z(i, j) * z(i, j) / 5000;
    }
    // The offset of 1e6 in column 2 costs six of the sixteen digits.
    EXPECT_NEAR(mean, 0, 1e-10);
    EXPECT_NEAR(square, 1, 1e-9);
  }
}

TEST(Standardize, TurnsConstantColumnsIntoZeros) {
  Matrix<double> points = gaussian_table(100, 4, 2);
  for (std::size_t i = 0; i < 100; ++i) {
    points(i, 0) = 0.1;
    points(i, 1) = 0;
    points(i, 2) = i % 2 == 0 ? 0.3 : 0.1 + 0.2;  // differ in the last bit
  }
  const Matrix<double> z = standardize(points);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_LE(std::abs(z(i, j)), 0.0);
  }
  const Matrix<double> one = standardize(Matrix<double>(1, 3, 7.0));
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(one(0, j), 0);
}

TEST(Standardize, DoesNotDependOnTheUnitOfAColumn) {
  const Matrix<double> points = gaussian_table(300, 3, 3);
  Matrix<double> other = points;
  for (std::size_t i = 0; i < 300; ++i) {
    other(i, 0) = std::ldexp(points(i, 0), 1000);
    other(i, 1) = std::ldexp(points(i, 1), -990);
  }
  // Powers of two: not a bit may change.
  EXPECT_TRUE(same_bits(standardize(points), standardize(other)));
}

TEST(Standardize, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> points = gaussian_table(20000, 5, 4);
  const Matrix<double> alone = standardize(points);
  testing::with_threads(0, [&](const Context& context) {
    EXPECT_TRUE(same_bits(standardize(points, context), alone));
  });
}

TEST(Standardize, RefusesNaN) {
  Matrix<double> points(3, 2);
  points(1, 1) = NAN;
  EXPECT_THROW(standardize(points), InvalidArgument);
}

Matrix<double> counts() {
  Matrix<double> c(5, 3);
  const double values[5][3] = {{1, 2, 7}, {0, 0, 0}, {10, 0, 10}, {3, 3, 0}, {0, 40, 0}};
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) c(i, j) = values[i][j];
  }
  return c;
}

TEST(LogNormalize, ScalesRowsToTheMedianOfThePositiveSums) {
  // Row sums 10, 0, 20, 6, 40: the median of the positive ones is 15.
  const Matrix<double> c = counts();
  const Matrix<double> y = log_normalize(c);
  const double sums[5] = {10, 0, 20, 6, 40};
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double expected = sums[i] > 0 ? std::log1p(c(i, j) * 15 / sums[i]) : 0.0;
      EXPECT_NEAR(y(i, j), expected, 1e-15);
    }
  }
}

TEST(LogNormalize, BringsEveryRowToTheTargetSum) {
  const Matrix<double> y = log_normalize(counts(), 1e4);
  for (const std::size_t i : {0U, 2U, 3U, 4U}) {
    double sum = 0;
    for (std::size_t j = 0; j < 3; ++j) sum += std::expm1(y(i, j));
    EXPECT_NEAR(sum, 1e4, 1e-8);
  }
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(y(1, j), 0);
}

TEST(LogNormalize, LeavesATableOfZerosAlone) {
  const Matrix<double> y = log_normalize(Matrix<double>(3, 2));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(y(i, 0), 0);
}

TEST(LogNormalize, RefusesNegativeCountsAndOddTargets) {
  Matrix<double> c = counts();
  c(3, 2) = -1;
  try {
    log_normalize(c);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& e) {
    EXPECT_EQ(std::string(e.what()).rfind("row 3, column 2 is -1", 0), 0U);
  }
  for (const double target : {0.0, -1.0, static_cast<double>(INFINITY), static_cast<double>(NAN)}) {
    EXPECT_THROW(log_normalize(counts(), target), InvalidArgument);
  }
}

}  // namespace
}  // namespace geotherm
