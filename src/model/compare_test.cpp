// Comparing maps: known differences come out as known numbers.
#include "geotherm/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace geotherm {
namespace {

Matrix<double> cloud(std::size_t n, std::size_t n_columns) {
  Rng rng(4, "compare.test");
  Matrix<double> points(n, n_columns);
  for (std::size_t e = 0; e < points.size(); ++e) points.data()[e] = rng.normal();
  return points;
}

TEST(CompareMaps, ATurnedScaledAndShiftedMapIsTheSameMap) {
  const Matrix<double> first = cloud(80, 2);
  Matrix<double> second(80, 2);
  for (std::size_t i = 0; i < 80; ++i) {
    second(i, 0) = 7 - 3 * first(i, 1);
    second(i, 1) = 2 + 3 * first(i, 0);
  }
  const MapComparison found = compare_maps(first, second);
  // 1e-12: sums of 80 terms of order 1 to 10.
  EXPECT_NEAR(found.rms, 0, 1e-12);
  EXPECT_NEAR(found.disparity, 0, 1e-12);
  EXPECT_NEAR(found.scale, 1.0 / 3, 1e-12);
  EXPECT_NEAR(found.distance_correlation, 1, 1e-12);
  EXPECT_NEAR(found.distance_rank_correlation, 1, 1e-12);
  for (const double kept : found.kept_neighbors) EXPECT_EQ(kept, 1.0);
}

TEST(CompareMaps, SaysWhichGroupMoved) {
  const std::size_t n = 90;
  Matrix<double> first = cloud(n, 2);
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < n; ++i) {
    groups.emplace_back(i < 30 ? "b" : i < 60 ? "a" : "c");
    first(i, 0) += i < 30 ? 0 : i < 60 ? 20 : 0;
    first(i, 1) += i < 60 ? 0 : 20;
  }
  Matrix<double> second = first;
  for (std::size_t i = 60; i < n; ++i) {
    const std::size_t other = 60 + (7 * i) % 30;  // and its inside is another
    second(i, 0) = first(other, 0);
    second(i, 1) = first(other, 1) + 5;
  }
  const MapComparison found = compare_maps(first, second, groups);
  ASSERT_EQ(found.groups.size(), 3U);
  EXPECT_EQ(found.groups[0].name, "b");
  EXPECT_EQ(found.groups[2].name, "c");
  EXPECT_EQ(found.groups[2].n_points, 30U);
  EXPECT_GT(found.groups[2].rms, 1.2 * found.groups[0].rms);
  EXPECT_EQ(found.groups[0].kept_neighbors, 1.0);
  EXPECT_EQ(found.groups[1].kept_neighbors, 1.0);
  EXPECT_LT(found.groups[2].kept_neighbors, 0.9);
  EXPECT_GT(found.groups[2].relative_distance, found.groups[0].relative_distance);
  EXPECT_LT(found.distance_correlation, 1);
  double sum = 0;
  for (const double d : found.displacement) sum += d * d;
  EXPECT_NEAR(found.rms, std::sqrt(sum / static_cast<double>(n)), 1e-12);
  EXPECT_NEAR(found.disparity, (found.rms * found.rms) / (found.extent * found.extent), 1e-12);
}

TEST(CompareMaps, FillsMapsOfFewerDimensionsAndDrawsPairsWhereThereAreMany) {
  const Matrix<double> deep = cloud(400, 3);
  Matrix<double> flat(400, 2);
  for (std::size_t i = 0; i < 400; ++i) {
    for (std::size_t k = 0; k < 2; ++k) flat(i, k) = deep(i, k);
  }
  const MapComparison found = compare_maps(deep, flat, {}, {.max_points = 50});
  EXPECT_EQ(found.aligned.cols(), 3U);
  const MapComparison all = compare_maps(deep, flat);
  EXPECT_NE(found.distance_correlation, all.distance_correlation);
  // 1,225 pairs instead of 79,800: the correlation is known to about .02.
  EXPECT_NEAR(found.distance_correlation, all.distance_correlation, 0.06);
  EXPECT_EQ(found.kept_neighbors, all.kept_neighbors);
}

TEST(CompareMaps, RefusesWhatCannotBeComparedAndHoldsOnFewPoints) {
  const Matrix<double> four = cloud(4, 2), five = cloud(5, 2);
  EXPECT_THROW(compare_maps(four, five), InvalidArgument);
  EXPECT_THROW(compare_maps(four, four, {"a"}), InvalidArgument);
  EXPECT_THROW(compare_maps(four, four, {}, {.knn = 0}), InvalidArgument);
  Matrix<double> broken = four;
  broken(2, 1) = NAN;
  EXPECT_THROW(compare_maps(four, broken), InvalidArgument);
  for (const std::size_t n : {1U, 2U, 3U}) {
    const MapComparison found = compare_maps(cloud(n, 2), cloud(n, 2), {});
    EXPECT_EQ(found.kept_neighbors.size(), n);
    EXPECT_TRUE(std::isfinite(found.rms));
  }
}

}  // namespace
}  // namespace geotherm
