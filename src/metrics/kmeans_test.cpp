// k-means: optimality on small sets by brute force, degenerate input, threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "geotherm/metrics.hpp"
#include "metrics/test_points.hpp"

namespace geotherm {
namespace {

using namespace testing;

double within_of(const Matrix<double>& points, const std::vector<std::size_t>& cluster,
                 std::size_t n_clusters) {
  double within = 0;
  for (std::size_t c = 0; c < n_clusters; ++c) {
    for (std::size_t k = 0; k < points.cols(); ++k) {
      double sum = 0, squares = 0, n = 0;
      for (std::size_t i = 0; i < points.rows(); ++i) {
        if (cluster[i] != c) continue;
        sum += points(i, k);
        squares += points(i, k) * points(i, k);
        ++n;
      }
      if (n > 0) within += squares - sum * sum / n;
    }
  }
  return within;
}

TEST(Kmeans, FindsTheBestOfAllPartitionsOfAFewPoints) {
  const auto points = random_points(9, 2, 1);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t code = 0; code < 19683; ++code) {  // 3^9
    std::vector<std::size_t> cluster(9);
    for (std::size_t i = 0, rest = code; i < 9; ++i, rest /= 3) cluster[i] = rest % 3;
    best = std::min(best, within_of(points, cluster, 3));
  }
  const Kmeans found = kmeans(points, {.n_clusters = 3});
  EXPECT_EQ(found.outcome, Outcome::converged);
  EXPECT_NEAR(found.within, best, 1e-12);
  const std::vector<std::size_t> clusters(found.clusters.begin(), found.clusters.end());
  EXPECT_NEAR(found.within, within_of(points, clusters, 3), 1e-12);
}

TEST(Kmeans, GivesEveryPointItsNearestCentreAndCentresTheirMeans) {
  const auto points = random_points(300, 3, 2);
  const Kmeans found = kmeans(points, {.n_clusters = 7});
  ASSERT_EQ(found.centers.rows(), 7U);
  Matrix<double> sums(7, 3);
  std::vector<double> sizes(7);
  for (std::size_t i = 0; i < 300; ++i) {
    const auto own = static_cast<std::size_t>(found.clusters[i]);
    ++sizes[own];
    const auto squares = [&](std::size_t c) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        sum += std::pow(points(i, k) - found.centers(c, k), 2);
      }
      return sum;
    };
    for (std::size_t k = 0; k < 3; ++k) sums(own, k) += points(i, k);
    for (std::size_t c = 0; c < 7; ++c) EXPECT_LE(squares(own), squares(c) + 1e-12);
  }
  for (std::size_t c = 0; c < 7; ++c) {
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(found.centers(c, k), sums(c, k) / sizes[c], 1e-12);
    }
  }
}

TEST(Kmeans, FindsFewerClustersWhereThereAreFewerDistinctPoints) {
  const Matrix<double> equal(6, 2, 3.5);
  const Kmeans one = kmeans(equal, {.n_clusters = 4});
  EXPECT_EQ(one.centers.rows(), 1U);
  EXPECT_EQ(one.within, 0.0);
  Matrix<double> two(6, 1);
  for (std::size_t i = 3; i < 6; ++i) two(i, 0) = 1;
  const Kmeans both = kmeans(two, {.n_clusters = 6});
  EXPECT_EQ(both.within, 0.0);
  EXPECT_EQ(std::set<Index>(both.clusters.begin(), both.clusters.end()).size(), 2U);
  EXPECT_EQ(both.clusters[0], both.clusters[2]);
  const Kmeans single = kmeans(Matrix<double>(1, 3, 2.0), {.n_clusters = 1});
  EXPECT_EQ(single.clusters, std::vector<Index>{0});
  EXPECT_EQ(single.centers(0, 1), 2.0);
  const auto three = random_points(3, 2, 4);
  EXPECT_EQ(kmeans(three, {.n_clusters = 10}).centers.rows(), 3U);
}

TEST(Kmeans, HasTheSameBitsForAnyNumberOfThreadsAndFollowsTheSeed) {
  const auto points = random_points(400, 2, 3);
  const Kmeans alone = kmeans(points, {.n_clusters = 12});
  for_numbers_of_threads([&](const Context& context) {
    const Kmeans again = kmeans(points, {.n_clusters = 12}, context);
    EXPECT_EQ(again.clusters, alone.clusters);
    EXPECT_EQ(again.within, alone.within);
  });
  Context other;
  other.seed = 99;
  EXPECT_NE(kmeans(points, {.n_clusters = 12, .n_restarts = 1}, other).clusters,
            kmeans(points, {.n_clusters = 12, .n_restarts = 1}).clusters);
  EXPECT_LE(alone.within, kmeans(points, {.n_clusters = 12, .n_restarts = 1}).within);
}

TEST(Kmeans, DoesNotDependOnTheUnit) {
  const auto points = random_points(100, 2, 5);
  const Kmeans plain = kmeans(points, {.n_clusters = 5});
  for (const double factor : {0x1p-400, 0x1p600}) {
    EXPECT_EQ(kmeans(times(points, factor), {.n_clusters = 5}).clusters, plain.clusters);
  }
}

TEST(Kmeans, RefusesBadInput) {
  auto points = random_points(5, 2, 6);
  EXPECT_TRUE(issues_with(KmeansOptions{}).empty());
  EXPECT_EQ(
      issues_with(KmeansOptions{.n_clusters = 0, .n_restarts = 0, .max_iterations = 0}).size(), 3U);
  points(3, 1) = std::nan("");
  EXPECT_NE(refusal([&] { kmeans(points, {}); }).find("row 3, column 1"), std::string::npos);
  EXPECT_NE(refusal([&] { kmeans({}, {}); }).find("empty"), std::string::npos);
}

}  // namespace
}  // namespace geotherm
