// The steps against noise, through the whole method: what they gain, what they leave alone, and
// what the report says of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geotherm/geotherm.hpp"
#include "test_data.hpp"

namespace geotherm {
namespace {

double number(const DistanceRun& run, const std::string& name) {
  return std::get<double>(run.report.resolved.at(name));
}

double pearson_of(const Dataset& data, const DistanceRun& run) {
  return score_distances(data.geodesic, run.dissimilarity.values).pearson;
}

TEST(Noise, ANoisyRollComesApartByDefaultAndNotAsPublished) {
  for (const std::uint64_t seed : {42, 43}) {
    const Dataset roll =
        synthesize(Shape::swiss_roll, {.n = 1200, .noise = 0.9, .dim = 50}, {.seed = seed});
    const Input input(roll.X.view());
    const DistanceRun found = heat_geo_distances(input);
    // The full table has 2,000 points (bench/noise/results.md); fewer points are rougher.
    EXPECT_GT(pearson_of(roll, found), 0.97) << "seed " << seed;
    EXPECT_LT(pearson_of(roll, heat_geo_distances(input, as_published({}))), 0.8)
        << "seed " << seed;
    EXPECT_GT(number(found, "edges_removed"), 0);
    EXPECT_LT(number(found, "removed_share"), 0.01);
    EXPECT_LE(number(found, "largest_removed_fraction"), 0.5 + 1e-12);
    EXPECT_EQ(number(found, "pca_rank"), 3);
  }
}

TEST(Noise, CleanDataPaysNothing) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 1200, .noise = 0.1}, {.seed = 42});
  const DistanceRun found = heat_geo_distances(roll.X.view());
  EXPECT_EQ(number(found, "edges_removed"), 0);
  EXPECT_GT(pearson_of(roll, found), 0.99);
}

TEST(Noise, DistancesAreInTheUnitsOfTheData) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 1200, .noise = 0.05}, {.seed = 44});
  const DistanceRun found = heat_geo_distances(roll.X.view());
  // Far pairs have the length of the true geodesic; shortest paths, the unit, are a little longer.
  std::vector<double> ratios;
  for (std::size_t i = 0; i < 1200; i += 7) {
    for (std::size_t j = 0; j < i; j += 5) {
      if (roll.geodesic(i, j) < 30) continue;
      ratios.push_back(found.dissimilarity.values(i, j) / roll.geodesic(i, j));
    }
  }
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                   ratios.end());
  EXPECT_NEAR(ratios[ratios.size() / 2], 1.0, 0.1);
  EXPECT_GT(number(found, "length_scale"), 0);
  // From chosen rows the same.
  const std::vector<Index> rows = {3, 700};
  const DistanceRun some = heat_geo_distances_from(roll.X.view(), rows);
  for (std::size_t j = 0; j < 1200; ++j) {
    const double whole = found.dissimilarity.values(700, j);
    EXPECT_NEAR(some.rows(1, j), whole, 1e-6 * (1 + whole));
  }
}

TEST(Noise, PrincipalComponentsAreNotReducedAgain) {
  const Dataset roll =
      synthesize(Shape::swiss_roll, {.n = 800, .noise = 0.5, .dim = 30}, {.seed = 45});
  const Pca components = pca(roll.X, {.rank = 30});
  EXPECT_TRUE(is_principal_components(components.scores));
  EXPECT_FALSE(is_principal_components(roll.X));
  const DistanceRun kept = heat_geo_distances(components.scores.view());
  EXPECT_EQ(number(kept, "pca_rank"), 30);
  EXPECT_EQ(number(heat_geo_distances(roll.X.view()), "pca_rank"), 3);
}

TEST(Noise, RealScoresAreKnownAsSuchAndRealMarkersAreNot) {
  GEOTHERM_NEEDS_DATA();
  const auto is_principal = [](const char* file, const char* key) {
    const NamedArray array = read_npz_array(testing::data_dir() + "/" + file, key);
    return std::visit(
        [&](const auto& values) {
          Matrix<double> table(array.shape[0], array.shape[1]);
          if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(values[0])>>) {
            for (std::size_t k = 0; k < table.size(); ++k) {
              table.data()[k] = static_cast<double>(values[k]);
            }
          }
          return is_principal_components(table);
        },
        array.values);
  };
  EXPECT_TRUE(is_principal("pbmc3k_processed_pca50_small.npz", "X_pca"));
  EXPECT_TRUE(is_principal("paul15_2730_pca50.npz", "X_pca"));
  EXPECT_TRUE(is_principal("morarach20_pca.npz", "X_pca"));
  EXPECT_TRUE(is_principal("weinreb_781_pca50.npz", "X_pca"));
  EXPECT_FALSE(is_principal("levine32_H2_31721x32_asinh.npz", "X"));
  EXPECT_FALSE(is_principal("tigon_EMT_3133x3.npz", "X"));
}

TEST(Noise, AGraphWithoutLengthsGetsNoStepThatNeedsThem) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 300, .noise = 0.5}, {.seed = 46});
  const Graph graph = build_graph(find_neighbors(roll.X.view(), {.knn = 10, .reach = 1.06}), {});
  const DistanceRun run = heat_geo_distances(Affinities{&graph.weights});
  EXPECT_EQ(std::get<std::string>(run.report.resolved.at("rates")), "hops");
  EXPECT_EQ(number(run, "length_scale"), 1);
  EXPECT_TRUE(run.report.resolved.contains("graph_lengths"));
  EXPECT_FALSE(run.report.resolved.contains("edges_removed"));
}

TEST(Noise, SmoothingIsThereForThickNoise) {
  const Dataset tree = synthesize(Shape::tree, {.n = 1500, .noise = 10, .dim = 10}, {.seed = 42});
  const Input input(tree.X.view());
  const DistanceRun thick = heat_geo_distances(input, {.smooth = SmoothOptions{}});
  EXPECT_GT(number(thick, "smooth_steps"), 0);
  EXPECT_GT(number(thick, "neighborhood_roundness"), 0.87);
  const Dataset clean = synthesize(Shape::tree, {.n = 1500, .noise = 1, .dim = 10}, {.seed = 42});
  const DistanceRun thin = heat_geo_distances(clean.X.view(), {.smooth = SmoothOptions{}});
  EXPECT_EQ(number(thin, "smooth_steps"), 0);
}

TEST(Noise, OtherMethodsLeaveTheGraphAlone) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 400, .noise = 1.0}, {.seed = 47});
  for (const std::string_view name : {"phate", "shortest-path", "rand-geo"}) {
    const DistanceRun run = method_named(name)->distances(roll.X.view(), {}, {});
    EXPECT_FALSE(run.report.resolved.contains("edges_removed")) << name;
    EXPECT_FALSE(run.report.resolved.contains("pca_rank")) << name;
  }
}

}  // namespace
}  // namespace geotherm
