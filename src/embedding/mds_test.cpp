// The whole layout, for every method and every kind of weights.
#include <gtest/gtest.h>

#include "embedding/maps_for_tests.hpp"

namespace geotherm {
namespace {

using namespace testing;

constexpr MdsMethod all_methods[] = {MdsMethod::classical, MdsMethod::smacof, MdsMethod::sgd};
constexpr MdsWeights all_weights[] = {MdsWeights::none, MdsWeights::heat, MdsWeights::inverse,
                                      MdsWeights::gaussian};

/// A tree of paths, in steps: dissimilarities as maps of branching data meet them.
Matrix<double> tree_distances(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, "test.tree");
  Matrix<double> d(n, n);
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t parent = rng.uniform() < 0.1 ? static_cast<std::size_t>(rng.below(i)) : i - 1;
    const double step = 0.5 + rng.uniform();
    for (std::size_t j = 0; j < i; ++j) d(i, j) = d(j, i) = d(parent, j) + step;
  }
  return d;
}

TEST(MdsOptions, AreCheckedAndNamed) {
  EXPECT_TRUE(issues_with(MdsOptions{}).empty());
  const std::vector<std::string> issues =
      issues_with(MdsOptions{.n_components = 0, .tolerance = -1});
  ASSERT_EQ(issues.size(), 2u);
  EXPECT_NE(issues[0].find("n_components is 0"), std::string::npos);
  EXPECT_NE(issues[1].find("tolerance is -1"), std::string::npos);
  EXPECT_EQ(issues_with(MdsOptions{.tolerance = std::nan("")}).size(), 1u);
  const Matrix<double> d = random_dissimilarity(4, 1);
  EXPECT_THROW((void)mds(d, {.n_components = 0}), InvalidArgument);
  EXPECT_THROW((void)classical_mds(d, 0), InvalidArgument);
  for (const MdsMethod method : all_methods) {
    EXPECT_EQ(mds_method_named(to_string(method)), method);
  }
  for (const MdsWeights weights : all_weights) {
    EXPECT_EQ(mds_weights_named(to_string(weights)), weights);
  }
  EXPECT_FALSE(mds_method_named("umap"));
  EXPECT_FALSE(mds_weights_named(""));
}

TEST(Mds, RecoversPointsOfThePlaneByEveryMethod) {
  const Matrix<double> points = random_points(70, 2, 1), heat = random_weights(70, 2);
  const Matrix<double> d = distances_of(points);
  for (const MdsMethod method : all_methods) {
    for (const MdsWeights weights : all_weights) {
      const Embedding y = mds(d, {.method = method, .weights = weights}, heat);
      EXPECT_LT(y.stress, 1e-12) << to_string(method) << to_string(weights);
      EXPECT_LT(procrustes(points, y.coordinates).disparity, 1e-12);
      EXPECT_EQ(y.outcome, Outcome::converged);
      Matrix<double> again = y.coordinates;
      again = oriented(std::move(again));
      for (std::size_t i = 0; i < again.size(); ++i) {
        EXPECT_NEAR(again.data()[i], y.coordinates.data()[i], 1e-12);
      }
    }
  }
}

TEST(Mds, ReportsTheStressOfItsMapForTheChosenWeights) {
  const Matrix<double> d = random_dissimilarity(90, 1), heat = random_weights(90, 2);
  for (const MdsMethod method : all_methods) {
    const Embedding plain = mds(d, {.method = method});
    EXPECT_NEAR(plain.stress / naive_stress(d, nullptr, plain.coordinates), 1, 1e-12);
    const Embedding heated = mds(d, {.method = method, .weights = MdsWeights::heat}, heat);
    EXPECT_NEAR(heated.stress / naive_stress(d, &heat, heated.coordinates), 1, 1e-12);
  }
}

TEST(Mds, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> d = tree_distances(300, 1), heat = random_weights(300, 2);
  for (const MdsMethod method : all_methods) {
    for (const MdsWeights weights : all_weights) {
      const MdsOptions options{.method = method, .weights = weights, .max_iterations = 20};
      const Embedding alone = mds(d, options, heat);
      for (const std::size_t n_threads : {2, 8}) {
        ThreadPool pool(n_threads);
        Context context;
        context.executor = &pool;
        const Embedding together = mds(d, options, heat, context);
        EXPECT_TRUE(same_bits(alone.coordinates, together.coordinates));
        EXPECT_EQ(alone.stress, together.stress);
      }
    }
  }
}

TEST(Mds, OfATreeEndsNoHigherThanPlainSmacofAndLowerWhenShaken) {
  const std::size_t n = 150;
  double without = 0, with = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const Matrix<double> d = tree_distances(n, seed);
    const Matrix<double> start = classical_mds(d, 2).coordinates;
    const double plain = naive_stress(d, nullptr, naive_smacof(d, nullptr, start, 300));
    const Embedding unshaken = mds(d, {.n_shakes = 0});
    const Embedding shaken = mds(d, {.n_shakes = 1});
    // 1 %: from starts that differ by 1e-3 of themselves, a point may end across another branch.
    EXPECT_LE(unshaken.stress, 1.01 * plain);
    EXPECT_LE(shaken.stress, unshaken.stress);
    without += unshaken.stress;
    with += shaken.stress;
  }
  EXPECT_LT(with, 0.999 * without);
}

