// Every method, by every solver, over scales from the smallest to the largest numbers, on few
// distinct rows and in many pieces: finite maps that differ from row to row, and the same bits up
// to the scale where that is a power of two.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "geotherm/methods.hpp"
#include "properties/odd_data.hpp"

namespace geotherm {
namespace {

struct Solver {
  const char* name;
  std::optional<LandmarkOptions> landmarks;
};

/// All pairs, pivots (heat geodesics alone know them), landmarks: few and not so few.
std::vector<Solver> solvers() {
  LandmarkOptions pivots{.count = 30}, landmarks{.count = 30}, few{.count = 5};
  pivots.has_full_pivots = true;
  pivots.n_pivots = 20;
  landmarks.has_full_pivots = few.has_full_pivots = false;
  few.choice = LandmarkChoice::spread;
  return {{"all pairs", std::nullopt}, {"pivots", pivots}, {"landmarks", landmarks}, {"few", few}};
}

MethodOptions options_for(const Solver& solver) {
  MethodOptions options;
  options.landmarks = solver.landmarks;
  options.tsne.iterations = 30;
  options.umap.n_epochs = 10;
  options.refine = RefineOptions{.epochs = 5};  // by default so few points are not refined
  return options;
}

bool is_finite(const Matrix<double>& map) {
  for (std::size_t k = 0; k < map.size(); ++k) {
    if (!std::isfinite(map.data()[k])) return false;
  }
  return true;
}

std::size_t n_places(const Matrix<double>& map) {
  std::set<std::vector<double>> places;
  for (std::size_t i = 0; i < map.rows(); ++i) {
    places.emplace(map.row(i).begin(), map.row(i).end());
  }
  return places.size();
}

Matrix<double> times(Matrix<double> points, double factor) {
  for (std::size_t k = 0; k < points.size(); ++k) points.data()[k] *= factor;
  return points;
}

/// Entries that are not `factor` times those wanted, to the bit.
std::size_t n_different(const Matrix<double>& found, const Matrix<double>& wanted, double factor) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    count += found.data()[k] != factor * wanted.data()[k] ? 1 : 0;
  }
  return count;
}

/// Whether the map keeps the units of the data: those of lengths do, those of hops and of
/// neighbourhoods have units of their own.
bool has_units(const Method& method) {
  const std::string_view name = method.name;
  return name == "heatgeo" || name == "heatgeo-weighted" || name == "shortest-path" ||
         name == "pca";
}

template <class Check>
void for_every_method_and_solver(const Check& check) {
  for (const Method& method : methods()) {
    if (method.name == "mds") continue;
    for (const Solver& solver : solvers()) {
      if (solver.landmarks && method.by_landmarks == nullptr) continue;
      SCOPED_TRACE(std::string(method.name) + " by " + solver.name);
      check(method, options_for(solver));
    }
  }
}

// Powers of two, so that multiplying is exact: 1e-300, 1e-30, 1e-20, 1e19, 1e30, 1e300.
constexpr int exponents[] = {-990, -100, -66, 64, 100, 990};

TEST(Scales, AreKeptToTheBitWhereTheyArePowersOfTwo) {
  const Matrix<double> points = testing::cloud(120, 4, 11);
  for_every_method_and_solver([&](const Method& method, const MethodOptions& options) {
    const Matrix<double> map =
        method.embed(points.view(), options, {.seed = 3}).embedding.coordinates;
    EXPECT_GT(n_places(map), 100U);
    for (const int exponent : exponents) {
      SCOPED_TRACE("2^" + std::to_string(exponent));
      const double factor = std::ldexp(1.0, exponent);
      const Matrix<double> scaled = times(points, factor);
      const Matrix<double> found =
          method.embed(scaled.view(), options, {.seed = 3}).embedding.coordinates;
      EXPECT_EQ(n_different(found, map, has_units(method) ? factor : 1), 0U);
    }
  });
}

/// A thin ring: heat needs long to fill it, so that its distances are those of two times.
Matrix<double> ring(std::size_t n) {
  Matrix<double> points = testing::cloud(n, 2, 15, 0.02);
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = 6.283185307179586 * static_cast<double>(i) / static_cast<double>(n);
    points(i, 0) += std::cos(angle);
    points(i, 1) += std::sin(angle);
  }
  return points;
}

