// Classical scaling: exact recovery, the dense eigendecomposition as oracle, awkward data.
#include <gtest/gtest.h>

#include "embedding/maps_for_tests.hpp"
#include "embedding/top_eigen.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm {
namespace {

using namespace testing;

TEST(ClassicalMds, RecoversPointsOfThePlaneExactly) {
  // 150 points take the dense road, 600 the iterative one.
  for (const std::size_t n : {3, 4, 20, 150, 600}) {
    const Matrix<double> points = random_points(n, 2, n);
    const Matrix<double> d = distances_of(points);
    const Embedding y = classical_mds(d, 2);
    EXPECT_EQ(y.outcome, Outcome::converged);
    // 1e-20: eigenvectors to 1e-10, stress in their square.
    EXPECT_LT(y.stress, 1e-20) << n;
    EXPECT_LT(procrustes(points, y.coordinates).disparity, 1e-20) << n;
  }
}

TEST(ClassicalMds, AgreesWithTheDenseEigendecomposition) {
  // Not Euclidean, and past the size up to which the dense solver is used.
  const std::size_t n = 260;
  const Matrix<double> d = random_dissimilarity(n, 3);
  Matrix<double> b(n, n);
  std::vector<double> mean(n);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) mean[i] += d(i, j) * d(i, j) / static_cast<double>(n);
    total += mean[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      b(i, j) = -0.5 * (d(i, j) * d(i, j) - mean[i] - mean[j] + total);
    }
  }
  const detail::SymmetricEigen eigen = detail::symmetric_eigen(b);
  const Embedding y = classical_mds(d, 3);
  ASSERT_EQ(y.outcome, Outcome::converged);
  for (std::size_t k = 0; k < 3; ++k) {
    double squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      squares += y.coordinates(i, k) * y.coordinates(i, k);
      const double expected = std::sqrt(eigen.values[n - 1 - k]) * eigen.vectors(i, n - 1 - k);
      // 1e-6: residual 1e-10 of the largest eigenvalue over gaps of about 1e-2 of it.
      EXPECT_NEAR(y.coordinates(i, k), expected, 1e-6);
    }
    EXPECT_NEAR(squares, eigen.values[n - 1 - k], 1e-9 * eigen.values[n - 1]);
  }
}

TEST(ClassicalMds, LeavesComponentsWithoutAnEigenvalueAtZero) {
  const Matrix<double> d = distances_of(random_points(300, 2, 5));
  const Embedding y = classical_mds(d, 4);
  EXPECT_LT(y.stress, 1e-14);
  for (std::size_t i = 0; i < 300; ++i) {
    // Rounding of the eigenvalue zero, 1e-16, shows as its root.
    EXPECT_NEAR(y.coordinates(i, 2), 0, 1e-6);
    EXPECT_NEAR(y.coordinates(i, 3), 0, 1e-6);
  }
  // Points that break the triangle inequality: one positive, one negative eigenvalue.
  Matrix<double> bent(3, 3);
  bent(0, 1) = bent(1, 0) = bent(1, 2) = bent(2, 1) = 1;
  bent(0, 2) = bent(2, 0) = 4;
  const Embedding line = classical_mds(bent, 2);
  EXPECT_NEAR(line.coordinates(0, 1), 0, 1e-7);
  EXPECT_NEAR(std::abs(line.coordinates(0, 0) - line.coordinates(2, 0)), 4, 1e-12);
}

TEST(ClassicalMds, HandlesVeryFewPointsAndManyComponents) {
  const Embedding one = classical_mds(Matrix<double>(1, 1), 2);
  EXPECT_EQ(one.coordinates.rows(), 1u);
  EXPECT_EQ(one.coordinates.cols(), 2u);
  EXPECT_EQ(one.coordinates(0, 0), 0);
  EXPECT_EQ(one.stress, 0);
  Matrix<double> d(2, 2);
  d(0, 1) = d(1, 0) = 6;
  const Embedding two = classical_mds(d, 5);
  EXPECT_EQ(two.coordinates.cols(), 5u);
  EXPECT_NEAR(two.coordinates(0, 0), 3, 1e-14);
  EXPECT_NEAR(two.coordinates(1, 0), -3, 1e-14);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_EQ(two.coordinates(0, k), 0);
}

TEST(ClassicalMds, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> d = random_dissimilarity(500, 8);
  const Embedding alone = classical_mds(d, 2);
  for (const std::size_t n_threads : {2, 8}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    const Embedding together = classical_mds(d, 2, context);
    EXPECT_TRUE(same_bits(together.coordinates, alone.coordinates));
    EXPECT_EQ(together.stress, alone.stress);
  }
}

TEST(ClassicalMds, ReturnsWhatItHasWhenStopped) {
  const Matrix<double> d = random_dissimilarity(400, 9);
  Context context;
  context.on_progress = [](const Progress&) { return Next::stop_here; };
  const Embedding y = classical_mds(d, 2, context);
  EXPECT_EQ(y.outcome, Outcome::stopped);
  EXPECT_EQ(y.iterations, 1u);
  EXPECT_TRUE(all_finite(y.coordinates));
}

TEST(TopEigen, FindsTheLargestEigenvaluesThroughRestarts) {
  // A gap of 1/500 of the range: several restarts.
  const std::size_t n = 500;
  Matrix<double> start = random_points(8, n, 1);
  const auto diagonal = [&](MatrixView<const double> block, MatrixView<double> out) {
    for (std::size_t a = 0; a < block.rows; ++a) {
      for (std::size_t i = 0; i < n; ++i) out(a, i) = block(a, i) * (static_cast<double>(i) - 300);
    }
  };
  const detail::TopEigen top =
      detail::top_eigen(diagonal, start, {.n_wanted = 3}, [](std::size_t) { return Next::go_on; });
  EXPECT_EQ(top.outcome, Outcome::converged);
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_NEAR(top.values[a], 199 - static_cast<double>(a), 1e-10);
    EXPECT_NEAR(std::abs(top.vectors(a, n - 1 - a)), 1, 1e-12);
  }
}

TEST(TopEigen, EndsWhereTheOperatorHasFewerDimensionsThanTheBlock) {
  const std::size_t n = 300;
  const auto rank_two = [&](MatrixView<const double> block, MatrixView<double> out) {
    for (std::size_t a = 0; a < block.rows; ++a) {
      for (std::size_t i = 0; i < n; ++i) out(a, i) = i < 2 ? 5 * block(a, i) : 0.0;
    }
  };
  const detail::TopEigen top = detail::top_eigen(rank_two, random_points(8, n, 2), {.n_wanted = 3},
                                                 [](std::size_t) { return Next::go_on; });
  EXPECT_EQ(top.outcome, Outcome::converged);
  EXPECT_NEAR(top.values[0], 5, 1e-13);
  EXPECT_NEAR(top.values[1], 5, 1e-13);
  EXPECT_NEAR(top.values[2], 0, 1e-13);
}

}  // namespace
}  // namespace geotherm
