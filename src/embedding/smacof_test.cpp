// SMACOF: never rising stress, a stationary end, the plain method as oracle.
#include <gtest/gtest.h>

#include "embedding/maps_for_tests.hpp"

namespace geotherm {
namespace {

using namespace testing;

constexpr MdsWeights all_weights[] = {MdsWeights::none, MdsWeights::heat, MdsWeights::inverse,
                                      MdsWeights::gaussian};

MatrixView<const double> given(MdsWeights kind, const Matrix<double>& heat) {
  return kind == MdsWeights::heat ? heat.view() : MatrixView<const double>{};
}

static_assert(std::is_move_constructible_v<Smacof> && std::is_move_assignable_v<SgdMds>);
static_assert(
    !std::is_constructible_v<Smacof, Matrix<double>, MatrixView<const double>, Matrix<double>>,
    "a view of distances that end with the call");

TEST(Smacof, RecoversPointsOfThePlane) {
  const Matrix<double> points = random_points(60, 2, 1), heat = random_weights(60, 2);
  const Matrix<double> d = distances_of(points);
  Matrix<double> start = points;
  Rng rng(3, "test.noise");
  for (std::size_t i = 0; i < start.size(); ++i) start.data()[i] += 0.2 * rng.normal();
  for (const MdsWeights kind : all_weights) {
    Smacof smacof(d, given(kind, heat), start, {.weights = kind});
    smacof.run_to(1000);
    const Embedding y = smacof.embedding();
    EXPECT_EQ(y.outcome, Outcome::converged);
    EXPECT_LT(y.stress, 1e-12) << to_string(kind);
    EXPECT_LT(procrustes(points, y.coordinates).disparity, 1e-9) << to_string(kind);
  }
}

TEST(Smacof, StressNeverRises) {
  const std::size_t n = 90;
  const Matrix<double> d = random_dissimilarity(n, 1), heat = random_weights(n, 2);
  for (const MdsWeights kind : all_weights) {
    for (std::size_t k = 1; k <= 4; ++k) {
      const Matrix<double> start = random_points(n, k, k);
      const MdsOptions options{.n_components = k, .weights = kind, .tolerance = 0};
      Smacof smacof(d, given(kind, heat), start, options);
      double before = smacof.embedding().stress;
      smacof.run_to(400);
      const Embedding y = smacof.embedding();
      ASSERT_EQ(y.stress_history.size(), y.iterations);
      ASSERT_GT(y.iterations, 20u);
      for (const double s : y.stress_history) {
        EXPECT_LE(s, before);
        before = s;
      }
      EXPECT_EQ(y.stress, before);
    }
  }
}

TEST(Smacof, EndsNoHigherThanThePlainMethodInAFifthOfTheSweeps) {
  const std::size_t n = 120;
  // Points of five dimensions in the plane: a smooth problem with one good valley.
  Matrix<double> points = random_points(n, 5, 1);
  for (std::size_t i = 0; i < n; ++i) {
    points(i, 0) *= 4;
    points(i, 1) *= 3;
  }
  const Matrix<double> d = distances_of(points), heat = random_weights(n, 2);
  const Matrix<double> start = classical_mds(d, 2).coordinates;
  for (const bool is_weighted : {false, true}) {
    const Matrix<double>* w = is_weighted ? &heat : nullptr;
    Smacof smacof(d, is_weighted ? heat.view() : MatrixView<const double>{}, start);
    smacof.run_to(60);
    const double plain = naive_stress(d, w, naive_smacof(d, w, start, 300));
    // 1e-6: where the default tolerance ends.
    EXPECT_LE(smacof.embedding().stress, plain * (1 + 1e-6)) << is_weighted;
  }
}

TEST(Smacof, FirstSweepWithoutWeightsIsGuttmansTransform) {
  const Matrix<double> d = random_dissimilarity(30, 4), start = random_points(30, 2, 5);
  Smacof smacof(d, {}, start);
  smacof.run_to(1);
  const Matrix<double> expected = naive_smacof(d, nullptr, start, 1);
  EXPECT_LT(procrustes(expected, smacof.embedding().coordinates).disparity, 1e-24);
  EXPECT_NEAR(smacof.embedding().stress, naive_stress(d, nullptr, expected), 1e-13);
}

TEST(Smacof, EndsWhereTheStressIsStationary) {
  const std::size_t n = 25;
  const Matrix<double> d = random_dissimilarity(n, 6), heat = random_weights(n, 7);
  for (const MdsWeights kind : {MdsWeights::none, MdsWeights::heat}) {
    Smacof smacof(d, given(kind, heat), random_points(n, 2, 8), {.tolerance = 1e-14});
    smacof.run_to(20000);
    const Embedding y = smacof.embedding();
    EXPECT_EQ(y.outcome, Outcome::converged);
    Matrix<double> moved = y.coordinates;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      // Central differences: error h^2 plus rounding 1e-16 / h.
      const double h = 1e-5, there = moved.data()[i];
      moved.data()[i] = there + h;
      const double above = stress(d, given(kind, heat), moved);
      moved.data()[i] = there - h;
      const double below = stress(d, given(kind, heat), moved);
      moved.data()[i] = there;
      EXPECT_NEAR((above - below) / (2 * h), 0, 1e-6);
    }
  }
}

TEST(Smacof, ConstantWeightsChangeNothing) {
  const std::size_t n = 50;
  Matrix<double> points = random_points(n, 3, 1);
  for (std::size_t i = 0; i < n; ++i) points(i, 2) *= 0.3;
  const Matrix<double> d = distances_of(points), start = classical_mds(d, 2).coordinates;
  Smacof without(d, {}, start, {.tolerance = 1e-13});
  without.run_to(1000);
  for (const double weight : {1.0, 1e-200, 1e200}) {
    const Matrix<double> w(n, n, weight);
    Smacof with(d, w, start, {.tolerance = 1e-13});
    with.run_to(1000);
    EXPECT_NEAR(with.embedding().stress / without.embedding().stress, 1, 1e-9);
    // 1e-10: the stress is flat to second order, so coordinates are right to its root.
    EXPECT_LT(procrustes(without.embedding().coordinates, with.embedding().coordinates).disparity,
              1e-10);
  }
}

TEST(Smacof, PointsWithoutWeightStayAndDisturbNothing) {
  const std::size_t n = 20;
  const Matrix<double> d = distances_of(random_points(n, 2, 3));
  Matrix<double> w(n, n, 1.0);
  for (std::size_t i = 0; i < n; ++i) w(4, i) = w(i, 4) = 0;
  Smacof smacof(d, w, random_points(n, 2, 4));
  smacof.run_to(500);
  EXPECT_TRUE(all_finite(smacof.embedding().coordinates));
  EXPECT_LT(smacof.embedding().stress, 0.2);
}

TEST(Smacof, StoppedAndResumedGivesTheSameBits) {
  const Matrix<double> d = random_dissimilarity(80, 1), heat = random_weights(80, 2);
  const Matrix<double> start = random_points(80, 2, 3);
  for (const MdsWeights kind : all_weights) {
    const MdsOptions options{.weights = kind, .tolerance = 0};
    Smacof whole(d, given(kind, heat), start, options);
    whole.run_to(40);
    Smacof parts(d, given(kind, heat), start, options);
    for (const std::size_t sweep : {0, 1, 7, 8, 40}) parts.run_to(sweep);
    EXPECT_TRUE(same_bits(whole.embedding().coordinates, parts.embedding().coordinates));

    bool wants_stop = true;
    Context context;
    context.on_progress = [&](const Progress& progress) {
      EXPECT_EQ(progress.stage, "layout");
      return wants_stop && progress.done == 13 ? Next::stop_here : Next::go_on;
    };
    Smacof stopped(d, given(kind, heat), start, options, context);
    stopped.run_to(40);
    EXPECT_EQ(stopped.embedding().outcome, Outcome::stopped);
    EXPECT_EQ(stopped.embedding().iterations, 13u);
    wants_stop = false;
    stopped.run_to(40);
    EXPECT_EQ(stopped.embedding().outcome, Outcome::iteration_limit);
    EXPECT_TRUE(same_bits(whole.embedding().coordinates, stopped.embedding().coordinates));
  }
}

TEST(Smacof, HasTheSameBitsForAnyNumberOfThreads) {
  const std::size_t n = 600;  // three blocks of points
  const Matrix<double> d = random_dissimilarity(n, 1), heat = random_weights(n, 2);
  const Matrix<double> start = random_points(n, 2, 3);
  for (const MdsWeights kind : all_weights) {
    const auto run = [&](const Context& context) {
      Smacof smacof(d, given(kind, heat), start, {.weights = kind}, context);
      smacof.run_to(12);
      return smacof.embedding();
    };
    const Embedding alone = run({});
    for (const std::size_t n_threads : {2, 8}) {
      ThreadPool pool(n_threads);
      Context context;
      context.executor = &pool;
      const Embedding together = run(context);
      EXPECT_TRUE(same_bits(alone.coordinates, together.coordinates)) << to_string(kind);
      EXPECT_EQ(alone.stress_history, together.stress_history);
    }
  }
}

TEST(Smacof, RefusesAStartOfAnotherShape) {
  const Matrix<double> d = random_dissimilarity(5, 1);
  EXPECT_NE(complaint_of([&] { Smacof(d, {}, Matrix<double>(4, 2)); }).find("start is 4 x 2"),
            std::string::npos);
  EXPECT_NE(complaint_of([&] { Smacof(d, {}, Matrix<double>(5, 3)); }).find("5 x 2"),
            std::string::npos);
  EXPECT_NE(complaint_of([&] { Smacof(d, {}, Matrix<double>(5, 2, std::nan(""))); }).find("finite"),
            std::string::npos);
  EXPECT_NE(complaint_of([&] {
              Smacof(d, {}, Matrix<double>(5, 2), {.weights = MdsWeights::heat});
            }).find("heat"),
            std::string::npos);
}

}  // namespace
}  // namespace geotherm
