// Brute force and the tree against plain loops, on ordinary and on awkward data.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

using testing::expect_close;
using testing::expect_same;
using testing::gaussian_points;
using testing::grid_points;
using testing::plain_neighbors;

constexpr Metric all_metrics[] = {Metric::euclidean, Metric::cosine, Metric::correlation,
                                  Metric::manhattan};
constexpr NeighborSearch exact_searches[] = {NeighborSearch::brute_force, NeighborSearch::tree};

TEST(ExactNeighbors, AreThoseOfPlainLoopsInEveryMetricAndPrecision) {
  for (const std::size_t d : {2, 3, 8, 17, 50}) {
    const Matrix<double> points = gaussian_points(160, d);
    const Matrix<float> points32 = gaussian_points<float>(160, d);
    for (const Metric metric : all_metrics) {
      // In two dimensions all correlations are 1 or -1: nothing but ties.
      if (metric == Metric::correlation && d == 2) continue;
      for (const double reach : {1.0, 1.25}) {
        for (const NeighborSearch search : exact_searches) {
          const NeighborOptions options{
              .knn = 7, .metric = metric, .search = search, .reach = reach};
          SCOPED_TRACE(std::string(to_string(metric)) + " " + std::string(to_string(search)) + " " +
                       std::to_string(d));
          // 1e-13: sums of 50 terms in another order; 1 - cos loses 1e-16 of 1 in the oracle.
          const NeighborLists lists = find_neighbors(points, options);
          expect_close(lists, plain_neighbors(points, 7, reach, metric), 1e-13, 1e-2);
          EXPECT_EQ(lists.search_used, search);
          EXPECT_EQ(lists.truncated_share, 0);
          expect_close(find_neighbors(points32, options),
                       plain_neighbors(points32, 7, reach, metric), 1e-13, 1e-2);
        }
      }
    }
  }
}

TEST(ExactNeighbors, BreakTiesByIndexOnIntegerGrids) {
  for (const std::size_t d : {1, 2, 3, 9}) {
    for (const std::uint64_t levels : {2, 4, 7}) {
      const Matrix<double> points = grid_points(250, d, levels);
      for (const Metric metric : {Metric::euclidean, Metric::manhattan}) {
        for (const double reach : {1.0, 1.2}) {
          const NeighborLists truth = plain_neighbors(points, 10, reach, metric);
          for (const NeighborSearch search : exact_searches) {
            SCOPED_TRACE(std::to_string(d) + " " + std::to_string(levels));
            expect_same(
                find_neighbors(points,
                               {.knn = 10, .metric = metric, .search = search, .reach = reach}),
                truth);
          }
        }
      }
    }
  }
}

TEST(ExactNeighbors, OfTreeAndBruteForceAgreeToTheBit) {
  for (const Metric metric : all_metrics) {
    for (const std::size_t d : {3, 12}) {
      const Matrix<double> points = gaussian_points(1500, d, 5);
      NeighborOptions options{
          .knn = 12, .metric = metric, .search = NeighborSearch::brute_force, .reach = 1.1};
      const NeighborLists brute = find_neighbors(points, options);
      options.search = NeighborSearch::tree;
      expect_same(find_neighbors(points, options), brute);
    }
  }
}

TEST(ExactNeighbors, AreTheSameForAnyNumberOfThreads) {
  const Matrix<double> points = gaussian_points(2500, 9, 6);
  for (const NeighborSearch search : exact_searches) {
    for (const Metric metric : {Metric::euclidean, Metric::manhattan}) {
      const NeighborOptions options{.knn = 10, .metric = metric, .search = search, .reach = 1.057};
      const NeighborLists alone = find_neighbors(points, options);
      for (const std::size_t n_threads : {1, 2, 8}) {
        ThreadPool pool(n_threads);
        Context context;
        context.executor = &pool;
        expect_same(find_neighbors(points, options, context), alone);
      }
    }
  }
}

