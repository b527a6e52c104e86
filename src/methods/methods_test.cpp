// The methods beside heat_geo: each is its modules called in order, and holds on awkward data.
#include "geotherm/methods.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "geotherm/spectral.hpp"
#include "golden/golden_data.hpp"

namespace geotherm {
namespace {

using testing::golden_matrix;
using testing::golden_scalar;
using testing::largest_difference;

struct MapAndDistances {
  const char* name;
  EmbeddingRun (*embed)(const Input&, const MethodOptions&, const Context&);
  DistanceRun (*distances)(const Input&, const MethodOptions&, const Context&);
};
const MapAndDistances every_method[] = {
    {"phate", phate, phate_distances},
    {"heat_phate", heat_phate, heat_phate_distances},
    {"rand_geo", rand_geo, rand_geo_distances},
    {"shortest_path", shortest_path, shortest_path_distances},
    {"heatgeo-weighted", heat_geo_weighted, heat_geo_weighted_distances}};

Matrix<double> roll(std::size_t n) {
  Rng rng(9, "methods.test.roll");
  Matrix<double> points(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = 4.7 + 9.4 * rng.uniform();
    points(i, 0) = angle * std::cos(angle);
    points(i, 1) = 10 * rng.uniform();
    points(i, 2) = angle * std::sin(angle);
  }
  return points;
}

MethodOptions fixed_time(double time) {
  MethodOptions options;
  options.heat.time = time;
  options.time_choice = std::nullopt;
  return options;
}

bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data());
}

bool all_finite(const Matrix<double>& m) {
  return std::all_of(m.data(), m.data() + m.size(), [](double v) { return std::isfinite(v); });
}

std::string word(const DistanceRun& run, const char* key) {
  return std::get<std::string>(run.report.resolved.at(key));
}
double figure(const DistanceRun& run, const char* key) {
  return std::get<double>(run.report.resolved.at(key));
}

TEST(Phate, IsThePotentialDistanceOfThePoweredWalk) {
  const Matrix<double> points = roll(150);
  const DistanceRun run = phate_distances(points, fixed_time(6.0));
  const auto kernel = walk_power(random_walk(run.graph), 6);
  EXPECT_TRUE(same_bits(run.dissimilarity.values, potential_distance(*kernel).values));
  EXPECT_EQ(word(run, "kernel"), to_string(KernelMethod::walk_power));
  EXPECT_EQ(figure(run, "time"), 6.0);
}

TEST(Phate, RoundsATimeToWholeStepsAndSaysSo) {
  const Matrix<double> points = roll(60);
  std::vector<std::string> said;
  const Context context = {.on_log = [&](LogLevel, std::string_view m) { said.emplace_back(m); }};
  const auto run = phate_distances(points, fixed_time(3.6), context);
  EXPECT_EQ(figure(run, "time"), 4.0);
  EXPECT_TRUE(std::ranges::any_of(
      said, [](const std::string& m) { return m.find("whole steps: 4") != std::string::npos; }));
  EXPECT_EQ(figure(phate_distances(points, fixed_time(0.01)), "time"), 1.0);
}

TEST(Phate, ChoosesItsStepsByTheEntropyOfTheWalk) {
  const Matrix<double> points = roll(200);
  for (const auto distances : {phate_distances, rand_geo_distances}) {
    const DistanceRun run = distances(points, {}, {});
    EXPECT_EQ(figure(run, "time"), choose_walk_steps(run.graph).time);
    EXPECT_EQ(word(run, "time_choice"), "knee of the spectrum's entropy");
  }
}

TEST(HeatPhate, IsThePotentialDistanceOfTheHeatKernel) {
  const Matrix<double> points = roll(150);
  const DistanceRun run = heat_phate_distances(points, fixed_time(3.0));
  const auto kernel = heat_kernel(build_laplacian(run.graph), {.time = 3.0});
  EXPECT_TRUE(
      same_bits(run.dissimilarity.values, potential_distance(*kernel, {.offset = 1e-16}).values));
}

