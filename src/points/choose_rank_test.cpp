// Where to cut: noise goes, signal stays, and in doubt nothing is cut.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "geotherm/points.hpp"
#include "points/points_testing.hpp"
#include "points/spectrum.hpp"

namespace geotherm {
namespace {

using testing::gaussian_table;

Context seeded(std::uint64_t seed) {
  Context context;
  context.seed = seed;
  return context;
}

std::optional<std::size_t> rank_of(const Matrix<double>& points) {
  const Pca all = pca(points, {.rank = std::min(points.rows(), points.cols())});
  return choose_rank(all.singular_values, points.rows(), points.cols());
}

TEST(ChooseRank, FindsTheThreeDimensionsOfNoisySwissRolls) {
  for (const std::size_t dim : {10U, 50U}) {
    for (const double noise : {0.1, 0.5, 1.0}) {
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const SynthOptions options{.noise = noise, .dim = dim, .geodesic_limit = 0};
        const Dataset roll = synthesize(Shape::swiss_roll, options, seeded(seed));
        EXPECT_EQ(rank_of(roll.X), 3U) << dim << "-d, noise " << noise << ", seed " << seed;
      }
    }
  }
}

TEST(ChooseRank, LeavesThreeDimensionalRollsAlone) {
  for (const double noise : {0.0, 0.1, 1.0}) {
    const SynthOptions options{.noise = noise, .geodesic_limit = 0};
    EXPECT_EQ(rank_of(synthesize(Shape::swiss_roll, options).X), std::nullopt);
  }
}

// Random walks have variance in every direction, falling smoothly into the noise.
TEST(ChooseRank, LeavesNoisyTreesAlone) {
  for (const std::size_t dim : {10U, 30U}) {
    for (const double noise : {1.0, 5.0, 10.0}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const SynthOptions options{.n = 2500, .noise = noise, .dim = dim, .geodesic_limit = 0};
        const Dataset tree = synthesize(Shape::tree, options, seeded(seed));
        EXPECT_EQ(rank_of(tree.X), std::nullopt)
            << dim << "-d, noise " << noise << ", seed " << seed;
      }
    }
  }
}

TEST(ChooseRank, FindsNothingInPureNoiseOfAnyShape) {
  for (const auto& [rows, cols] : std::vector<std::pair<std::size_t, std::size_t>>{
           {2000, 50}, {100, 80}, {80, 100}, {30, 400}, {60, 60}}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      EXPECT_EQ(rank_of(gaussian_table(rows, cols, seed)), std::nullopt) << rows << " x " << cols;
    }
  }
}

TEST(ChooseRank, FindsStrongDirectionsInTablesOfAnyShape) {
  for (const auto& [rows, cols] : std::vector<std::pair<std::size_t, std::size_t>>{
           {2000, 20}, {200, 100}, {100, 200}, {40, 500}, {100, 10}}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Matrix<double> points = gaussian_table(rows, cols, seed);
      const Matrix<double> signal = gaussian_table(rows, 4, 100 + seed);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < 4; ++j) points(i, j) += 12 * signal(i, j);
      }
      EXPECT_EQ(rank_of(points), 4U) << rows << " x " << cols;
    }
  }
}

TEST(ChooseRank, DoesNotDependOnTheUnit) {
  std::vector<double> values{90, 60, 30};
  const Pca noise = pca(gaussian_table(1000, 17, 8), {.rank = 17});
  for (const double value : noise.singular_values) values.push_back(0.1 * value);
  EXPECT_EQ(choose_rank(values, 1000, 20), 3U);
  for (double& value : values) value *= 1e-200;
  EXPECT_EQ(choose_rank(values, 1000, 20), 3U);
  for (double& value : values) value *= 1e+250;
  for (double& value : values) value *= 1e+200;
  EXPECT_EQ(choose_rank(values, 1000, 20), 3U);
}

