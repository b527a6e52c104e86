// Gaussian clusters that are apart are found, whatever their number and size; nothing that goes on
// from one cluster to the next is.
#include "points/round_clusters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "geotherm/points.hpp"
#include "points/points_testing.hpp"

namespace geotherm {
namespace {

using testing::gaussian_table;
using testing::same_bits;

Context seeded(std::uint64_t seed) {
  Context context;
  context.seed = seed;
  return context;
}

Dataset made(Shape shape, SynthOptions options, std::uint64_t seed) {
  options.geodesic_limit = 0;
  return synthesize(shape, options, seeded(seed));
}

std::size_t rank_of(const Matrix<double>& points) { return pca(points).components.rows(); }

TEST(RoundClusters, KeepTenDirections) {
  for (const std::size_t dim : {10U, 20U, 50U}) {
    for (const std::size_t n_clusters : {2U, 3U, 5U}) {
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const Matrix<double> points =
            made(Shape::blobs, {.n = 1000, .dim = dim, .branches = n_clusters}, seed).X;
        const Pca found = pca(points, {.leaves_out_uncut = true});
        const std::string shown = std::to_string(n_clusters) + " in " + std::to_string(dim) +
                                  ", seed " + std::to_string(seed) + ": " + found.choice;
        EXPECT_EQ(found.was_reduced, dim > 10) << shown;
        EXPECT_EQ(found.scores.cols(), dim > 10 ? 10 : 0) << shown;
        EXPECT_NE(found.choice.find(std::to_string(n_clusters) + " round clusters"),
                  std::string::npos)
            << shown;
      }
    }
  }
}

TEST(RoundClusters, OfUnequalSizesAreFound) {
  Matrix<double> points = gaussian_table(1000, 20, 1);
  const std::size_t first_of[] = {0, 500, 750, 870, 950, 1000};
  for (std::size_t c = 0; c < 5; ++c) {
    for (std::size_t i = first_of[c]; i < first_of[c + 1]; ++i) points(i, c) += 20;
  }
  EXPECT_EQ(rank_of(points), 10U);
}

// Rolls at all noises, a ring that is nearly lost in noise, a torus, a line of which pieces are as
// thin as noise, four long clusters, stars.
TEST(RoundClusters, AreNotSeenInShapesThatGoOn) {
  for (const std::size_t dim : {10U, 50U}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      for (const double noise : {0.1, 0.5, 1.0}) {
        const auto roll = made(Shape::swiss_roll, {.noise = noise, .dim = dim}, seed);
        EXPECT_EQ(rank_of(roll.X), 3U);
      }
      EXPECT_EQ(rank_of(made(Shape::torus, {.noise = 0.3, .dim = dim}, seed).X), 3U);
      for (const double noise : {0.05, 0.2, 0.4}) {
        EXPECT_EQ(rank_of(made(Shape::circle, {.noise = noise, .dim = dim}, seed).X), 2U) << noise;
      }
      for (const double noise : {0.2, 1.0, 2.0}) {
        Matrix<double> line = gaussian_table(1200, dim, seed);
        for (std::size_t i = 0; i < 1200; ++i) {
          for (double& x : line.row(i)) x *= noise;
          line(i, 0) += 10 * static_cast<double>(i) / 1200;
        }
        EXPECT_EQ(rank_of(line), 1U) << noise;
      }
      Matrix<double> long_ones = gaussian_table(1200, dim, 10 + seed);
      for (std::size_t i = 0; i < 1200; ++i) {
        long_ones(i, 0) *= 3;
        if (i % 4 > 0) long_ones(i, i % 4 - 1) += 30;
      }
      EXPECT_EQ(rank_of(long_ones), 3U);
      // The closest to clusters of all: an arm to each, in so much noise that its tip alone is out.
      for (const double noise : {0.5, 1.0, 1.4}) {
        Matrix<double> star = gaussian_table(2000, dim, 20 + seed);
        Rng rng(seed, "test.arms");
        for (std::size_t i = 0; i < 2000; ++i) {
          for (double& x : star.row(i)) x *= noise;
          star(i, i % 3) += 10 * rng.uniform();
        }
        EXPECT_EQ(rank_of(star), 3U) << noise;
      }
    }
  }
}

TEST(RoundClusters, OfBlocksAndThreadsAndUnitsAreTheSame) {
  const Matrix<double> points = made(Shape::blobs, {.n = 700, .dim = 30}, 4).X;
  const Pca whole = pca(points);
  EXPECT_EQ(whole.scores.cols(), 10U);
  testing::BlocksOf blocks(points);
  EXPECT_TRUE(same_bits(pca(blocks).scores, whole.scores));
  testing::with_threads(0, [&](const Context& context) {
    EXPECT_TRUE(same_bits(pca(points, {}, context).scores, whole.scores));
  });
  for (const double unit : {0x1p-600, 0x1p+600}) {
    Matrix<double> scaled = points;
    for (std::size_t k = 0; k < scaled.size(); ++k) scaled.data()[k] *= unit;
    EXPECT_EQ(rank_of(scaled), 10U) << unit;
  }
}

TEST(RoundClusters, NeedRowsAndNoise) {
  const Matrix<double> few = gaussian_table(9, 1, 1);
  EXPECT_FALSE(detail::are_round_clusters(few.view(), 1, 1e6));
  const Matrix<double> many = gaussian_table(100, 1, 1);
  EXPECT_FALSE(detail::are_round_clusters(many.view(), 1, 0));
  EXPECT_FALSE(detail::are_round_clusters(Matrix<double>(100, 1).view(), 1, 1));
  EXPECT_FALSE(detail::are_round_clusters(Matrix<double>(100, 0).view(), 1, 1));
}

}  // namespace
}  // namespace geotherm