TEST(Mds, GivesVeryFewPointsTheirPlaces) {
  for (const MdsMethod method : all_methods) {
    for (const MdsWeights weights : all_weights) {
      for (std::size_t n = 1; n <= 3; ++n) {
        for (std::size_t k = 1; k <= 4; ++k) {
          Matrix<double> d(n, n);
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) d(i, j) = i == j ? 0 : 1 + double(i + j);
          }
          const Matrix<double> heat(n, n, 0.5);
          const Embedding y =
              mds(d, {.n_components = k, .method = method, .weights = weights}, heat);
          ASSERT_EQ(y.coordinates.rows(), n);
          ASSERT_EQ(y.coordinates.cols(), k);
          EXPECT_TRUE(all_finite(y.coordinates));
          if (k + 1 >= n) {
            EXPECT_LT(y.stress, 1e-6) << to_string(method) << to_string(weights) << n << k;
          }
        }
      }
    }
  }
}

TEST(Mds, PutsPointsWithoutDistancesInOnePlace) {
  for (const MdsMethod method : all_methods) {
    for (const MdsWeights weights : all_weights) {
      const Embedding y = mds(Matrix<double>(12, 12), {.method = method, .weights = weights},
                              Matrix<double>(12, 12, 1.0));
      EXPECT_EQ(y.stress, 0);
      EXPECT_EQ(y.outcome, Outcome::converged);
      for (std::size_t i = 0; i < y.coordinates.size(); ++i) {
        EXPECT_EQ(y.coordinates.data()[i], 0);
      }
    }
  }
}

TEST(Mds, KeepsTwinsTogether) {
  Matrix<double> points = random_points(40, 2, 1);
  for (std::size_t i = 20; i < 40; ++i) {
    for (std::size_t k = 0; k < 2; ++k) points(i, k) = points(i - 20, k);
  }
  const Matrix<double> d = distances_of(points);
  for (const MdsMethod method : all_methods) {
    for (const MdsWeights weights : {MdsWeights::none, MdsWeights::inverse, MdsWeights::gaussian}) {
      const Embedding y = mds(d, {.method = method, .weights = weights});
      EXPECT_LT(y.stress, 1e-10) << to_string(method) << to_string(weights);
      EXPECT_LT(distance(y.coordinates, 3, 23), 1e-4);
    }
  }
}

TEST(Mds, WorksInAnyUnit) {
  const Matrix<double> d = tree_distances(60, 3);
  for (const MdsMethod method : all_methods) {
    for (const MdsWeights weights : all_weights) {
      // Powers of two scale exactly, so the same bits come out.
      const MdsOptions options{.method = method, .weights = weights};
      const Embedding expected = mds(d, options, Matrix<double>(60, 60, 1.0));
      for (const int exponent : {-500, 500}) {
        Matrix<double> scaled = d;
        for (std::size_t i = 0; i < d.size(); ++i) {
          scaled.data()[i] = std::ldexp(d.data()[i], exponent);
        }
        const Embedding y = mds(scaled, options, Matrix<double>(60, 60, 1.0));
        EXPECT_EQ(y.stress, expected.stress) << to_string(method) << to_string(weights);
        for (std::size_t i = 0; i < y.coordinates.size(); ++i) {
          EXPECT_EQ(std::ldexp(y.coordinates.data()[i], -exponent), expected.coordinates.data()[i]);
        }
      }
    }
  }
}

TEST(Mds, ReportsEachSweepAndReturnsTheBestSoFarWhenStopped) {
  const Matrix<double> d = random_dissimilarity(250, 1);
  for (const MdsMethod method : {MdsMethod::smacof, MdsMethod::sgd}) {
    std::size_t n_layout = 0;
    double first = 0, last = 0;
    Context context;
    context.on_progress = [&](const Progress& progress) {
      if (progress.stage != "layout") return Next::go_on;
      if (n_layout++ == 0) first = progress.objective;
      last = progress.objective;
      return progress.done == 8 ? Next::stop_here : Next::go_on;
    };
    const Embedding y = mds(d, {.method = method}, {}, context);
    EXPECT_EQ(y.outcome, Outcome::stopped);
    EXPECT_EQ(y.iterations, 8u);
    EXPECT_EQ(n_layout, 9u);
    EXPECT_LT(last, first);
    EXPECT_NEAR(y.stress, last, 1e-12);
  }
  std::atomic<bool> stop{true};
  Context context;
  context.stop = &stop;
  for (const MdsMethod method : all_methods) {
    const Embedding y = mds(d, {.method = method}, {}, context);
    EXPECT_EQ(y.outcome, Outcome::stopped);
    EXPECT_TRUE(all_finite(y.coordinates));
  }
}

TEST(Mds, GivesTheClassicalStartWhenNoSweepIsAllowed) {
  const Matrix<double> d = distances_of(random_points(100, 4, 1));
  const Embedding start = classical_mds(d, 2);
  for (const MdsMethod method : {MdsMethod::smacof, MdsMethod::sgd}) {
    const Embedding y = mds(d, {.method = method, .max_iterations = 0});
    EXPECT_EQ(y.iterations, 0u);
    EXPECT_EQ(y.outcome, Outcome::iteration_limit);
    EXPECT_LT(procrustes(start.coordinates, y.coordinates).disparity, 1e-5);
  }
}

TEST(Mds, WarnsThatClassicalScalingKnowsNoWeightsAndWantsAKernelForHeat) {
  const Matrix<double> d = random_dissimilarity(10, 1);
  std::string warning;
  Context context;
  context.on_log = [&](LogLevel, std::string_view message) { warning = message; };
  (void)mds(d, {.method = MdsMethod::classical, .weights = MdsWeights::inverse}, {}, context);
  EXPECT_NE(warning.find("classical"), std::string::npos);
  EXPECT_NE(complaint_of([&] { (void)mds(d, {.weights = MdsWeights::heat}); }).find("kernel"),
            std::string::npos);
}

}  // namespace
}  // namespace geotherm
