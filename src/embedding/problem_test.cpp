// What a stress problem says of its weights, against plain loops.
#include "embedding/problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace geotherm::detail {
namespace {

TEST(Problem, IsSymmetricToAShareOfTheLargestDistanceWhateverTheUnit) {
  for (const double unit : {1e-9, 1.0, 1e9}) {
    Matrix<double> d(3, 3, 2 * unit);
    for (std::size_t i = 0; i < 3; ++i) d(i, i) = 0;
    d(0, 1) += 1e-8 * unit;
    EXPECT_NO_THROW(checked_problem(d, {}, MdsWeights::none, {})) << unit;
    d(1, 2) += 1e-4 * unit;
    try {
      checked_problem(d, {}, MdsWeights::none, {});
      FAIL() << unit;
    } catch (const InvalidArgument& e) {
      EXPECT_NE(std::string(e.what()).find("(1, 2)"), std::string::npos) << e.what();
    }
  }
}

TEST(WeightTotals, CountEveryPairOnceLeaveTheDiagonalOutAndKnowTheLightestThatCounts) {
  // More points than a block of rows. A third of the pairs has no weight, the diagonal a large one;
  // off it the largest of both arrays is in [1/2, 1), so that units are 1.
  constexpr std::size_t n = 70;
  Matrix<double> distances(n, n), weights(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double apart = std::abs(static_cast<double>(i) - static_cast<double>(j));
      distances(i, j) = apart / 80;
      weights(i, j) = i == j ? 0.9 : (i + j) % 3 == 0 ? 0.0 : 1.2 / (1 + apart);
    }
  }
  const Problem problem = checked_problem(distances, weights, MdsWeights::none, {});
  ASSERT_EQ(problem.unit, 1.0);
  const WeightTotals totals = weight_totals(problem, {});
  double squares = 0, smallest = 1, largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const double w = weights(i, j);
      sum += w;
      if (j > i) squares += w * distances(i, j) * distances(i, j);
      if (w > 0) smallest = std::min(smallest, w);
      largest = std::max(largest, w);
    }
    // Sums of 70 numbers below 1 in another order.
    EXPECT_NEAR(totals.per_point[i], sum, 1e-14);
  }
  EXPECT_NEAR(totals.squares, squares, 1e-12);
  EXPECT_EQ(totals.smallest, smallest);
  EXPECT_EQ(totals.largest, largest);
}

}  // namespace
}  // namespace geotherm::detail
