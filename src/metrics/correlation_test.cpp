// Row-wise correlations and norms against their definitions, scales, degenerate rows, threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "geotherm/metrics.hpp"
#include "metrics/test_points.hpp"

namespace geotherm {
namespace {

using namespace testing;

TEST(PairwiseDistances, AreEuclideanSymmetricAndZeroOnTheDiagonal) {
  const auto points = random_points(70, 5, 1);
  const auto d = pairwise_distances(points);
  for (std::size_t i = 0; i < 70; ++i) {
    EXPECT_EQ(d(i, i), 0.0);
    for (std::size_t j = 0; j < 70; ++j) {
      double squares = 0;
      for (std::size_t k = 0; k < 5; ++k) {
        squares += (points(i, k) - points(j, k)) * (points(i, k) - points(j, k));
      }
      EXPECT_NEAR(d(i, j), std::sqrt(squares), 1e-14);  // a few roundings at distances below 10
      EXPECT_EQ(d(i, j), d(j, i));
    }
  }
}

TEST(PairwiseDistances, SurviveScalesWhoseSquaresWouldNot) {
  const auto points = random_points(20, 3, 2);
  const auto d = pairwise_distances(points);
  for (const double factor : {0x1p-700, 0x1p700}) {  // powers of two: the same digits
    const auto scaled = pairwise_distances(times(points, factor));
    for (std::size_t e = 0; e < d.size(); ++e) {
      EXPECT_EQ(scaled.data()[e], d.data()[e] * factor);
    }
  }
}

TEST(Pearson, OfConstantVectorsIsZeroEvenWhereTheMeanRounds) {
  const std::vector<double> constant(7, 0.1), other = {1, 2, 3, 4, 5, 6, 8};
  EXPECT_EQ(pearson(constant, other), 0.0);
  EXPECT_EQ(pearson(other, constant), 0.0);
  EXPECT_EQ(pearson({}, {}), 0.0);
  EXPECT_EQ(pearson(std::vector{2.0}, std::vector{3.0}), 0.0);
  EXPECT_EQ(spearman(constant, other), 0.0);
  EXPECT_EQ(spearman({}, {}), 0.0);
}

TEST(Pearson, KeepsItsDigitsOverOffsetsAndScales) {
  Rng rng(3, "pearson.test");
  std::vector<double> a(500), b(500), far_a(500), big_b(500);
  for (std::size_t i = 0; i < 500; ++i) {
    a[i] = std::round(rng.normal() * 1024) / 1024;  // short, so that the offset is exact
    b[i] = a[i] + rng.normal();
    far_a[i] = a[i] + 0x1p40;
    big_b[i] = b[i] * 0x1p900;
  }
  const double plain = pearson(a, b);
  EXPECT_GT(plain, 0.5);
  EXPECT_NEAR(pearson(far_a, b), plain, 1e-13);  // deviations are exact, the mean is corrected for
  EXPECT_EQ(pearson(a, big_b), plain);
  EXPECT_NEAR(pearson(a, a), 1.0, 1e-15);
}

TEST(Pearson, RefusesWhatCannotBeCompared) {
  const std::vector<double> a = {1, 2, 3}, b = {1, 2}, c = {1, std::nan(""), 3};
  EXPECT_NE(refusal([&] { pearson(a, b); }).find("3 and 2"), std::string::npos);
  EXPECT_NE(refusal([&] { pearson(a, c); }).find("second vector"), std::string::npos);
  EXPECT_NE(refusal([&] { spearman(c, a); }).find("column 1"), std::string::npos);
}

TEST(DistanceScores, AreMeansOverRowsWithTheDiagonalAsZero) {
  const std::size_t n = 40;
  auto truth = pairwise_distances(random_points(n, 4, 4));
  auto estimate = pairwise_distances(random_points(n, 2, 5));
  double by_pearson = 0, by_spearman = 0, squares = 0, largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    by_pearson += pearson(truth.row(i), estimate.row(i));
    by_spearman += spearman(truth.row(i), estimate.row(i));
    for (std::size_t j = 0; j < n; ++j) {
      const double difference = std::abs(truth(i, j) - estimate(i, j));
      squares += difference * difference;
      largest = std::max(largest, difference);
    }
    truth(i, i) = std::nan("");  // must not be looked at
    estimate(i, i) = 1e9;
  }
  const DistanceScores scores = score_distances(truth, estimate);
  const auto size = static_cast<double>(n);
  EXPECT_NEAR(scores.pearson, by_pearson / size, 1e-14);
  EXPECT_NEAR(scores.spearman, by_spearman / size, 1e-14);
  EXPECT_NEAR(scores.frobenius, std::sqrt(squares) / (size * size), 1e-15);
  EXPECT_EQ(scores.max, largest / (size * size));
}

TEST(DistanceScores, OfAnEmbeddingAreThoseOfItsDistances) {
  const auto truth = pairwise_distances(random_points(50, 4, 6));
  const auto map = random_points(50, 2, 7);
  const auto a = score_embedding(truth, map);
  const auto b = score_distances(truth, pairwise_distances(map));
  EXPECT_EQ(a.pearson, b.pearson);
  EXPECT_EQ(a.spearman, b.spearman);
  EXPECT_EQ(a.frobenius, b.frobenius);
  EXPECT_EQ(a.max, b.max);
}

TEST(DistanceScores, OfManyEstimatesAreThoseOfEach) {
  const auto truth = pairwise_distances(random_points(50, 4, 6));
  const DistanceScorer score(truth);
  for (const std::uint64_t seed : {7, 8}) {
    const auto estimate = pairwise_distances(random_points(50, 2, seed));
    const auto a = score(estimate);
    const auto b = score_distances(truth, estimate);
    EXPECT_EQ(a.pearson, b.pearson);
    EXPECT_EQ(a.spearman, b.spearman);
    EXPECT_EQ(a.frobenius, b.frobenius);
    EXPECT_EQ(a.max, b.max);
  }
  EXPECT_NE(refusal([&] { score(Matrix<double>(4, 4)); }).find("50 points"), std::string::npos);
  EXPECT_NE(refusal([&] { DistanceScorer(Matrix<double>(3, 5).view()); }).find("3 x 5"),
            std::string::npos);
}

TEST(DistanceScores, OfEqualMatricesArePerfectAndOfScaledOnesKeepTheirCorrelations) {
  const auto d = pairwise_distances(random_points(30, 3, 8));
  const auto same = score_distances(d, d);
  EXPECT_NEAR(same.pearson, 1.0, 1e-15);
  EXPECT_NEAR(same.spearman, 1.0, 1e-15);
  EXPECT_EQ(same.frobenius, 0.0);
  EXPECT_EQ(same.max, 0.0);
  const auto huge = score_distances(d, times(d, 0x1p800));
  EXPECT_NEAR(huge.pearson, 1.0, 1e-15);
  EXPECT_NEAR(huge.spearman, 1.0, 1e-15);
  EXPECT_TRUE(std::isfinite(huge.frobenius));
  EXPECT_GT(huge.frobenius, huge.max);
  const auto tiny = score_distances(times(d, 0x1p-800), times(d, 0x1p-801));
  EXPECT_GT(tiny.frobenius, 0.0);
}

TEST(DistanceScores, OfOneTwoOrAllEqualPointsAreNumbers) {
  const auto one = score_distances(Matrix<double>(1, 1), Matrix<double>(1, 1));
  EXPECT_EQ(one.pearson, 0.0);
  EXPECT_EQ(one.spearman, 0.0);
  EXPECT_EQ(one.frobenius, 0.0);
  const auto two = score_embedding(matrix_of({{0, 3}, {3, 0}}), matrix_of({{1.0}, {2.0}}));
  EXPECT_NEAR(two.pearson, 1.0, 1e-15);
  EXPECT_NEAR(two.spearman, 1.0, 1e-15);
  EXPECT_NEAR(two.frobenius, std::sqrt(8.0) / 4, 1e-15);
  EXPECT_EQ(two.max, 0.5);
  const auto equal = score_embedding(matrix_of({{0, 3}, {3, 0}}), Matrix<double>(2, 2));
  EXPECT_EQ(equal.pearson, 0.0);
  EXPECT_EQ(equal.spearman, 0.0);
}

TEST(DistanceScores, HaveTheSameBitsForAnyNumberOfThreads) {
  const auto truth = pairwise_distances(random_points(211, 4, 9));
  const auto map = random_points(211, 2, 10);
  const auto alone = score_embedding(truth, map);
  for_numbers_of_threads([&](const Context& context) {
    const auto scores = score_embedding(truth, map, context);
    EXPECT_EQ(scores.pearson, alone.pearson);
    EXPECT_EQ(scores.spearman, alone.spearman);
    EXPECT_EQ(scores.frobenius, alone.frobenius);
    EXPECT_EQ(scores.max, alone.max);
    const auto again = pairwise_distances(map, context);
    EXPECT_EQ(again(3, 200), pairwise_distances(map)(3, 200));
  });
}

TEST(DistanceScores, RefuseBadInputByNameAndPlace) {
  const auto d = pairwise_distances(random_points(5, 3, 11));
  auto bad = d;
  bad(2, 4) = std::numeric_limits<double>::infinity();
  EXPECT_NE(refusal([&] { score_distances(d, bad); }).find("estimate has inf in row 2, column 4"),
            std::string::npos);
  EXPECT_NE(refusal([&] { score_distances(d, Matrix<double>(4, 4)); }).find("5 points"),
            std::string::npos);
  EXPECT_NE(refusal([&] { score_distances(Matrix<double>(3, 5), d); }).find("3 x 5"),
            std::string::npos);
  EXPECT_NE(refusal([&] { score_distances({}, d); }).find("truth"), std::string::npos);
}

TEST(DistanceScores, StopWhenAsked) {
  const auto d = pairwise_distances(random_points(5, 3, 11));
  Context context;
  context.on_progress = [](const Progress&) { return Next::stop_here; };
  EXPECT_THROW(score_distances(d, d, context), Stopped);
}

}  // namespace
}  // namespace geotherm
