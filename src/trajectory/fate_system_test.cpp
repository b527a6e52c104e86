#include "trajectory/fate_system.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace geotherm::detail {
namespace {

/// 1 on the diagonal, and from each row to some others, mostly earlier ones; rows lose a tenth to
/// what is known.
FateSystem walk_of(std::size_t n) {
  Rng rng(4, "fate system");
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < n; ++i) {
    entries.emplace_back(static_cast<int>(i), static_cast<int>(i), 1.0);
    for (std::size_t step = 0; step < 6; ++step) {
      const std::size_t j = rng.below(step < 4 ? i + 1 : n);
      if (j != i) entries.emplace_back(static_cast<int>(i), static_cast<int>(j), -0.9 / 6);
    }
  }
  const auto size = static_cast<Eigen::Index>(n);
  FateSystem system(size, size);
  system.setFromTriplets(entries.begin(), entries.end());
  return system;
}

Matrix<double> known_of(std::size_t n, std::size_t n_ends) {
  Rng rng(5, "fate system");
  Matrix<double> known(n, n_ends);
  for (std::size_t i = 0; i < n; ++i) {
    // Columns of very different sizes: each is as precise as the others.
    for (std::size_t c = 0; c < n_ends; ++c) {
      known(i, c) = rng.uniform() * std::pow(10.0, -3.0 * static_cast<double>(c % 3));
    }
  }
  return known;
}

TEST(FateSystem, OfAnyNumberOfEndsIsSolvedAsADenseOneIs) {
  constexpr std::size_t n = 300;
  const FateSystem system = walk_of(n);
  const Eigen::MatrixXd dense = system;
  for (const std::size_t n_ends : {1u, 2u, 3u, 4u, 5u, 7u, 9u}) {
    const Matrix<double> known = known_of(n, n_ends);
    const FateSolution found = solve_fates(system, known, {});
    EXPECT_TRUE(found.is_settled);
    for (std::size_t c = 0; c < n_ends; ++c) {
      Eigen::VectorXd wanted(static_cast<Eigen::Index>(n));
      for (std::size_t i = 0; i < n; ++i) wanted[static_cast<Eigen::Index>(i)] = known(i, c);
      const Eigen::VectorXd expected = dense.partialPivLu().solve(wanted);
      for (std::size_t i = 0; i < n; ++i) {
        // 1e-7: a residual of 1e-9, and the inverse is at most 10 times larger than what it acts
        // on.
        EXPECT_NEAR(found.shares(i, c), expected[static_cast<Eigen::Index>(i)],
                    1e-7 * expected.cwiseAbs().maxCoeff());
      }
    }
  }
}

TEST(FateSystem, HasTheSameBitsOnAnyNumberOfThreads) {
  const FateSystem system = walk_of(400);
  const Matrix<double> known = known_of(400, 7);
  const Matrix<double> alone = solve_fates(system, known, {}).shares;
  for (const std::size_t n_threads : {2, 3}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    const Matrix<double> other = solve_fates(system, known, context).shares;
    EXPECT_TRUE(std::equal(alone.data(), alone.data() + alone.size(), other.data()));
  }
}

TEST(FateSystem, WithoutRightHandSideIsZero) {
  const FateSolution found = solve_fates(walk_of(50), Matrix<double>(50, 5), {});
  EXPECT_TRUE(found.is_settled);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(found.shares(i, 4), 0);
}

}  // namespace
}  // namespace geotherm::detail
