// Gaps filled exactly and through pivots, against Floyd and Warshall.
#include "dissimilarity/fill_unresolved.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dissimilarity/pivots.hpp"
#include "dissimilarity/test_kernels.hpp"

namespace geotherm::detail {
namespace {

using namespace geotherm::testing;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr FillLimits only_pivots(std::size_t n_pivots) { return {0, 0, n_pivots}; }

// Points in a box, distances beyond `reach` unknown.
Matrix<double> distances_within(std::size_t n, double reach, double width, std::uint64_t seed) {
  Rng rng(seed, "fill.test");
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = width * rng.uniform();
    y[i] = rng.uniform();
  }
  Matrix<double> d(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      d(i, j) = std::hypot(x[i] - x[j], y[i] - y[j]);
      if (d(i, j) > reach) d(i, j) = infinite;
    }
  }
  return d;
}

TEST(Pivots, AreAsManyAsWantedFarthestFirstAndMoreOnlyWhereTheyReachNotAll) {
  // Points 0 to 20 on a line that know distances up to 12. From 0 one reaches 12, from there all;
  // then the farthest from those chosen: 20, 6, 16.
  Matrix<double> d(21, 21);
  for (std::size_t i = 0; i < 21; ++i) {
    for (std::size_t j = 0; j < 21; ++j) {
      const double apart = std::abs(static_cast<double>(i) - static_cast<double>(j));
      d(i, j) = apart <= 12 ? apart : infinite;
    }
  }
  const ResolvedParts parts(d, {});
  EXPECT_EQ(choose_pivots(d, parts, 5), (std::vector<std::size_t>{0, 6, 12, 16, 20}));
  EXPECT_EQ(choose_pivots(d, parts, 3), (std::vector<std::size_t>{0, 12, 20}));
  EXPECT_EQ(choose_pivots(d, parts, 1), (std::vector<std::size_t>{0, 12}));
  EXPECT_EQ(choose_pivots(d, parts, 100).size(), 21U);
}

TEST(FillUnresolved, GivesShortestPathsAndLeavesWhatIsResolved) {
  const Matrix<double> gaps = distances_within(120, 1.0, 8.0, 1);
  const Matrix<double> paths = all_shortest(gaps);
  Matrix<double> filled = gaps;
  const auto outcome = fill_unresolved(filled, 1.0, {});
  EXPECT_TRUE(outcome.used_paths);
  EXPECT_FALSE(outcome.used_constant);
  EXPECT_TRUE(is_a_dissimilarity(filled));
  for (std::size_t e = 0; e < gaps.size(); ++e) {
    if (std::isinf(gaps.data()[e])) {
      EXPECT_NEAR(filled.data()[e], paths.data()[e], 1e-13);
    } else {
      EXPECT_EQ(filled.data()[e], gaps.data()[e]);
    }
  }
}

TEST(FillUnresolved, KeepsTheDiagonal) {
  Matrix<double> d = distances_within(20, 1.5, 6.0, 2);
  for (std::size_t i = 0; i < 20; ++i) d(i, i) = 3.0 + static_cast<double>(i);
  fill_unresolved(d, 1.0, {});
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(d(i, i), 3.0 + static_cast<double>(i));
}

TEST(FillUnresolved, ThroughAllPointsAsPivotsIsExact) {
  const Matrix<double> gaps = distances_within(130, 1.0, 8.0, 3);
  const Matrix<double> paths = all_shortest(gaps);
  Matrix<double> filled = gaps;
  fill_unresolved(filled, 1.0, {}, only_pivots(130));
  EXPECT_TRUE(is_a_dissimilarity(filled));
  for (std::size_t e = 0; e < gaps.size(); ++e) {
    if (!std::isinf(gaps.data()[e])) continue;
    EXPECT_NEAR(filled.data()[e], paths.data()[e], 1e-13);
  }
}

TEST(FillUnresolved, ThroughFewPivotsIsNeverShorterAndSeldomMuchLonger) {
  const std::size_t n = 600;
  const Matrix<double> gaps = distances_within(n, 1.5, 12.0, 4);
  const Matrix<double> paths = all_shortest(gaps);
  Matrix<double> filled = gaps;
  fill_unresolved(filled, 1.0, {}, only_pivots(100));
  EXPECT_TRUE(is_a_dissimilarity(filled));
  double excess = 0, count = 0;
  for (std::size_t e = 0; e < gaps.size(); ++e) {
    if (!std::isinf(gaps.data()[e])) continue;
    ASSERT_GE(filled.data()[e], paths.data()[e] - 1e-12);
    excess += filled.data()[e] / paths.data()[e] - 1;
    ++count;
  }
  // 100 pivots in a 12 x 1 box lie about 0.3 apart, a fifth of the reach.
  EXPECT_LT(excess / count, 0.03);
}

TEST(FillUnresolved, TakesMorePivotsWhereAFewDoNotReachEveryPoint) {
  // A path whose nodes resolve only their neighbours: all inner nodes have to be pivots.
  const std::size_t n = 40;
  Matrix<double> d(n, n, infinite);
  for (std::size_t i = 0; i < n; ++i) {
    d(i, i) = 0;
    if (i + 1 < n) d(i, i + 1) = d(i + 1, i) = 1;
  }
  fill_unresolved(d, 1.0, {}, only_pivots(3));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_EQ(d(i, j), std::abs(static_cast<double>(i) - static_cast<double>(j)));
    }
  }
}

