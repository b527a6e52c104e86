// Refinement as the last stage of the methods.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "geotherm/methods.hpp"

namespace geotherm {
namespace {

/// A bent sheet in four dimensions; rows 3 and 70 are equal.
Matrix<double> sheet() {
  Rng rng(3, "refine_stage.test");
  Matrix<double> points(240, 4);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double angle = 1.5 + 6 * rng.uniform();
    points(i, 0) = angle * std::cos(angle);
    points(i, 1) = 5 * rng.uniform();
    points(i, 2) = angle * std::sin(angle);
    points(i, 3) = 0.1 * rng.normal();
  }
  std::ranges::copy(points.row(3), points.row(70).begin());
  return points;
}

bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

double number(const EmbeddingRun& run, const char* name) {
  return std::get<double>(run.distances.report.resolved.at(name));
}

std::string text(const EmbeddingRun& run, const char* name) {
  return std::get<std::string>(run.distances.report.resolved.at(name));
}

/// Gaussians around centres in twelve dimensions: a map in two loses most of their neighbours.
Matrix<double> clouds() {
  Rng rng(4, "refine_stage.test");
  Matrix<double> points(600, 12), centres(6, 12);
  for (double& x : std::span(centres.data(), centres.size())) x = 2 * rng.normal();
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t k = 0; k < 12; ++k) points(i, k) = centres(i % 6, k) + rng.normal();
  }
  return points;
}

TEST(RefinedMethods, AreOnByDefaultWhereHeatGeoKeepsFewNeighbours) {
  const Matrix<double> points = clouds();
  // In the directions in which the centres differ; with those of the inside, too, paths would be lost.
  const PcaOptions centres{.rank = 5};
  const EmbeddingRun run = heat_geo(points, {.pca = centres});
  EXPECT_LT(number(run, "refine_kept_before"), 0.5);
  EXPECT_GT(number(run, "refine_kept"), number(run, "refine_kept_before") + 0.04);
  EXPECT_GT(number(run, "refine_epochs"), 0) << text(run, "refine_reason");
  EXPECT_GT(run.distances.report.timings_s.at("refinement"), 0);
  const EmbeddingRun plain =
      heat_geo(points, {.pca = centres, .refine = RefineOptions{.epochs = 0}});
  EXPECT_FALSE(same_bits(run.embedding.coordinates, plain.embedding.coordinates));
  EXPECT_GE(number(run, "refine_geodesics"), 0.96 * number(run, "refine_geodesics_before"));
  EXPECT_TRUE(same_bits(run.unrefined, plain.embedding.coordinates));
  EXPECT_TRUE(plain.unrefined.empty());
  // Other methods stay as they were published.
  EXPECT_EQ(number(phate(points), "refine_epochs"), 0);
}

/// It would gain few neighbours for what its distances lose.
TEST(RefinedMethods, LeaveOneGaussianCloudAloneByDefault) {
  for (const std::uint64_t seed : {9, 10, 11, 12, 13, 14, 15, 16}) {
    Rng rng(seed, "refine_stage.test");
    Matrix<double> points(800, seed < 13 ? 5 : 10);
    for (double& x : std::span(points.data(), points.size())) x = rng.normal();
    const EmbeddingRun run = heat_geo(points);
    EXPECT_EQ(number(run, "refine_epochs"), 0) << seed;
    EXPECT_LT(number(run, "refine_kept_before"), 0.5);
    EXPECT_LT(number(run, "refine_geodesics"), 0.98 * number(run, "refine_geodesics_before"));
    const std::string reason = text(run, "refine_reason");
    EXPECT_NE(reason.find("paths along the graph"), std::string::npos) << reason;
  }
}

/// Four Gaussians in five dimensions, far apart: the inside of each is a cloud. Three noisy arms in
/// twelve dimensions have an arrangement that stays.
TEST(RefinedMethods, MakeGroupsCompactByDefaultUnlessTheirInsideWouldBeLost) {
  Rng rng(5, "refine_stage.test");
  Matrix<double> apart(800, 5), arms(600, 12);
  for (std::size_t i = 0; i < 800; ++i) {
    for (std::size_t k = 0; k < 5; ++k) apart(i, k) = (i % 4 == k ? 40 : 0) + rng.normal();
  }
  for (std::size_t i = 0; i < 600; ++i) {
    for (std::size_t k = 0; k < 12; ++k) arms(i, k) = rng.normal();
    arms(i, i % 3) += 20 * rng.uniform();
  }
  // What is chosen is the map of the balance, with compact groups or without.
  const EmbeddingRun clusters = heat_geo(apart);
  EXPECT_EQ(number(clusters, "components"), 4);
  EXPECT_LT(number(clusters, "refine_agreement"), 0.9);
  EXPECT_EQ(number(clusters, "refine_compact"), 0);
  EXPECT_EQ(number(clusters, "refine_epochs"), 72);
  RefineOptions asked{.balance = 0.12};
  EXPECT_TRUE(same_bits(clusters.embedding.coordinates,
                        heat_geo(apart, {.refine = asked}).embedding.coordinates));

  const EmbeddingRun tree = heat_geo(arms);
  EXPECT_GE(number(tree, "refine_agreement"), 0.9);
  EXPECT_EQ(number(tree, "refine_compact"), 1);
  asked = {.balance = 0.25, .spacing = 2.5, .averaging = 3};
  EXPECT_TRUE(same_bits(tree.embedding.coordinates,
                        heat_geo(arms, {.refine = asked}).embedding.coordinates));
}

