// Stochastic MDS: recovery, quality beside SMACOF, sameness over threads and stops.
#include "embedding/sgd_mds.hpp"

#include <gtest/gtest.h>

#include <set>

#include "embedding/maps_for_tests.hpp"

namespace geotherm {
namespace {

using namespace testing;

constexpr MdsWeights all_weights[] = {MdsWeights::none, MdsWeights::heat, MdsWeights::inverse,
                                      MdsWeights::gaussian};

MatrixView<const double> given(MdsWeights kind, const Matrix<double>& heat) {
  return kind == MdsWeights::heat ? heat.view() : MatrixView<const double>{};
}

TEST(SgdMds, RecoversPointsOfThePlaneFromARandomStart) {
  // 50: one block; 150: blocks of 64, 64 and 22.
  for (const std::size_t n : {50, 150}) {
    const Matrix<double> points = random_points(n, 2, n), heat = random_weights(n, 2);
    const Matrix<double> d = distances_of(points);
    for (const MdsWeights kind : all_weights) {
      const MdsOptions options{.weights = kind, .max_iterations = 200};
      SgdMds sgd(d, given(kind, heat), random_points(n, 2, 99), options);
      sgd.run_to(200);
      const Embedding y = sgd.embedding();
      EXPECT_EQ(y.outcome, Outcome::converged);
      EXPECT_LT(y.stress, 1e-12) << n << " " << to_string(kind);
      EXPECT_LT(procrustes(points, y.coordinates).disparity, 1e-9) << n << " " << to_string(kind);
    }
  }
}

TEST(SgdMds, ComesWithinTwoPercentOfSmacof) {
  const std::size_t n = 300;
  Matrix<double> points = random_points(n, 4, 1);
  for (std::size_t i = 0; i < n; ++i) {
    points(i, 0) *= 4;
    points(i, 1) *= 3;
  }
  const Matrix<double> d = distances_of(points), heat = random_weights(n, 2);
  const Matrix<double> start = classical_mds(d, 2).coordinates;
  for (const MdsWeights kind : all_weights) {
    Smacof smacof(d, given(kind, heat), start, {.weights = kind});
    smacof.run_to(300);
    SgdMds sgd(d, given(kind, heat), start, {.weights = kind});
    sgd.run_to(30);
    EXPECT_LT(sgd.embedding().stress, 1.02 * smacof.embedding().stress) << to_string(kind);
  }
}

TEST(SgdMds, StoppedAndResumedGivesTheSameBits) {
  const Matrix<double> d = random_dissimilarity(150, 1), start = random_points(150, 2, 3);
  SgdMds whole(d, {}, start);
  whole.run_to(30);
  EXPECT_EQ(whole.embedding().iterations, 30u);
  SgdMds parts(d, {}, start);
  for (const std::size_t sweep : {3, 10}) parts.run_to(sweep);
  EXPECT_EQ(parts.embedding().outcome, Outcome::iteration_limit);
  parts.run_to(1000);  // no further than the schedule
  EXPECT_EQ(parts.embedding().outcome, Outcome::converged);
  EXPECT_TRUE(same_bits(whole.embedding().coordinates, parts.embedding().coordinates));

  std::atomic<bool> stop{true};
  Context context;
  context.stop = &stop;
  SgdMds stopped(d, {}, start, {}, context);
  stopped.run_to(30);
  EXPECT_EQ(stopped.embedding().outcome, Outcome::stopped);
  EXPECT_EQ(stopped.embedding().iterations, 0u);
  stop = false;
  stopped.run_to(30);
  EXPECT_TRUE(same_bits(whole.embedding().coordinates, stopped.embedding().coordinates));
}

TEST(SgdMds, HasTheSameBitsForAnyNumberOfThreadsAndOthersForAnotherSeed) {
  const std::size_t n = 330;  // six blocks, the last of 10
  const Matrix<double> d = random_dissimilarity(n, 1), heat = random_weights(n, 2);
  const Matrix<double> start = random_points(n, 2, 3);
  for (const MdsWeights kind : all_weights) {
    const auto run = [&](const Context& context) {
      SgdMds sgd(d, given(kind, heat), start, {.weights = kind, .max_iterations = 5}, context);
      sgd.run_to(5);
      return sgd.embedding().coordinates;
    };
    const Matrix<double> alone = run({});
    for (const std::size_t n_threads : {2, 8}) {
      ThreadPool pool(n_threads);
      Context context;
      context.executor = &pool;
      EXPECT_TRUE(same_bits(alone, run(context))) << to_string(kind);
    }
    Context other;
    other.seed = 1;
    EXPECT_FALSE(same_bits(alone, run(other)));
  }
}

// Two tiles of a round that share a block would be moved by two threads at once.
TEST(SgdMds, BlocksMeetEachOtherOnceAndNeverTwiceInARound) {
  for (const std::size_t n : {2, 4, 6, 10, 64}) {
    std::set<std::pair<std::size_t, std::size_t>> met;
    for (std::size_t round = 0; round + 1 < n; ++round) {
      std::set<std::size_t> busy;
      for (std::size_t place = 0; place < n / 2; ++place) {
        const auto [one, other] = detail::meeting(n, round, place);
        EXPECT_LT(std::max(one, other), n);
        EXPECT_TRUE(busy.insert(one).second && busy.insert(other).second) << n << " " << round;
        EXPECT_TRUE(met.insert(std::minmax({one, other})).second) << n << " " << round;
      }
    }
    EXPECT_EQ(met.size(), n * (n - 1) / 2);
  }
}

TEST(SgdMds, VisitsEveryPairExactlyOnceASweep) {
  // A pair of weight 5e-4 beside one of weight 1 is moved by half its misfit (lighter than a
  // thousandth of the heaviest does not count); a second visit would leave a quarter.
  const std::size_t n = 130;  // blocks of 64, 64 and 2
  const Matrix<double> start = random_points(n, 1, 1), d = random_dissimilarity(n, 2);
  for (std::size_t i = 2; i < n; i += 7) {
    for (std::size_t j = i + 1; j < n; j += 5) {
      Matrix<double> w(n, n);
      w(0, 1) = w(1, 0) = 1;
      w(i, j) = w(j, i) = 5e-4;
      SgdMds sgd(d, w, start, {.n_components = 1, .max_iterations = 1});
      sgd.run_to(1);
      const Matrix<double> y = sgd.embedding().coordinates;
      const double before = std::abs(start(i, 0) - start(j, 0)) - d(i, j);
      const double after = std::abs(y(i, 0) - y(j, 0)) - d(i, j);
      EXPECT_NEAR(after, before / 2, 1e-12) << i << " " << j;
      EXPECT_NEAR(std::abs(y(0, 0) - y(1, 0)), d(0, 1), 1e-12);
    }
  }
}

}  // namespace
}  // namespace geotherm