TEST(RandGeo, IsTheHeatFormulaOnThePoweredWalk) {
  const Matrix<double> points = roll(150);
  const int steps = 5;
  const DistanceRun run = rand_geo_distances(points, fixed_time(steps));
  const Matrix<double> p = walk_power(random_walk(run.graph), steps)->dense();
  std::size_t n_beyond = 0;
  for (std::size_t i = 0; i < p.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double d = run.dissimilarity.values(i, j);
      if (!(p(i, j) > 0 && p(j, i) > 0)) {
        ++n_beyond;
        EXPECT_GT(d, 0);
        continue;
      }
      const double volume = 2 / (p(i, i) + p(j, j));
      const double square =
          -4 * steps * (0.5 * (std::log(p(i, j)) + std::log(p(j, i))) + std::log(volume));
      // The square is a sum of terms of up to 4t * 30 = 600, each rounded.
      EXPECT_NEAR(d * d, std::max(0.0, square), 1e-10);
    }
  }
  EXPECT_GT(n_beyond, 0U);
  EXPECT_NEAR(figure(run, "unresolved_share"), static_cast<double>(n_beyond) / (75.0 * 149), 1e-12);
  EXPECT_EQ(word(run, "unresolved_treatment"), "shortest paths over resolved pairs");
}

TEST(Sne, IsHeatGeoWithHeatAsWeights) {
  const Matrix<double> points = roll(120);
  MethodOptions options = fixed_time(4.0);
  const EmbeddingRun ours = heat_geo_weighted(points, options);
  options.mds.weights = MdsWeights::heat;
  const EmbeddingRun expected = heat_geo(points, options);
  EXPECT_TRUE(same_bits(ours.embedding.coordinates, expected.embedding.coordinates));
  const EmbeddingRun unweighted = heat_geo(points, fixed_time(4.0));
  EXPECT_FALSE(same_bits(ours.embedding.coordinates, unweighted.embedding.coordinates));
}

TEST(ShortestPathRecipe, RefusesHeatWeightsAndAffinitiesWithoutLengths) {
  const Matrix<double> points = roll(50);
  MethodOptions options;
  options.mds.weights = MdsWeights::heat;
  EXPECT_THROW(shortest_path(points, options), InvalidArgument);
  const SparseMatrix affinities = sparse_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 1.0}});
  EXPECT_THROW(shortest_path(Affinities{&affinities}), InvalidArgument);
}

TEST(ShortestPathRecipe, SetsOneLargerDistanceBetweenSeparatedParts) {
  Matrix<double> points(20, 1);
  for (std::size_t i = 0; i < 20; ++i) points(i, 0) = static_cast<double>(i) + (i < 10 ? 0 : 1000);
  MethodOptions options;
  options.neighbors.knn = 3;
  const DistanceRun bridged = shortest_path_distances(points, options);
  EXPECT_NEAR(bridged.dissimilarity.values(0, 19), 1019, 1e-9);
  options.components = ComponentPolicy::separate;
  const DistanceRun apart = shortest_path_distances(points, options);
  EXPECT_NEAR(apart.dissimilarity.values(0, 19), 1.1 * 9, 1e-9);
  EXPECT_NEAR(figure(apart, "unresolved_share"), 100.0 / 190, 1e-12);
  EXPECT_EQ(word(apart, "unresolved_treatment"), "constant");
}

TEST(EveryMethod, ReportsWhatItsKernelResolvesAndItsCondition) {
  const Matrix<double> points = roll(80);
  MethodOptions options = fixed_time(3.0);
  for (const auto distances :
       {heat_geo_distances, heat_phate_distances, heat_geo_weighted_distances}) {
    options.heat.method = KernelMethod::uniformization;
    const DistanceRun run = distances(points, options, {});
    EXPECT_EQ(figure(run, "kernel_resolution"), 0);
    const double jumps = figure(run, "time") * build_laplacian(run.graph).largest_diagonal;
    EXPECT_DOUBLE_EQ(figure(run, "kernel_condition"), std::max(1.0, jumps));
    for (const auto method : {KernelMethod::exact, KernelMethod::chebyshev}) {
      options.heat.method = method;
      const DistanceRun other = distances(points, options, {});
      EXPECT_GT(figure(other, "kernel_resolution"), 0);
      EXPECT_EQ(figure(other, "kernel_resolution"), other.kernel.resolution);
    }
  }
  EXPECT_EQ(figure(phate_distances(points, fixed_time(7.0)), "kernel_condition"), 7);
  const auto map = laplacian_eigenmaps(points, {}, {});
  const auto values = spectral_embedding(map.distances.graph, {}).eigenvalues;
  EXPECT_EQ(figure(map.distances, "smallest_eigengap"), values[1] - values[0]);
}

