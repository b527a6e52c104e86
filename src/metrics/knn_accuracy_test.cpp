// Leave-one-out votes of the nearest: by hand, ties, threads.
#include <gtest/gtest.h>

#include "geotherm/metrics.hpp"
#include "metrics/test_points.hpp"

namespace geotherm {
namespace {

using namespace testing;

TEST(KnnAccuracy, IsOneForGroupsThatLieApartAndZeroForPairsOfStrangers) {
  auto points = random_points(60, 2, 1);
  std::vector<Index> labels(60);
  for (std::size_t i = 0; i < 60; ++i) {
    labels[i] = static_cast<Index>(i % 3) * 1000 - 7;
    points(i, 0) += 100.0 * static_cast<double>(i % 3);
  }
  EXPECT_EQ(knn_accuracy({.coordinates = points}, labels), 1.0);
  const auto pairs = matrix_of({{0}, {1}, {10}, {11}});
  EXPECT_EQ(knn_accuracy({.coordinates = pairs}, std::vector<Index>{0, 1, 0, 1}, {.knn = 1}), 0.0);
}

TEST(KnnAccuracy, SettlesEqualVotesByTheNearestVoter) {
  // Seen from 0: one vote for class 5 at 1, one for class 2 at 3. The class with the lower number
  // would be wrong.
  const auto line = matrix_of({{0}, {1}, {-3}});
  const auto distances = pairwise_distances(line);
  // From 1: 5 (at 1) before 2; right. From -3: 5 twice; wrong.
  EXPECT_DOUBLE_EQ(knn_accuracy({.distances = distances}, std::vector<Index>{5, 5, 2}, {.knn = 2}),
                   2.0 / 3);
}

TEST(KnnAccuracy, CountsAMajorityOverANearestMinority) {
  // From 0: class 1 at distance 1, class 0 at 2 and 2.5: class 0 wins with two votes of three.
  const auto line = matrix_of({{0}, {1}, {-2}, {2.5}});
  const std::vector<Index> labels = {0, 1, 0, 0};
  // Every class-0 point sees 0, 0, 1; the class-1 point sees three of class 0.
  EXPECT_EQ(knn_accuracy({.coordinates = line}, labels, {.knn = 3}), 0.75);
}

TEST(KnnAccuracy, IsTheSameForAnyNumberOfThreadsAndSamplesRepeatably) {
  const auto points = random_points(300, 2, 2);
  std::vector<Index> labels(300);
  for (std::size_t i = 0; i < 300; ++i) labels[i] = points(i, 0) > 0 ? 1 : 0;
  const double whole = knn_accuracy({.coordinates = points}, labels);
  const double part = knn_accuracy({.coordinates = points}, labels, {.max_points = 150});
  EXPECT_GT(whole, 0.9);
  EXPECT_GT(part, 0.85);
  for_numbers_of_threads([&](const Context& context) {
    EXPECT_EQ(knn_accuracy({.coordinates = points}, labels, {}, context), whole);
    EXPECT_EQ(knn_accuracy({.coordinates = points}, labels, {.max_points = 150}, context), part);
  });
}

TEST(KnnAccuracy, RefusesTooFewLabelsAndTooManyNeighboursAtOnce) {
  const auto points = random_points(5, 2, 3);
  const std::string message =
      refusal([&] { knn_accuracy({.coordinates = points}, std::vector<Index>{1, 2}); });
  EXPECT_NE(message.find("2 labels for 5 points"), std::string::npos);
  EXPECT_NE(message.find("knn is 10"), std::string::npos);
}

}  // namespace
}  // namespace geotherm
