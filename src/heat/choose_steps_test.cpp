// Steps of the walk: the entropy of known spectra, the estimate against the whole spectrum.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geotherm/heat.hpp"

namespace geotherm {
namespace {

Graph cycle(std::size_t n) {
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < n; ++i) {
    const auto a = static_cast<Index>(i);
    const auto b = static_cast<Index>((i + 1) % n);
    entries.push_back({a, b, 1.0});
    entries.push_back({b, a, 1.0});
  }
  return graph_from_affinities(sparse_from_triplets(n, n, std::move(entries)));
}

Graph cloud(std::size_t n) {
  Rng rng(4, "heat.test.steps");
  Matrix<double> points(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    const double along = 6 * rng.uniform();
    points(i, 0) = along;
    points(i, 1) = std::sin(along) + 0.1 * rng.normal();
    points(i, 2) = 0.1 * rng.normal();
  }
  return build_graph(find_neighbors(points.view(), {.knn = 8, .reach = reach_of({})}));
}

TEST(WalkSteps, EntropyOfACycleFollowsItsKnownEigenvalues) {
  const std::size_t n = 30;
  const TimeChoice choice = choose_walk_steps(cycle(n));
  ASSERT_EQ(choice.times.size(), 100U);
  for (std::size_t k = 0; k < choice.times.size(); ++k) {
    double sum = 0, entropy = 0;
    std::vector<double> powers(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
      powers[i] = std::pow(std::abs((1 + 2 * std::cos(angle)) / 3), choice.times[k]);
      sum += powers[i];
    }
    for (const double p : powers) {
      if (p > 0) entropy -= p / sum * std::log(p / sum);
    }
    EXPECT_NEAR(choice.entropies[k], entropy, 1e-10) << "t " << choice.times[k];
  }
  EXPECT_EQ(choice.how, "knee of the spectrum's entropy");
  EXPECT_GT(choice.time, 1);
  EXPECT_LT(choice.time, 100);
}

TEST(WalkSteps, EntropyFallsWithEveryStep) {
  const TimeChoice choice = choose_walk_steps(cloud(300));
  for (std::size_t k = 1; k < choice.entropies.size(); ++k) {
    EXPECT_LT(choice.entropies[k], choice.entropies[k - 1]);
  }
}

TEST(WalkSteps, EstimateIsNearTheWholeSpectrum) {
  const Graph graph = cloud(700);
  const TimeChoice whole = choose_walk_steps(graph);
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    const TimeChoice estimate = choose_walk_steps(graph, {.max_dense = 1}, {.seed = seed});
    for (std::size_t k = 0; k < whole.times.size(); ++k) {
      // 40 random vectors know a sum over r eigenvalues to sqrt(2 / (40 r)) of itself; where fewer
      // than 24 count the leading space has them: 5 % at worst, as .05 in the entropy.
      EXPECT_NEAR(estimate.entropies[k], whole.entropies[k], 0.05) << "t " << whole.times[k];
    }
    EXPECT_NEAR(estimate.time, whole.time, 2);
  }
}

TEST(WalkSteps, KneeIsWhereTwoStraightPartsMeet) {
  // Two complete graphs of 50 points, hardly joined: two eigenvalues of 1 and 98 of .98 / 1.98. For
  // that spectrum's curve numpy's polyfit, run over all breaks, finds the least error at t = 11.
  std::vector<Triplet> entries;
  for (Index i = 0; i < 100; ++i) {
    for (Index j = 0; j < 100; ++j) {
      if (i != j) entries.push_back({i, j, (i < 50) == (j < 50) ? 0.02 : 1e-9});
    }
  }
  const TimeChoice choice =
      choose_walk_steps(graph_from_affinities(sparse_from_triplets(100, 100, entries)));
  EXPECT_NEAR(choice.entropies.back(), std::log(2.0), 1e-3);
  EXPECT_EQ(choice.time, 11);
}

TEST(WalkSteps, OfOneTwoAndThreePoints) {
  Graph lone;
  lone.weights = sparse_from_triplets(1, 1, {});
  EXPECT_EQ(choose_walk_steps(lone).time, 1);
  EXPECT_EQ(choose_walk_steps(lone, {.max_dense = 0}).time, 1);
  for (const std::size_t n : {3U, 4U}) {
    const TimeChoice choice = choose_walk_steps(cycle(n), {.max_dense = 0});
    EXPECT_GE(choice.time, 1);
    for (const double entropy : choice.entropies) EXPECT_TRUE(std::isfinite(entropy));
  }
}

TEST(WalkSteps, HaveTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = cloud(400);
  const auto alone = choose_walk_steps(graph, {.max_dense = 1});
  for (const std::size_t n_threads : {2U, 8U}) {
    ThreadPool pool(n_threads);
    const auto together = choose_walk_steps(graph, {.max_dense = 1}, {.executor = &pool});
    EXPECT_EQ(together.entropies, alone.entropies);
    EXPECT_EQ(together.time, alone.time);
  }
}

TEST(WalkSteps, RefuseTooFewOrTooManyAndAnEmptyGraph) {
  EXPECT_THROW(choose_walk_steps(cycle(5), {.max_steps = 2}), InvalidArgument);
  EXPECT_THROW(choose_walk_steps(cycle(5), {.max_steps = 1001}), InvalidArgument);
  EXPECT_THROW(choose_walk_steps(Graph{}), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