TEST(ExactNeighbors, DoNotChangeUnderPowersOfTwoOfAnySize) {
  const Matrix<double> points = gaussian_points(300, 12, 7);
  for (const NeighborSearch search : exact_searches) {
    for (const Metric metric : all_metrics) {
      const NeighborOptions options{.knn = 5, .metric = metric, .search = search, .reach = 1.1};
      const NeighborLists truth = find_neighbors(points, options);
      const bool has_unit = metric == Metric::euclidean || metric == Metric::manhattan;
      for (const int exponent : {-1000, -500, -40, 40, 500, 1000}) {  // 1e-301 ... 1e301
        Matrix<double> scaled = points;
        for (std::size_t k = 0; k < scaled.size(); ++k) {
          scaled.data()[k] = std::ldexp(scaled.data()[k], exponent);
        }
        NeighborLists lists = find_neighbors(scaled, options);
        if (has_unit) {
          for (double& d : lists.distances) d = std::ldexp(d, -exponent);
        }
        expect_same(lists, truth);
      }
    }
  }
}

TEST(ExactNeighbors, SurviveAHugeOffset) {
  Matrix<double> points = gaussian_points(500, 20, 8);
  for (std::size_t k = 0; k < points.size(); ++k) points.data()[k] += 1e8;
  const NeighborLists truth = plain_neighbors(points, 8, 1.1, Metric::euclidean);
  for (const NeighborSearch search : exact_searches) {
    // 1e-13: the shifted points are taken as they are, rounded; their differences are exact.
    expect_close(find_neighbors(points, {.knn = 8, .search = search, .reach = 1.1}), truth, 1e-13);
  }
}

TEST(ExactNeighbors, AreFoundInTightGroupsThatFloatsCannotTellApart) {
  // Two groups at distance 1e9 of their size: a float32 product sees two points. More of them than
  // the block limit of 1000, so that the finer product has to step in.
  Matrix<double> points = gaussian_points(2600, 9, 9);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t c = 0; c < 9; ++c) points(i, c) += i % 2 == 0 ? 5e8 : -5e8;
  }
  const NeighborOptions brute{.knn = 6, .search = NeighborSearch::brute_force, .reach = 1.05};
  const NeighborOptions tree{.knn = 6, .search = NeighborSearch::tree, .reach = 1.05};
  const NeighborLists lists = find_neighbors(points, brute);
  expect_same(lists, find_neighbors(points, tree));
  for (std::size_t i = 0; i < points.rows(); i += 100) {
    const Index nearest = lists.neighbors(i)[0];
    EXPECT_EQ(static_cast<std::size_t>(nearest) % 2, i % 2);
  }
}

TEST(ExactNeighbors, AreNotDisturbedByOneFarPoint) {
  Matrix<double> points = gaussian_points(400, 12, 10);
  for (std::size_t c = 0; c < 12; ++c) points(17, c) = 1e30;
  const NeighborLists truth = plain_neighbors(points, 6, 1.1, Metric::euclidean);
  for (const NeighborSearch search : exact_searches) {
    expect_close(find_neighbors(points, {.knn = 6, .search = search, .reach = 1.1}), truth, 1e-13);
  }
}

TEST(ExactNeighbors, WorkForOneTwoAndThreePointsAndForAllOthers) {
  for (const NeighborSearch search : {NeighborSearch::automatic, NeighborSearch::brute_force,
                                      NeighborSearch::tree, NeighborSearch::approximate}) {
    const NeighborLists alone = find_neighbors(gaussian_points(1, 4), {.search = search});
    EXPECT_EQ(alone.n_points, 1U);
    EXPECT_EQ(alone.knn, 0U);
    EXPECT_EQ(alone.offsets, (std::vector<std::size_t>{0, 0}));
    for (const std::size_t n : {2, 3, 40}) {
      const Matrix<double> points = gaussian_points(n, 4);
      expect_close(find_neighbors(points, {.knn = n - 1, .search = search, .reach = 2}),
                   plain_neighbors(points, n - 1, 2, Metric::euclidean), 1e-13);
    }
  }
}

TEST(ExactNeighbors, OfEqualPointsAreTheFirstOnesAtDistanceZero) {
  const Matrix<double> points(50, 12, 3.25);
  for (const NeighborSearch search : exact_searches) {
    for (const Metric metric : all_metrics) {
      expect_same(find_neighbors(points, {.knn = 4, .metric = metric, .search = search}),
                  plain_neighbors(points, 4, 1, Metric::euclidean));
    }
  }
}

