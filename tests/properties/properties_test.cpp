// Whatever the data and the options: a map of finite numbers, or a refusal that says why. Never a
// crash, a NaN, a hang, or a outlier exception.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "geotherm/model.hpp"
#include "properties/odd_data.hpp"

namespace geotherm {
namespace {

using testing::OddData;

/// Any of the values, each as likely.
template <class T>
T any_of(Rng& rng, std::initializer_list<T> values) {
  return values.begin()[rng.below(values.size())];
}

/// GEOTHERM_SLOW_TESTS=1 draws twenty times as often.
std::uint64_t n_rounds(std::uint64_t usual) {
  const char* slow = std::getenv("GEOTHERM_SLOW_TESTS");
  return slow != nullptr && std::string(slow) == "1" ? 20 * usual : usual;
}

MethodOptions random_options(Rng& rng, std::size_t n) {
  MethodOptions o;
  if (rng.below(3) == 0) o.pca = PcaOptions{};
  if (rng.below(6) == 0) o.pca = PcaOptions{.rank = 1 + rng.below(3)};
  // From 1 to n - 1 and now and then too many.
  if (rng.below(3) > 0) o.neighbors.knn = 1 + rng.below(n + 1);
  if (rng.below(4) == 0 && n > 1) o.neighbors.knn = n - 1;
  o.neighbors.metric = any_of(rng, {Metric::euclidean, Metric::euclidean, Metric::cosine,
                                    Metric::correlation, Metric::manhattan});
  o.neighbors.search = any_of(rng, {NeighborSearch::automatic, NeighborSearch::brute_force,
                                    NeighborSearch::tree, NeighborSearch::approximate});
  o.affinity.kind = any_of(rng, {Affinity::alpha_decay, Affinity::alpha_decay, Affinity::knn,
                                 Affinity::gaussian, Affinity::fuzzy_union});
  o.affinity.decay = any_of(rng, {1.0, 2.0, 40.0, 500.0});
  o.affinity.anisotropy = any_of(rng, {0.0, 0.0, 0.5, 1.0});
  o.components = any_of(rng, {ComponentPolicy::bridge, ComponentPolicy::bridge,
                              ComponentPolicy::separate, ComponentPolicy::error});
  if (rng.below(3) == 0) o.shortcuts = ShortcutOptions{};
  o.rates = any_of(rng, {Rates::hops, Rates::lengths});
  o.laplacian = any_of(
      rng, {LaplacianKind::combinatorial, LaplacianKind::normalized, LaplacianKind::random_walk});
  o.heat.method = any_of(rng, {KernelMethod::automatic, KernelMethod::automatic,
                               KernelMethod::exact, KernelMethod::chebyshev, KernelMethod::euler});
  if (rng.below(2) == 0) {
    o.time_choice.reset();
    o.heat.time = any_of(rng, {1e-3, 0.5, 1.0, 7.0, 300.0});
  }
  o.dissimilarity.harnack = any_of(rng, {1.0, 1.0, 0.0, 0.5, 2.0});
  o.dissimilarity.denoise = any_of(rng, {0.0, 0.0, 0.3, 1.0});
  o.mds.n_components = 1 + rng.below(3);
  o.mds.method = any_of(rng, {MdsMethod::smacof, MdsMethod::classical, MdsMethod::sgd});
  o.mds.weights = any_of(rng, {MdsWeights::none, MdsWeights::none, MdsWeights::heat,
                               MdsWeights::inverse, MdsWeights::gaussian});
  o.mds.max_iterations = 20;
  o.tsne.iterations = 30;
  o.tsne.exaggeration_iterations = 10;
  o.tsne.perplexity = any_of(rng, {1.0, 5.0, 30.0});
  o.umap.n_epochs = 10;
  return o;
}

bool is_finite(const Matrix<double>& m) {
  for (std::size_t k = 0; k < m.size(); ++k) {
    if (!std::isfinite(m.data()[k])) return false;
  }
  return true;
}

/// Runs one method; true where there was a map, false where it was refused.
bool maps_or_refuses(const Method& method, const Input& input, const MethodOptions& options,
                     const std::string& name) {
  SCOPED_TRACE(std::string(method.name) + " of " + name + ", mds " +
               std::string(to_string(options.mds.method)) + ", weights " +
               std::string(to_string(options.mds.weights)) + ", laplacian " +
               std::string(to_string(options.laplacian)) + ", kernel " +
               std::string(to_string(options.heat.method)));
  const auto start = std::chrono::steady_clock::now();
  bool is_mapped = false;
  try {
    const EmbeddingRun run = method.embed(input, options, {.seed = 5});
    EXPECT_EQ(run.embedding.coordinates.rows(), input.n_points());
    EXPECT_EQ(run.embedding.coordinates.cols(), options.mds.n_components);
    EXPECT_TRUE(is_finite(run.embedding.coordinates));
    // Weights may leave only pairs at distance 0, against which any map is infinitely far off.
    EXPECT_TRUE(run.embedding.stress >= 0) << run.embedding.stress;
    for (const auto& [key, value] : run.distances.report.resolved) {
      const auto* number = std::get_if<double>(&value);
      EXPECT_TRUE(number == nullptr || std::isfinite(*number)) << key;
    }
    is_mapped = true;
  } catch (const InvalidArgument& refusal) {
    // Long enough to say what and why.
    EXPECT_GT(std::string(refusal.what()).size(), 20U) << refusal.what();
  } catch (const std::exception& other) {
    ADD_FAILURE() << "threw something else: " << other.what();
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  // 50 points: milliseconds. A loaded machine under a sanitizer may take a hundred times as long.
  EXPECT_LT(taken.count(), 60);
  return is_mapped;
}

TEST(OddDataAtDefaults, IsMappedByEveryMethod) {
  for (const OddData& data : testing::odd_data(1)) {
    for (const Method& method : methods()) {
      if (method.name == "mds") continue;
      MethodOptions options;
      options.tsne.iterations = 30;
      options.umap.n_epochs = 10;
      const bool is_mapped = maps_or_refuses(method, data.points.view(), options, data.name);
      // Defaults may refuse a single row, numbers whose distances overflow, and nothing else.
      if (data.name == testing::largest_numbers) continue;
      EXPECT_EQ(is_mapped, data.points.rows() > 1) << method.name << " of " << data.name;
    }
  }
}

TEST(OddDataAtDefaults, Float32SubnormalsAreMappedByEveryMethod) {
  const Matrix<float> points = testing::subnormal_floats(1);
  for (const Method& method : methods()) {
    if (method.name == "mds") continue;
    MethodOptions options;
    options.tsne.iterations = 30;
    options.umap.n_epochs = 10;
    EXPECT_TRUE(maps_or_refuses(method, points.view(), options, "subnormals")) << method.name;
  }
}

TEST(RandomOptions, GiveAMapOrARefusalOfAnyOddData) {
  std::size_t n_mapped = 0, n_refused = 0;
  for (std::uint64_t round = 0; round < n_rounds(8); ++round) {
    for (const OddData& data : testing::odd_data(round)) {
      for (const Method& method : methods()) {
        if (method.name == "mds") continue;
        Rng rng(round, "properties." + data.name + std::string(method.name));
        const MethodOptions options = random_options(rng, data.points.rows());
        SCOPED_TRACE("round " + std::to_string(round));
        if (maps_or_refuses(method, data.points.view(), options, data.name)) {
          ++n_mapped;
        } else {
          ++n_refused;
        }
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
  // Both kinds of answers have to occur, or the draw shows nothing.
  EXPECT_GT(n_mapped, 500U);
  EXPECT_GT(n_refused, 100U);
}

TEST(RandomOptions, GivenDistancesAndAffinitiesAreMappedOrRefused) {
  for (std::uint64_t round = 0; round < n_rounds(6); ++round) {
    Rng draw(round, "properties.given");
    const std::size_t n = 2 + draw.below(30);
    Matrix<double> distances(n, n, 0.0);
    std::vector<Triplet> entries;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        const double d = any_of(draw, {0.0, 1.0, draw.uniform(), 1e-300, 1e300});
        distances(i, j) = distances(j, i) = d;
        if (draw.below(4) > 0) continue;
        entries.push_back({static_cast<Index>(i), static_cast<Index>(j), d});
        entries.push_back({static_cast<Index>(j), static_cast<Index>(i), d});
      }
    }
    const SparseMatrix sparse = sparse_from_triplets(n, n, std::move(entries));
    for (const Method& method : methods()) {
      Rng rng(round, "properties.given." + std::string(method.name));
      const MethodOptions options = random_options(rng, n);
      maps_or_refuses(method, DistanceMatrix{distances.view()}, options, "distances");
      maps_or_refuses(method, SparseDistances{&sparse}, options, "sparse distances");
      maps_or_refuses(method, Affinities{&sparse}, options, "affinities");
    }
  }
}

TEST(OddDataAtDefaults, ModelsOfItPlaceNewPoints) {
  for (const OddData& data : testing::odd_data(2)) {
    if (data.points.rows() < 2 || data.name == testing::largest_numbers) continue;
    const Input input(data.points.view());
    const Model model = make_model("heatgeo", input, {}, heat_geo(input));
    Matrix<double> between = data.points;
    for (std::size_t i = 1; i < between.rows(); ++i) {
      for (std::size_t c = 0; c < between.cols(); ++c) {
        between(i, c) = data.points(i, c) / 2 + data.points(i - 1, c) / 2;
      }
    }
    const Matrix<double> places = place(model, between);
    EXPECT_TRUE(is_finite(places)) << data.name;
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_EQ(places(0, c), model.coordinates(0, c)) << data.name;
    }
  }
}

}  // namespace
}  // namespace geotherm
