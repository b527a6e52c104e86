// The approximate search: recall, exact distances, sameness, what it says about its limits.
#include <gtest/gtest.h>

#include <set>

#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

using testing::expect_same;
using testing::gaussian_points;

double recall(const NeighborLists& lists, const NeighborLists& truth) {
  std::size_t n_found = 0;
  for (std::size_t i = 0; i < truth.n_points; ++i) {
    const std::set<Index> found(lists.neighbors(i).begin(), lists.neighbors(i).end());
    for (const Index j : truth.neighbors(i)) n_found += found.count(j);
  }
  return static_cast<double>(n_found) / static_cast<double>(truth.indices.size());
}

NeighborOptions options_of(NeighborSearch search, double reach = 1,
                           Metric metric = Metric::euclidean) {
  return {.knn = 10, .metric = metric, .search = search, .reach = reach};
}

TEST(ApproximateNeighbors, FindNearlyAllOfTwentyThousandPointsInTwentyDimensions) {
  const auto points = gaussian_points<float>(20000, 20);
  const NeighborLists lists = find_neighbors(points, options_of(NeighborSearch::approximate));
  const NeighborLists truth = find_neighbors(points, options_of(NeighborSearch::brute_force));
  EXPECT_EQ(lists.search_used, NeighborSearch::approximate);
  EXPECT_EQ(lists.truncated_share, 0);
  EXPECT_GE(recall(lists, truth), 0.98);  // .997 when written
  for (std::size_t i = 0; i < lists.n_points; ++i) EXPECT_EQ(lists.neighbors(i).size(), 10U);
}

TEST(ApproximateNeighbors, HaveTheDistancesOfTheExactSearch) {
  const Matrix<double> points = gaussian_points(2000, 12);
  for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::correlation}) {
    const NeighborLists lists =
        find_neighbors(points, options_of(NeighborSearch::approximate, 1.05, metric));
    const NeighborLists truth =
        find_neighbors(points, options_of(NeighborSearch::brute_force, 1.05, metric));
    EXPECT_GE(recall(lists, truth), 0.98);
    std::size_t n_same = 0;
    for (std::size_t i = 0; i < 2000; ++i) {
      const auto found = lists.neighbors(i), right = truth.neighbors(i);
      if (!std::equal(found.begin(), found.end(), right.begin(), right.end())) continue;
      ++n_same;
      EXPECT_TRUE(
          std::equal(lists.lengths(i).begin(), lists.lengths(i).end(), truth.lengths(i).begin()));
    }
    EXPECT_GT(n_same, 1400U);  // .99 ^ 15 = .86 of the lists are expected to be whole
  }
}

TEST(ApproximateNeighbors, AreTheSameForAnyNumberOfThreadsAndDependOnTheSeedOnly) {
  const Matrix<double> points = gaussian_points(6000, 12);
  Context context;
  context.seed = 5;
  const NeighborOptions options = options_of(NeighborSearch::approximate, 1.02);
  const NeighborLists alone = find_neighbors(points, options, context);
  for (const std::size_t n_threads : {1, 2, 8}) {
    ThreadPool pool(n_threads);
    context.executor = &pool;
    const NeighborLists lists = find_neighbors(points, options, context);
    expect_same(lists, alone);
    EXPECT_EQ(lists.truncated_share, alone.truncated_share);
  }
}

TEST(ApproximateNeighbors, ListWhatLiesWithinReachOfTheLast) {
  const auto points = gaussian_points<float>(20000, 10);
  const NeighborLists lists = find_neighbors(points, options_of(NeighborSearch::approximate, 1.1));
  const NeighborLists truth = find_neighbors(points, options_of(NeighborSearch::brute_force, 1.1));
  EXPECT_EQ(lists.search_used, NeighborSearch::approximate);
  EXPECT_EQ(lists.reach, 1.1);
  EXPECT_GT(truth.indices.size(), 20000U * 15);  // so there is something beyond the tenth
  EXPECT_GE(recall(lists, truth), 0.98);
}

TEST(ApproximateNeighbors, GiveWayToBruteForceWhereThereIsNoStructureToSearchBy) {
  // In 60 dimensions the nearest lie in all directions, so in most of the cells.
  const auto points = gaussian_points<float>(3000, 60);
  const NeighborLists lists = find_neighbors(points, options_of(NeighborSearch::approximate));
  EXPECT_EQ(lists.search_used, NeighborSearch::brute_force);
  expect_same(lists, find_neighbors(points, options_of(NeighborSearch::brute_force)));
}

TEST(ApproximateNeighbors, CopeWithDuplicatesAndTightGroupsFarApart) {
  Matrix<double> points = gaussian_points(3000, 10);
  for (std::size_t i = 0; i < 3000; ++i) {
    // Groups of 100 at distances 1e4 times their size; the first 500 points occur twice.
    for (std::size_t c = 0; c < 10; ++c)
      points(i, c) += c == i / 100 % 10 ? 1e4 * double(i / 1000) : 0;
    if (i >= 500 && i < 1000) {
      for (std::size_t c = 0; c < 10; ++c) points(i, c) = points(i - 500, c);
    }
  }
  const NeighborLists lists = find_neighbors(points, options_of(NeighborSearch::approximate));
  const NeighborLists truth = find_neighbors(points, options_of(NeighborSearch::brute_force));
  EXPECT_GE(recall(lists, truth), 0.95);
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(lists.lengths(i)[0], 0);
  const Matrix<double> equal(1500, 10, 1.0);
  for (const double d : find_neighbors(equal, options_of(NeighborSearch::approximate)).distances) {
    EXPECT_EQ(d, 0);
  }
}

TEST(ApproximateNeighbors, GiveWayToBruteForceAndSaySo) {
  const Matrix<double> points = gaussian_points(1200, 10);
  EXPECT_EQ(find_neighbors(points, options_of(NeighborSearch::approximate, 1, Metric::manhattan))
                .search_used,
            NeighborSearch::approximate);
  EXPECT_EQ(
      find_neighbors(gaussian_points(200, 10), options_of(NeighborSearch::approximate)).search_used,
      NeighborSearch::brute_force);
  EXPECT_EQ(find_neighbors(points, options_of(NeighborSearch::automatic)).search_used,
            NeighborSearch::brute_force);
  EXPECT_EQ(
      find_neighbors(gaussian_points(200, 4), options_of(NeighborSearch::automatic)).search_used,
      NeighborSearch::tree);
}

}  // namespace
}  // namespace geotherm
