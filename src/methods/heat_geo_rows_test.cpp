// Distances from further rows after a run: the same numbers, without its stages.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "geotherm/methods.hpp"
#include "geotherm/points.hpp"

namespace geotherm {
namespace {

/// Stages that a call reports.
struct Listener {
  std::set<std::string> stages = {};
  Context context() {
    Context listening{.seed = 3};
    listening.on_progress = [this](const Progress& progress) {
      stages.emplace(progress.stage);
      return Next::go_on;
    };
    return listening;
  }
};

Matrix<double> roll(std::size_t n) {
  return synthesize(Shape::swiss_roll, {.n = n, .noise = 0.1}).X;
}

/// Two rolls far apart: two components and a bridge.
Matrix<double> two_rolls() {
  Matrix<double> both(500, 3);
  const Matrix<double> one = roll(250);
  for (std::size_t i = 0; i < 500; ++i) {
    for (std::size_t c = 0; c < 3; ++c) both(i, c) = one(i % 250, c) + (i < 250 ? 0 : 300);
  }
  return both;
}

void expect_rows_of_the_fit(const Matrix<double>& points, const MethodOptions& options) {
  const EmbeddingRun fit = heat_geo(points, options, {.seed = 3});
  const std::vector<Index> rows = {7, 0, 240};
  Listener listener;
  const Matrix<double> found =
      heat_geo_distances_from(fit.distances, rows, options, listener.context());
  ASSERT_EQ(found.rows(), rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t j = 0; j < found.cols(); ++j) {
      // Rows and square sum the same series in another order; the short time's square root doubles
      // the digits that are lost near 0.
      const double own = fit.distances.dissimilarity.values(static_cast<std::size_t>(rows[r]), j);
      ASSERT_NEAR(found(r, j), own, 1e-6 * (1 + own)) << r << " " << j;
    }
  }
  for (const char* stage : {"neighbours", "graph", "shortcut edges", "components", "time", "pca"}) {
    EXPECT_FALSE(listener.stages.contains(stage)) << stage;
  }
}

TEST(DistancesAfterARun, AreRowsOfAllPairs) { expect_rows_of_the_fit(roll(400), {}); }

TEST(DistancesAfterARun, AreRowsOfAllPairsAtATimeOfTheUsers) {
  expect_rows_of_the_fit(roll(300), {.heat = {.time = 8}, .time_choice = std::nullopt});
}

TEST(DistancesAfterARun, LeadAcrossComponents) { expect_rows_of_the_fit(two_rolls(), {}); }

TEST(DistancesAfterARun, ArePathsWhereHeatDoesNotReach) {
  // So short that far pairs have no heat: paths over other points stand in, and are not shorter.
  const MethodOptions brief = {.heat = {.time = 0.05}, .time_choice = std::nullopt};
  const Matrix<double> points = roll(400);
  const EmbeddingRun fit = heat_geo(points, brief, {.seed = 3});
  const std::vector<Index> rows = {11};
  const Matrix<double> found = heat_geo_distances_from(fit.distances, rows, brief, {.seed = 3});
  double largest = 0;
  for (std::size_t j = 0; j < found.cols(); ++j) {
    ASSERT_TRUE(std::isfinite(found(0, j)));
    largest = std::max(largest, found(0, j));
  }
  EXPECT_GT(largest, 20);  // the roll is some 90 long
}

TEST(DistancesAfterARun, ComeFromItsPivotsUnit) {
  MethodOptions by_pivots;
  by_pivots.landmarks = LandmarkOptions{.max_exact = 100};
  const Matrix<double> points = roll(600);
  const EmbeddingRun fit = heat_geo(points, by_pivots, {.seed = 3});
  ASSERT_EQ(std::get<std::string>(fit.distances.report.resolved.at("solver")), "pivots");
  const std::vector<Index> rows = {5};
  const Matrix<double> found = heat_geo_distances_from(fit.distances, rows, by_pivots, {.seed = 3});
  const Matrix<double> exact = heat_geo_distances_from(points, rows, {}, {.seed = 3}).rows;
  double off = 0, all = 0;
  for (std::size_t j = 0; j < found.cols(); ++j) {
    off += std::abs(found(0, j) - exact(0, j));
    all += exact(0, j);
  }
  EXPECT_LT(off / all, 0.05);  // another sample calibrates, and the diagonal is estimated
}

TEST(DistancesAfterARun, ComeFromItsLandmarks) {
  MethodOptions by_landmarks;
  by_landmarks.landmarks = LandmarkOptions{.count = 100};
  const EmbeddingRun fit = heat_geo(roll(600), by_landmarks, {.seed = 3});
  const std::vector<Index> rows = {5, 17};
  const Matrix<double> found =
      heat_geo_distances_from(fit.distances, rows, by_landmarks, {.seed = 3});
  const Matrix<double> own = fit.distances.landmarks.from(rows, {});
  by_landmarks.keep_landmarks = false;
  const EmbeddingRun map_alone = heat_geo(roll(600), by_landmarks, {.seed = 3});
  EXPECT_EQ(map_alone.distances.landmarks.n_points(), 0u);
  const Matrix<double>& map = fit.embedding.coordinates;
  for (std::size_t k = 0; k < map.size(); ++k) {
    EXPECT_EQ(map_alone.embedding.coordinates.data()[k], map.data()[k]);
  }
  for (std::size_t k = 0; k < own.size(); ++k) EXPECT_EQ(found.data()[k], own.data()[k]);
}

TEST(DistancesAfterARun, AreRefusedForOtherMethodsAndRows) {
  const Matrix<double> points = roll(100);
  const std::vector<Index> fine = {5}, beyond = {100};
  EXPECT_THROW(heat_geo_distances_from(phate(points).distances, fine), InvalidArgument);
  const EmbeddingRun fit = heat_geo(points);
  EXPECT_THROW(heat_geo_distances_from(fit.distances, beyond), InvalidArgument);
  EXPECT_THROW(heat_geo_distances_from(fit.distances, fine, {.dissimilarity = {.denoise = 0.1}}),
               InvalidArgument);
}

}  // namespace
}  // namespace geotherm
