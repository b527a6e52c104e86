// Tables that have been through PCA and tables that have not.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geotherm/points.hpp"
#include "points/points_testing.hpp"

namespace geotherm {
namespace {

using testing::gaussian_table;

/// Correlated columns of uneven variance, as measurements are.
Matrix<double> measured(std::size_t n, std::size_t d, std::uint64_t seed) {
  Matrix<double> table = gaussian_table(n, d, seed);
  const Matrix<double> mixing = gaussian_table(d, d, seed + 1);
  Matrix<double> mixed(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k) {
      const double falling = 1 / std::sqrt(1.0 + static_cast<double>(k));
      for (std::size_t c = 0; c < d; ++c) mixed(i, c) += falling * table(i, k) * mixing(k, c);
    }
  }
  return mixed;
}

Matrix<double> some_rows(const Matrix<double>& table, std::size_t step) {
  Matrix<double> part((table.rows() + step - 1) / step, table.cols());
  for (std::size_t i = 0; i < part.rows(); ++i) {
    std::ranges::copy(table.row(i * step), part.row(i).begin());
  }
  return part;
}

TEST(IsPrincipalComponents, HoldsForScoresOfAnyLengthAndForRoundedOnes) {
  for (const std::size_t n : {12, 25, 60, 1000}) {
    const std::size_t d = std::min<std::size_t>(n - 2, 20);
    Matrix<double> scores = pca(measured(n, d, n), {.rank = d}).scores;
    EXPECT_TRUE(is_principal_components(scores)) << n << " rows";
    for (std::size_t k = 0; k < scores.size(); ++k) {
      // Eleven bits, as float16 keeps them.
      int exponent = 0;
      const double mantissa = std::frexp(scores.data()[k], &exponent);
      scores.data()[k] = std::ldexp(std::round(std::ldexp(mantissa, 11)), exponent - 11);
    }
    EXPECT_TRUE(n < 60 || is_principal_components(scores)) << n << " rows, rounded";
  }
}

TEST(IsPrincipalComponents, HoldsForAPartOfTheRowsThatWereReduced) {
  const Matrix<double> scores = pca(measured(4000, 30, 3), {.rank = 30}).scores;
  EXPECT_TRUE(is_principal_components(some_rows(scores, 2)));
  EXPECT_TRUE(is_principal_components(some_rows(scores, 5)));
}

TEST(IsPrincipalComponents, FailsForRawTablesHoweverFewTheirRows) {
  for (const std::size_t n : {2, 3, 8, 20, 25, 200, 2000}) {
    for (const std::size_t d : {2, 3, 6, 10, 24, 60}) {
      EXPECT_FALSE(is_principal_components(gaussian_table(n, d, 5))) << n << " x " << d;
      EXPECT_FALSE(is_principal_components(measured(n, d, 5))) << n << " x " << d;
    }
  }
}

TEST(IsPrincipalComponents, FailsForRawRingsSpheresAndRolls) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    for (const std::size_t n : {60, 500, 2000}) {
      for (const Shape shape : {Shape::circle, Shape::sphere, Shape::torus, Shape::swiss_roll}) {
        const SynthOptions even{.n = n, .noise = 0, .geodesic_limit = 0};
        const Dataset clean = synthesize(shape, even, {.seed = seed});
        EXPECT_FALSE(is_principal_components(clean.X));
        for (const std::size_t dim : {5, 10, 20, 50}) {
          const SynthOptions noisy{.n = n, .noise = 0.05, .dim = dim, .geodesic_limit = 0};
          EXPECT_FALSE(is_principal_components(synthesize(shape, noisy, {.seed = seed}).X))
              << n << " x " << dim << ", seed " << seed;
        }
      }
    }
  }
  // Evenly spaced: uncorrelated and centred to the last digit, and of falling variance.
  Matrix<double> ellipse(100, 2);
  for (std::size_t i = 0; i < 100; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / 100;
    ellipse(i, 0) = 2 * std::cos(angle);
    ellipse(i, 1) = std::sin(angle);
  }
  EXPECT_FALSE(is_principal_components(ellipse));
}

TEST(IsPrincipalComponents, FailsForLatentsOfUnitVariance) {
  // As of an autoencoder: independent, centred, each about as wide as the next.
  for (const std::size_t d : {6, 10, 20, 32}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      EXPECT_FALSE(is_principal_components(gaussian_table(3000, d, seed))) << d << ", " << seed;
    }
  }
}

TEST(IsPrincipalComponents, LooksAtWideTablesInPassing) {
  // Columns^2 would be 20 GB.
  EXPECT_FALSE(is_principal_components(gaussian_table(20, 50000, 1)));
}

TEST(Pca, OfPrincipalComponentsTurnsThemAndCutsNoneWorthKeeping) {
  // What a missed recognition costs: nothing where the last components are more than white noise.
  const Matrix<double> scores = pca(measured(800, 20, 9), {.rank = 20}).scores;
  const Pca again = pca(scores);
  ASSERT_EQ(again.scores.cols(), 20U);
  for (std::size_t c = 0; c < 20; ++c) {
    const double sign = again.scores(0, c) * scores(0, c) < 0 ? -1 : 1;
    for (std::size_t i = 0; i < 800; ++i) {
      EXPECT_NEAR(again.scores(i, c), sign * scores(i, c), 1e-9 * 10);  // gaps of a hundredth
    }
  }
}

TEST(Pca, LeavesOutScoresWhereNothingIsCutAndThatIsAskedFor) {
  const Matrix<double> table = measured(60, 500, 2);
  const Pca whole = pca(table), left_out = pca(table, {.leaves_out_uncut = true});
  ASSERT_FALSE(whole.was_reduced);
  EXPECT_EQ(left_out.choice, whole.choice);
  EXPECT_EQ(left_out.singular_values, whole.singular_values);
  EXPECT_TRUE(left_out.scores.empty() && left_out.components.empty());
  EXPECT_EQ(pca(table, {.rank = 4, .leaves_out_uncut = true}).scores.cols(), 4U);
}

}  // namespace
}  // namespace geotherm