TEST(ChooseRank, DropsDirectionsWithoutVariance) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.noise = 0, .dim = 10});
  EXPECT_EQ(rank_of(roll.X), 3U);
  // Two constant columns out of five are no loss, though less than half.
  Matrix<double> points = gaussian_table(100, 5, 9);
  for (std::size_t i = 0; i < 100; ++i) points(i, 1) = points(i, 3) = 2;
  EXPECT_EQ(rank_of(points), 3U);
  EXPECT_EQ(rank_of(Matrix<double>(10, 4, 1.0)), std::nullopt);
}

// A long cone has two equal small eigenvalues, a cigar in four dimensions three: no noise floor.
TEST(ChooseRank, DoesNotTakeAFewEqualValuesForNoise) {
  EXPECT_EQ(choose_rank(std::vector<double>{100, 1, 1}, 1000, 3), std::nullopt);
  EXPECT_EQ(choose_rank(std::vector<double>{100, 1, 1, 1, 1}, 1000, 5), std::nullopt);
  EXPECT_EQ(choose_rank(std::vector<double>{100, 1, 1, 1, 1, 1}, 1000, 6), 1U);
}

TEST(ChooseRank, NeverDiscardsLessThanHalf) {
  std::vector<double> values(20, 1.0);
  for (std::size_t i = 0; i < 10; ++i) values[i] = 100;
  EXPECT_EQ(choose_rank(values, 5000, 20), 10U);
  values[10] = 100;
  EXPECT_EQ(choose_rank(values, 5000, 20), std::nullopt);
}

// Values between the edge of the noise and the threshold are too weak to keep, too strong to lose.
TEST(ChooseRank, CutsNothingWhereWeakDirectionsLeadDownToTheNoise) {
  std::vector<double> values(50, 1.0);
  values[0] = 10;
  EXPECT_EQ(choose_rank(values, 100000, 50), 1U);
  values[1] = std::sqrt(1.5);
  EXPECT_EQ(choose_rank(values, 100000, 50), std::nullopt);
}

// Where only the leading values are known, the sum of the others stands for them.
TEST(ChooseRank, ReadsTheLeadingPartOfASpectrumLikeTheWhole) {
  Matrix<double> points = gaussian_table(500, 300, 10);
  for (std::size_t i = 0; i < 500; ++i) {
    for (std::size_t j = 0; j < 3; ++j) points(i, j) *= 10;
  }
  const Pca all = pca(points, {.rank = 300});
  std::vector<double> values;
  for (const double value : all.singular_values) values.push_back(value * value);
  double beyond = 0;
  for (std::size_t i = 20; i < 300; ++i) beyond += values[i];
  values.resize(20);
  const auto signal =
      detail::find_signal({.values = values, .beyond = beyond, .rows = 500, .cols = 300});
  ASSERT_TRUE(signal.has_value());
  EXPECT_EQ(signal->rank, 3U);
  EXPECT_EQ(signal->n_discarded, 297U);
  // Relative error of a variance from 148,500 draws: 0.004; four of them.
  EXPECT_NEAR(signal->noise_variance, 1, 0.016);
  // The same leading values over a heavier floor are no longer above it.
  EXPECT_FALSE(
      detail::find_signal({.values = values, .beyond = 40 * beyond, .rows = 500, .cols = 300}));
}

TEST(ChooseRank, RefusesMissingAndOddValues) {
  EXPECT_THROW(choose_rank(std::vector<double>{3, 2}, 100, 3), InvalidArgument);
  EXPECT_THROW(choose_rank(std::vector<double>{3, 2, NAN}, 100, 3), InvalidArgument);
  EXPECT_THROW(choose_rank(std::vector<double>{3, 2, -1}, 100, 3), InvalidArgument);
  EXPECT_EQ(choose_rank({}, 1, 5), std::nullopt);
  EXPECT_EQ(choose_rank({}, 0, 0), std::nullopt);
}

}  // namespace
}  // namespace geotherm