TEST(FillUnresolved, PivotsAreJoinedAndReachEveryPointOfPartsWithGaps) {
  Matrix<double> d = distances_within(200, 0.8, 10.0, 5);
  for (std::size_t i = 0; i < 200; ++i) {  // 190 ... 199 become a part without gaps
    for (std::size_t j = 190; j < 200; ++j) d(i, j) = d(j, i) = i >= 190 ? 0.1 : infinite;
  }
  const ResolvedParts parts(d, {});
  const auto pivots = choose_pivots(d, parts, 1);
  std::vector<bool> is_reached(200, false);
  for (const std::size_t p : pivots) {
    EXPECT_LT(p, 190u);
    for (std::size_t j = 0; j < 200; ++j) is_reached[j] = is_reached[j] || d(p, j) < infinite;
  }
  for (std::size_t i = 0; i < 200; ++i) {
    const bool has_gaps = parts.part_has_gaps[static_cast<std::size_t>(parts.part[i])];
    EXPECT_EQ(is_reached[i], has_gaps) << i;
  }
  // All gaps inside parts close, which needs joined pivots.
  Matrix<double> filled = d;
  fill_unresolved(filled, 1.0, {}, only_pivots(1));
  const Matrix<double> paths = all_shortest(d);
  for (std::size_t e = 0; e < d.size(); ++e) {
    if (std::isinf(d.data()[e]) && !std::isinf(paths.data()[e])) {
      EXPECT_GE(filled.data()[e], paths.data()[e] - 1e-12);
      EXPECT_LT(filled.data()[e], 5 * paths.data()[e]);
    }
  }
}

TEST(FillUnresolved, StaysMonotoneAlongAPathThroughPivots) {
  // Concave in the number of hops, as heat distances are; reach 30 of 400 nodes.
  const std::size_t n = 400;
  Matrix<double> d(n, n, infinite);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i > 30 ? i - 30 : 0; j < std::min(n, i + 31); ++j) {
      d(i, j) = std::sqrt(std::abs(static_cast<double>(i) - static_cast<double>(j)));
    }
  }
  fill_unresolved(d, 1.0, {}, only_pivots(60));
  for (std::size_t j = 1; j < n; ++j) ASSERT_GE(d(0, j), d(0, j - 1)) << j;
  for (std::size_t j = 201; j < n; ++j) ASSERT_GE(d(200, j), d(200, j - 1)) << j;
}

TEST(FillUnresolved, SeparatesPartsByOneConstantLargerThanAll) {
  Matrix<double> d(7, 7, infinite);
  for (std::size_t i = 0; i < 7; ++i) d(i, i) = 0;
  d(0, 1) = d(1, 0) = 2;
  d(1, 2) = d(2, 1) = 3;  // 0 - 2 is a gap inside the first part; 3 - 4 a part; 5, 6 alone
  d(3, 4) = d(4, 3) = 1;
  for (const auto& limits : {FillLimits{}, only_pivots(2)}) {
    Matrix<double> filled = d;
    const auto outcome = fill_unresolved(filled, 1.0, {}, limits);
    EXPECT_TRUE(outcome.used_paths);
    EXPECT_TRUE(outcome.used_constant);
    EXPECT_TRUE(is_a_dissimilarity(filled));
    EXPECT_EQ(filled(0, 2), 5.0);
    EXPECT_EQ(filled(3, 4), 1.0);
    EXPECT_DOUBLE_EQ(filled(0, 3), 5.5);
    EXPECT_EQ(filled(5, 6), filled(0, 3));
    EXPECT_EQ(filled(4, 5), filled(0, 3));
  }
}

TEST(FillUnresolved, UsesTheGivenConstantWhereNothingIsResolvedOrAllCoincide) {
  Matrix<double> alone(3, 3, infinite);
  for (std::size_t i = 0; i < 3; ++i) alone(i, i) = 0;
  Matrix<double> coincide = alone;
  coincide(0, 1) = coincide(1, 0) = 0;
  for (Matrix<double> d : {alone, coincide}) {
    const auto outcome = fill_unresolved(d, 7.0, {});
    EXPECT_FALSE(outcome.used_paths);
    EXPECT_TRUE(outcome.used_constant);
    EXPECT_EQ(d(0, 2), 7.0);
  }
}

TEST(FillUnresolved, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> gaps = distances_within(300, 0.7, 10.0, 6);
  for (const auto& limits : {FillLimits{}, only_pivots(50)}) {
    Matrix<double> alone = gaps;
    fill_unresolved(alone, 1.0, {}, limits);
    for (const std::size_t n_threads : {2u, 8u}) {
      ThreadPool pool(n_threads);
      Context context;
      context.executor = &pool;
      Matrix<double> together = gaps;
      fill_unresolved(together, 1.0, context, limits);
      EXPECT_TRUE(same_bits(together, alone));
    }
  }
}

}  // namespace
}  // namespace geotherm::detail