TEST(RefinedMethods, AreOffByDefaultForASheetAndTheSameWithBalanceZero) {
  const Matrix<double> points = sheet();
  for (const Method& method : methods()) {
    if (method.name == "mds" || method.name == "tsne" || method.name == "umap") continue;
    MethodOptions options;
    const EmbeddingRun plain = method.embed(points, options, {});
    EXPECT_EQ(number(plain, "refine_epochs"), 0) << method.name;
    options.refine = RefineOptions{.balance = 0};
    const EmbeddingRun zero = method.embed(points, options, {});
    EXPECT_TRUE(same_bits(plain.embedding.coordinates, zero.embedding.coordinates)) << method.name;
  }
}

TEST(RefinedMethods, MoveEveryMapWithinItsBoundAndKeepEqualRowsTogether) {
  const Matrix<double> points = sheet();
  for (const Method& method : methods()) {
    if (method.name == "mds" || method.name == "tsne" || method.name == "umap") continue;
    for (const std::size_t n_components : {2u, 3u}) {
      MethodOptions options;
      options.mds.n_components = n_components;
      const Matrix<double> plain =
          method.embed(points, options, {}).embedding.coordinates;
      options.refine = RefineOptions{.epochs = 20};
      const EmbeddingRun run = method.embed(points, options, {});
      const Matrix<double>& map = run.embedding.coordinates;
      ASSERT_EQ(map.rows(), 240u) << method.name;
      EXPECT_EQ(number(run, "refine_epochs"), 20) << method.name;
      EXPECT_EQ(map(3, 0), map(70, 0)) << method.name;
      EXPECT_EQ(map(3, 1), map(70, 1)) << method.name;
      double largest = 0;
      for (std::size_t i = 0; i < map.size(); ++i) {
        largest = std::max(largest, std::abs(map.data()[i] - plain.data()[i]));
      }
      EXPECT_GT(largest, 0) << method.name;
      EXPECT_LE(largest, 1.001 * number(run, "refine_largest_move")) << method.name;
    }
  }
}

TEST(RefinedMethods, LeaveMapsOfManyDimensionsAloneAndSaySo) {
  MethodOptions options;
  options.mds.n_components = 4;
  options.refine = RefineOptions{.epochs = 20};
  const EmbeddingRun run = pca_map(sheet(), options);
  EXPECT_EQ(number(run, "refine_epochs"), 0);
  EXPECT_NE(text(run, "refine_reason").find("4"), std::string::npos);
}

TEST(RefinedMethods, WorkOnDistancesNeighboursAndAffinities) {
  const Matrix<double> points = sheet();
  const NeighborLists lists = find_neighbors(points, {.knn = 8});
  const SparseMatrix weights = build_graph(lists, {.kind = Affinity::knn}).weights;
  MethodOptions options;
  options.refine = RefineOptions{.epochs = 10};
  for (const Input& input : {Input(&lists), Input(Affinities{&weights})}) {
    EXPECT_EQ(number(heat_geo(input, options), "refine_epochs"), 10);
  }
  Matrix<double> distances(240, 240);
  for (std::size_t i = 0; i < 240; ++i) {
    for (std::size_t j = 0; j < 240; ++j) {
      for (std::size_t k = 0; k < 4; ++k) {
        distances(i, j) += std::pow(points(i, k) - points(j, k), 2);
      }
      distances(i, j) = std::sqrt(distances(i, j));
    }
  }
  EXPECT_EQ(number(metric_mds(DistanceMatrix{distances}, options), "refine_epochs"), 10);
}

TEST(RefineMap, OfTheUnrefinedMapIsTheRefinementOfPcaItself) {
  const Matrix<double> points = sheet();
  MethodOptions options;
  const Matrix<double> plain = pca_map(points, options).embedding.coordinates;
  options.refine = RefineOptions{.epochs = 15};
  EXPECT_TRUE(same_bits(refine_map(points, plain, options).embedding.coordinates,
                        pca_map(points, options).embedding.coordinates));
  EXPECT_THROW(refine_map(points, Matrix<double>(3, 2)), InvalidArgument);
}

TEST(AsPublished, HasNoRefinement) {
  MethodOptions options;
  options.refine = RefineOptions{.balance = 1};
  EXPECT_EQ(epochs_of(*as_published(options).refine), 0u);
}

}  // namespace
}  // namespace geotherm
