// Paths by tiles against the textbook's three loops.
#include "dissimilarity/all_paths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dissimilarity/test_kernels.hpp"

namespace geotherm::detail {
namespace {

using namespace geotherm::testing;

constexpr double infinite = std::numeric_limits<double>::infinity();

Matrix<double> lengths_of_pairs(std::size_t n, double share, std::uint64_t seed) {
  Rng rng(seed, "all paths.test");
  Matrix<double> d(n, n, infinite);
  for (std::size_t i = 0; i < n; ++i) {
    d(i, i) = rng.uniform();  // what stands on the diagonal is not read
    for (std::size_t j = 0; j < i; ++j) {
      if (rng.uniform() < share) d(i, j) = d(j, i) = rng.uniform();
    }
  }
  return d;
}

TEST(AllPaths, AreThoseOfThreeLoopsAroundTheSizeOfATile) {
  for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 200u}) {
    for (const double share : {0.01, 0.5}) {  // in pieces; nearly everything is near
      Matrix<double> found = lengths_of_pairs(n, share, n);
      const Matrix<double> expected = all_shortest(found);
      lower_to_paths(found, {});
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          ASSERT_EQ(std::isinf(found(i, j)), std::isinf(expected(i, j))) << n;
          // 1e-13: sums of up to 200 lengths below 1 in another order.
          if (!std::isinf(found(i, j))) {
            ASSERT_NEAR(found(i, j), expected(i, j), 1e-13) << n;
          }
          ASSERT_EQ(found(i, j), found(j, i)) << n;
        }
      }
    }
  }
}

TEST(AllPaths, HaveTheSameBitsForAnyNumberOfThreadsAndLeaveOtherColumnsAlone) {
  const std::size_t n = 150;
  const Matrix<double> lengths = lengths_of_pairs(n, 0.1, 5);
  Matrix<double> one = lengths;
  lower_to_paths(one, {});
  ThreadPool pool(3);
  Context context;
  context.executor = &pool;
  Matrix<double> wide(n, n + 10, -1.0);
  for (std::size_t i = 0; i < n; ++i) std::ranges::copy(lengths.row(i), wide.row(i).begin());
  lower_to_paths({wide.row(0).data(), n, n, n + 10}, context);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n + 10; ++j) {
      ASSERT_EQ(wide(i, j), j < n ? one(i, j) : -1.0);
    }
  }
}

}  // namespace
}  // namespace geotherm::detail