TEST(Scales, AreKeptToTheBitByDistancesOfTwoTimes) {
  const Matrix<double> points = ring(400);
  const DistanceRun run = heat_geo_distances(points.view());
  ASSERT_EQ(run.heat_scales.size(), 2U);
  const Matrix<double> map = heat_geo(points.view()).embedding.coordinates;
  const Index rows[] = {0, 7};
  const Matrix<double> some = heat_geo_distances_from(points.view(), rows).rows;
  for (const int exponent : exponents) {
    SCOPED_TRACE("2^" + std::to_string(exponent));
    const double factor = std::ldexp(1.0, exponent);
    const Matrix<double> scaled = times(points, factor);
    EXPECT_EQ(n_different(heat_geo_distances(scaled.view()).dissimilarity.values,
                          run.dissimilarity.values, factor),
              0U);
    EXPECT_EQ(n_different(heat_geo_distances_from(scaled.view(), rows).rows, some, factor), 0U);
    EXPECT_EQ(n_different(heat_geo(scaled.view()).embedding.coordinates, map, factor), 0U);
  }
}

TEST(Scales, GiveFiniteMapsWhateverTheNumber) {
  for (const double scale :
       {1e-300, 1e-200, 1e-150, 1e-38, 1e-25, 1e-19, 1e19, 1e38, 1e150, 1e200, 1e300}) {
    const Matrix<double> points = testing::cloud(60, 3, 12, scale);
    for_every_method_and_solver([&](const Method& method, const MethodOptions& options) {
      SCOPED_TRACE(scale);
      const Matrix<double> map =
          method.embed(points.view(), options, {.seed = 3}).embedding.coordinates;
      EXPECT_TRUE(is_finite(map));
      EXPECT_GT(n_places(map), 50U);
    });
  }
}

TEST(FewDistinctRows, AreMappedBySolversOfEveryKind) {
  for (const std::size_t n_distinct : {1, 2, 3}) {
    for (const std::size_t n : {4, 30}) {
      const Matrix<double> distinct = testing::cloud(n_distinct, 3, 13);
      Matrix<double> points(n, 3);
      for (std::size_t i = 0; i < n; ++i) {
        std::ranges::copy(distinct.row(i % n_distinct), points.row(i).begin());
      }
      for_every_method_and_solver([&](const Method& method, const MethodOptions& options) {
        SCOPED_TRACE(std::to_string(n_distinct) + " of " + std::to_string(n));
        const Matrix<double> map =
            method.embed(points.view(), options, {.seed = 3}).embedding.coordinates;
        EXPECT_TRUE(is_finite(map));
        EXPECT_LE(n_places(map), n_distinct);
        // Three rows in general position and two columns: a single place would be no map.
        EXPECT_TRUE(n_distinct < 3 || n_places(map) > 1);
        for (std::size_t i = n_distinct; i < n; ++i) {
          EXPECT_TRUE(std::ranges::equal(map.row(i), map.row(i % n_distinct)));
        }
      });
    }
  }
}

TEST(ManyComponents, AreMappedBySolversOfEveryKind) {
  Matrix<double> points = testing::cloud(120, 3, 14);
  for (std::size_t i = 0; i < 120; ++i) points(i, 0) += 1e5 * static_cast<double>(i / 6);
  for_every_method_and_solver([&](const Method& method, const MethodOptions& options) {
    MethodOptions few_neighbors = options;
    few_neighbors.neighbors.knn = 4;
    for (const ComponentPolicy policy : {ComponentPolicy::bridge, ComponentPolicy::separate}) {
      few_neighbors.components = policy;
      const Matrix<double> map =
          method.embed(points.view(), few_neighbors, {.seed = 3}).embedding.coordinates;
      EXPECT_TRUE(is_finite(map));
      EXPECT_GT(n_places(map), 4U);  // a walk between five cells has few places for all
    }
  });
}

TEST(MapsOfNoUse, AreRefusedWithWhatHappened) {
  // Heat as flat as numbers go: all distances are 0.
  Matrix<double> points(3, 2);
  points(1, 0) = points(2, 1) = 1;
  MethodOptions options;
  options.time_choice.reset();
  options.heat.time = 1e6;
  try {
    const Matrix<double> map = heat_geo(points.view(), options).embedding.coordinates;
    EXPECT_GT(n_places(map), 1U);
  } catch (const InvalidData& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("one place"), std::string::npos) << refusal.what();
  }
}

}  // namespace
}  // namespace geotherm