TEST(EveryMethod, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> points = roll(300);
  for (const MapAndDistances& method : every_method) {
    const EmbeddingRun alone = method.embed(points, {}, {});
    EXPECT_TRUE(all_finite(alone.embedding.coordinates)) << method.name;
    for (const std::size_t n_threads : {2U, 8U}) {
      ThreadPool pool(n_threads);
      const EmbeddingRun together = method.embed(points, {}, {.executor = &pool});
      EXPECT_TRUE(same_bits(together.embedding.coordinates, alone.embedding.coordinates))
          << method.name << ", " << n_threads << " threads";
    }
  }
}

TEST(EveryMethod, MapsTwoThreeAndEqualPoints) {
  for (const MapAndDistances& method : every_method) {
    for (const std::size_t n : {2U, 3U, 5U}) {
      Matrix<double> points(n, 2);
      for (std::size_t i = 0; i < n; ++i) points(i, 0) = static_cast<double>(i * i);
      const EmbeddingRun run = method.embed(points, {}, {});
      EXPECT_EQ(run.embedding.coordinates.rows(), n) << method.name;
      EXPECT_TRUE(all_finite(run.embedding.coordinates)) << method.name << ", n " << n;
      EXPECT_TRUE(all_finite(run.distances.dissimilarity.values)) << method.name << ", n " << n;
    }
    const Matrix<double> equal(4, 2, 1.0);
    const EmbeddingRun run = method.embed(equal, {}, {});
    for (std::size_t e = 0; e < run.embedding.coordinates.size(); ++e) {
      EXPECT_EQ(run.embedding.coordinates.data()[e], 0.0) << method.name;
    }
  }
}

TEST(EveryMethod, PutsEqualRowsInOnePlace) {
  Matrix<double> points = roll(80);
  std::ranges::copy(points.row(3), points.row(70).begin());
  for (const MapAndDistances& method : every_method) {
    const DistanceRun run = method.distances(points, {}, {});
    ASSERT_EQ(run.dissimilarity.values.rows(), 80U) << method.name;
    EXPECT_EQ(run.dissimilarity.values(3, 70), 0.0) << method.name;
    for (std::size_t j = 0; j < 80; ++j) {
      EXPECT_EQ(run.dissimilarity.values(3, j), run.dissimilarity.values(70, j)) << method.name;
    }
  }
}

TEST(EveryMethod, WeighsByItsKernelWhereAsked) {
  const Matrix<double> points = roll(100);
  MethodOptions options = fixed_time(8.0);
  options.mds.weights = MdsWeights::heat;
  for (const auto embed : {phate, heat_phate, rand_geo}) {
    EXPECT_TRUE(all_finite(embed(points, options, {}).embedding.coordinates));
  }
}

class GoldenMethods : public testing::GoldenSet {
 protected:
  MethodOptions options(double time) const {
    MethodOptions options = fixed_time(time);
    options.neighbors.knn = static_cast<std::size_t>(golden_scalar(set(), "knn"));
    return options;
  }
};

TEST_P(GoldenMethods, ShortestPathIsDijkstraOnTheSymmetrisedKnnGraph) {
  const Matrix<double> points = golden_matrix(set(), "X");
  const auto run = shortest_path_distances(points, options(1));
  // Sums of up to 100 lengths of order 1, added in another order.
  EXPECT_LE(largest_difference(testing::golden_rows_of(run.dissimilarity.values).view(),
                               golden_matrix(set(), "D_shortest_path").view()),
            1e-11);
}

TEST_P(GoldenMethods, PhateIsTheDistanceBetweenRowsOfThePublishedPotential) {
  const Matrix<double> points = golden_matrix(set(), "X");
  const Matrix<double> u = golden_matrix(set(), "phate_potential_t10");
  const Matrix<double> ours = phate_distances(points, options(10)).dissimilarity.values;
  const std::size_t step = testing::golden_row_step;
  ASSERT_EQ(u.rows() * step, ours.rows());
  for (std::size_t i = 0; i < u.rows(); ++i) {
    for (std::size_t j = 0; j < u.rows(); ++j) {
      double square = 0;
      for (std::size_t k = 0; k < u.cols(); ++k) {
        square += (u(i, k) - u(j, k)) * (u(i, k) - u(j, k));
      }
      // 1e-15 in P^t over the offset 1e-7 is 1e-8 in an entry; a row has 100.
      EXPECT_NEAR(ours(i * step, j * step), std::sqrt(square), 1e-7) << i << ", " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, GoldenMethods, ::testing::Values("swiss100", "tree100"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace geotherm