TEST(ExactNeighbors, PutRowsWithoutDirectionAtDistanceOneFromTheRest) {
  Matrix<double> points = gaussian_points(6, 5, 11);
  for (std::size_t c = 0; c < 5; ++c) {
    points(1, c) = 0;
    points(4, c) = 0;
  }
  const NeighborLists cosine =
      find_neighbors(points, {.knn = 5, .metric = Metric::cosine, .search = NeighborSearch::tree});
  EXPECT_EQ(cosine.neighbors(1)[0], 4);
  EXPECT_EQ(cosine.lengths(1)[0], 0);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_NEAR(cosine.lengths(1)[k], 1, 1e-15);
  // Constant rows that are no binary fractions: exactly constant all the same.
  for (std::size_t c = 0; c < 5; ++c) {
    points(1, c) = 0.1;
    points(4, c) = 1e8 / 3;
  }
  const NeighborLists correlation = find_neighbors(
      points, {.knn = 5, .metric = Metric::correlation, .search = NeighborSearch::brute_force});
  EXPECT_EQ(correlation.neighbors(1)[0], 4);
  EXPECT_EQ(correlation.lengths(1)[0], 0);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_NEAR(correlation.lengths(1)[k], 1, 1e-15);
}

TEST(ExactNeighbors, KeepSmallCosineDistancesAccurate) {
  // Angle 1e-6: 1 - cos = 5e-13, of which 1 - dot would keep three digits.
  Matrix<double> points(3, 2);
  points(0, 0) = 7;
  points(1, 0) = 3 * std::cos(1e-6);
  points(1, 1) = 3 * std::sin(1e-6);
  points(2, 1) = 1;
  const NeighborLists lists = find_neighbors(points, {.knn = 1, .metric = Metric::cosine});
  EXPECT_NEAR(lists.lengths(0)[0], 2 * std::pow(std::sin(0.5e-6), 2), 5e-13 * 1e-9);
}

TEST(ExactNeighbors, ReadRowsThroughAStride) {
  const Matrix<double> wide = gaussian_points(60, 7, 12);
  Matrix<double> narrow(60, 4);
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t c = 0; c < 4; ++c) narrow(i, c) = wide(i, c + 2);
  }
  const MatrixView<const double> view{wide.data() + 2, 60, 4, 7};
  for (const NeighborSearch search : exact_searches) {
    const NeighborOptions options{.knn = 5, .search = search};
    expect_same(find_neighbors(view, options), find_neighbors(narrow, options));
  }
}

TEST(ExactNeighbors, StopWhenAsked) {
  const std::atomic<bool> stop{true};
  Context context;
  context.stop = &stop;
  for (const NeighborSearch search :
       {NeighborSearch::brute_force, NeighborSearch::tree, NeighborSearch::approximate}) {
    EXPECT_THROW(find_neighbors(gaussian_points(1200, 10), {.search = search}, context), Stopped);
  }
}

TEST(ExactNeighbors, OfManyPointsInAnyOrderAreThoseOfTheTree) {
  // Enough that those near in space are looked at first; ties and groups far apart among them.
  Matrix<double> points = testing::grid_points<double>(9000, 5, 6);
  for (std::size_t i = 0; i < points.rows(); ++i) points(i, 0) += i % 3 == 0 ? 1000.0 : 0.0;
  NeighborOptions options{.knn = 9, .search = NeighborSearch::brute_force, .reach = 1.1};
  const NeighborLists all = find_neighbors(std::as_const(points).view(), options);
  ASSERT_EQ(all.search_used, NeighborSearch::brute_force);
  options.search = NeighborSearch::tree;
  const NeighborLists tree = find_neighbors(std::as_const(points).view(), options);
  ASSERT_EQ(tree.search_used, NeighborSearch::tree);
  EXPECT_EQ(all.offsets, tree.offsets);
  EXPECT_EQ(all.indices, tree.indices);
  EXPECT_EQ(all.distances, tree.distances);
}

}  // namespace
}  // namespace geotherm
