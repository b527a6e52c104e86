// Triplet denoising against the plain double loop, and the proposition it rests on.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dissimilarity/test_kernels.hpp"

namespace geotherm {
namespace {

using namespace geotherm::testing;

Matrix<double> plain(const Matrix<double>& d, double rho) {
  const std::size_t n = d.rows();
  Matrix<double> result(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      long double sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const long double difference = static_cast<long double>(d(i, k)) - d(j, k);
        sum += difference * difference;
      }
      result(i, j) = (1 - rho) * d(i, j) + rho * static_cast<double>(std::sqrt(sum));
    }
  }
  return result;
}

// Symmetric with positive entries everywhere, the diagonal too.
Matrix<double> random_distances(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, "denoise.test");
  Matrix<double> d(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) d(i, j) = d(j, i) = 1 + rng.uniform();
  }
  return d;
}

TEST(DenoiseTriplets, IsTheDistanceBetweenRowsMixedIn) {
  for (const std::size_t n : {1u, 2u, 3u, 17u, 255u, 257u, 300u}) {
    const Matrix<double> d = random_distances(n, n);
    for (const double rho : {0.25, 1.0}) {
      Matrix<double> result = d;
      denoise_triplets(result, rho);
      EXPECT_LT(largest_difference(result, plain(d, rho)), 1e-12 * static_cast<double>(n));
    }
  }
}

TEST(DenoiseTriplets, LeavesTheDistancesWhereRhoIsZeroAndTheDiagonalKeepsItsShare) {
  const Matrix<double> d = random_distances(20, 1);
  Matrix<double> same = d, half = d;
  denoise_triplets(same, 0.0);
  denoise_triplets(half, 0.5);
  EXPECT_TRUE(same_bits(same, d));
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(half(i, i), 0.5 * d(i, i));
}

TEST(DenoiseTriplets, SeesRowsThatHardlyDiffer) {
  // Row 1 differs from row 0 by 1e-9 in one place, of a norm near 30: the product alone would
  // return noise of about 1e-7 there.
  Matrix<double> d = random_distances(400, 2);
  for (std::size_t k = 0; k < 400; ++k) d(1, k) = d(0, k);
  d(1, 300) += 1e-9;
  for (std::size_t k = 0; k < 400; ++k) d(2, k) = d(0, k);
  Matrix<double> result = d;
  denoise_triplets(result, 1.0);
  EXPECT_NEAR(result(0, 1), d(1, 300) - d(0, 300), 1e-15);  // centring rounds at 1e-16
  EXPECT_EQ(result(0, 2), 0.0);
}

TEST(DenoiseTriplets, HasARelativeErrorBelowABillionthForClosePairs) {
  const std::size_t n = 300;
  Matrix<double> d(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      // Points on a line with gaps from 1 down to 1e-6.
      const auto at = [](std::size_t p) {
        return static_cast<double>(p / 3) + 1e-6 * static_cast<double>(p % 3);
      };
      d(i, j) = std::abs(at(i) - at(j));
    }
  }
  const Matrix<double> expected = plain(d, 1.0);
  denoise_triplets(d, 1.0);
  for (std::size_t e = 0; e < d.size(); ++e) {
    EXPECT_NEAR(d.data()[e], expected.data()[e], 1e-9 * expected.data()[e]);
  }
}

TEST(DenoiseTriplets, WorksAtHugeAndTinyScales) {
  const Matrix<double> d = random_distances(50, 3);
  Matrix<double> reference = d;
  denoise_triplets(reference, 0.5);
  for (const int exponent : {-900, 900}) {
    Matrix<double> scaled = d;
    for (std::size_t e = 0; e < d.size(); ++e) scaled.data()[e] = std::ldexp(d.data()[e], exponent);
    denoise_triplets(scaled, 0.5);
    for (std::size_t e = 0; e < d.size(); ++e) {
      EXPECT_EQ(std::ldexp(scaled.data()[e], -exponent), reference.data()[e]);
    }
  }
  Matrix<double> zeros(5, 5);
  denoise_triplets(zeros, 1.0);
  EXPECT_TRUE(same_bits(zeros, Matrix<double>(5, 5)));
}

TEST(DenoiseTriplets, IsLessMovedByAPerturbationThanTheDistanceItself) {
  // (D_T~ / D_T)^2 <= ((d + e) / d)^2 for d(i, j) raised by e > 0; needs d(i, i) = 0.
  const Matrix<double> d =
      heat_geodesic(GivenKernel(heat_of(random_weights(30, 7), 2.0), 2.0)).values;
  Matrix<double> before = d;
  denoise_triplets(before, 1.0);
  for (const double epsilon : {0.01, 0.5, 3.0}) {
    for (std::size_t i = 0; i < 30; ++i) {
      const std::size_t j = (i + 1 + i % 5) % 30;
      Matrix<double> after = d;
      after(i, j) += epsilon;
      after(j, i) += epsilon;
      denoise_triplets(after, 1.0);
      EXPECT_LE(after(i, j) / before(i, j), (d(i, j) + epsilon) / d(i, j) * (1 + 1e-12));
      EXPECT_GT(after(i, j), before(i, j));
    }
  }
}

TEST(DenoiseTriplets, RefusesWhatItCannotUse) {
  Matrix<double> wide(2, 3);
  EXPECT_THROW(denoise_triplets(wide, 0.5), InvalidArgument);
  Matrix<double> d(2, 2, 1.0);
  EXPECT_THROW(denoise_triplets(d, -0.1), InvalidArgument);
  EXPECT_THROW(denoise_triplets(d, std::nan("")), InvalidArgument);
  d(0, 1) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(denoise_triplets(d, 0.5), InvalidArgument);
}

TEST(DenoiseTriplets, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> d = random_distances(600, 4);
  Matrix<double> alone = d;
  denoise_triplets(alone, 0.5);
  for (const std::size_t n_threads : {2u, 8u}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    Matrix<double> together = d;
    denoise_triplets(together, 0.5, context);
    EXPECT_TRUE(same_bits(together, alone));
  }
}

}  // namespace
}  // namespace geotherm
