// The formula against a plain one, the treatment of unresolved pairs, and awkward kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "dissimilarity/kernel_distance.hpp"
#include "dissimilarity/test_kernels.hpp"

namespace geotherm {
namespace {

using namespace geotherm::testing;

// The definition, entry by entry; the diagonal as the formula gives it.
Matrix<double> plain_formula(const Matrix<double>& k, double t, double sigma) {
  const std::size_t n = k.rows();
  Matrix<double> d(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double heat = 0.5 * (std::log(k(i, j)) + std::log(k(j, i)));
      const double volume = std::log((k(i, i) + k(j, j)) / 2);
      d(i, j) = std::sqrt(std::max(0.0, -4 * t * heat + sigma * 4 * t * volume));
    }
  }
  return d;
}

Matrix<double> with_zero_diagonal(Matrix<double> d) {
  for (std::size_t i = 0; i < d.rows(); ++i) d(i, i) = 0;
  return d;
}

TEST(HeatGeodesic, DefaultsAreValidAndEveryBadFieldIsNamed) {
  EXPECT_TRUE(issues_with(HeatGeodesicOptions{}).empty());
  const double nan = std::nan("");
  const auto issues = issues_with(
      HeatGeodesicOptions{.harnack = -1, .denoise = 1.5, .kernel_floor = -1e-3, .max_distance = 0});
  ASSERT_EQ(issues.size(), 4u);
  EXPECT_NE(issues[0].find("harnack = -1"), std::string::npos);
  EXPECT_NE(issues[1].find("denoise = 1.5"), std::string::npos);
  EXPECT_NE(issues[2].find("kernel_floor = -0.001"), std::string::npos);
  EXPECT_NE(issues[3].find("max_distance = 0"), std::string::npos);
  EXPECT_EQ(
      issues_with(HeatGeodesicOptions{
                      .harnack = nan, .denoise = nan, .kernel_floor = nan, .max_distance = nan})
          .size(),
      4u);
  EXPECT_EQ(issues_with(HeatGeodesicOptions{.kernel_floor = 1e-310}).size(), 1u);
  EXPECT_TRUE(issues_with(HeatGeodesicOptions{.kernel_floor = 0.0}).empty());
  const GivenKernel kernel(heat_of_path(3, 1), 1);
  EXPECT_THROW(heat_geodesic(kernel, {.harnack = -1}), InvalidArgument);
  EXPECT_THROW(heat_geodesic(GivenKernel(heat_of_path(3, 1), 0.0)), InvalidArgument);
}

TEST(HeatGeodesic, IsTheFormulaForSymmetricAndForOtherKernels) {
  // Sizes around the tile of 64; heat down to 1e-40.
  for (const std::size_t n : {1u, 2u, 3u, 63u, 64u, 65u, 150u}) {
    const Matrix<double> symmetric = heat_of_path(n, 60.0);
    Matrix<double> other = symmetric;
    Rng rng(n, "other");
    for (std::size_t e = 0; e < other.size(); ++e) other.data()[e] *= 0.5 + rng.uniform();
    for (const double sigma : {0.0, 0.5, 1.0, 1.5}) {
      const auto a = heat_geodesic(GivenKernel(symmetric, 60.0), {.harnack = sigma});
      const auto b = heat_geodesic(GivenKernel(other, 60.0, false), {.harnack = sigma});
      EXPECT_TRUE(is_a_dissimilarity(a.values));
      EXPECT_TRUE(is_a_dissimilarity(b.values));
      EXPECT_EQ(a.unresolved_share, 0.0);
      EXPECT_EQ(a.unresolved_treatment, "none");
      // The root of an error of 4t 1e-15 where d is near 0: 5e-7.
      EXPECT_LT(
          largest_difference(a.values, with_zero_diagonal(plain_formula(symmetric, 60.0, sigma))),
          2e-6);
      EXPECT_LT(largest_difference(b.values, with_zero_diagonal(plain_formula(other, 60.0, sigma))),
                2e-6);
    }
  }
}

TEST(HeatGeodesic, HasAZeroDiagonalBeforeItIsForcedWhereSigmaIsOne) {
  const Matrix<double> heat = heat_of(random_weights(40, 3), 2.0);
  const detail::HeatDistanceRule rule{.time = 2.0, .harnack = 1.0};
  detail::HeatDistanceScratch scratch(1);
  for (std::size_t i = 0; i < heat.rows(); ++i) {
    double d = -1;
    const double k_ii = heat(i, i);
    EXPECT_EQ(detail::heat_distances(rule, &k_ii, nullptr, k_ii, &k_ii, 1, scratch, &d), 0u);
    EXPECT_EQ(d, 0.0);
    EXPECT_FALSE(std::signbit(d)) << "-0";
    EXPECT_EQ(detail::heat_distances(rule, &k_ii, &k_ii, k_ii, &k_ii, 1, scratch, &d), 0u);
    EXPECT_EQ(d, 0.0);
  }
}

TEST(HeatGeodesic, DenoisesWithTheDiagonalOfTheFormulaAndZeroesItAfterwards) {
  const double t = 3.0;
  const Matrix<double> heat = heat_of(random_weights(70, 4), t);
  for (const double sigma : {0.0, 1.0}) {
    Matrix<double> expected = plain_formula(heat, t, sigma);
    denoise_triplets(expected, 0.5);
    const auto result = heat_geodesic(GivenKernel(heat, t), {.harnack = sigma, .denoise = 0.5});
    EXPECT_TRUE(is_a_dissimilarity(result.values));
    // sigma = 1: the formula's own diagonal is the root of a rounding error.
    EXPECT_LT(largest_difference(result.values, with_zero_diagonal(expected)),
              sigma == 0 ? 1e-11 : 1e-6);
  }
}

TEST(HeatGeodesic, FloorsKernelsOfLimitedResolutionAtThePublishedValue) {
  Matrix<double> k(3, 3, 0.25);
  for (std::size_t i = 0; i < 3; ++i) k(i, i) = 0.5;
  k(0, 2) = k(2, 0) = -3e-17;  // rounding of a kernel of resolution 1e-15
  k(1, 2) = k(2, 1) = 5e-16;   // unresolved too, but above the floor: kept
  std::string warning;
  Context context;
  context.on_log = [&](LogLevel, std::string_view message) { warning = message; };
  const auto result = heat_geodesic(GivenKernel(k, 2.0, true, 1e-15), {}, context);
  EXPECT_DOUBLE_EQ(result.values(0, 2), std::sqrt(-8 * std::log(1e-16 / 0.5)));
  EXPECT_DOUBLE_EQ(result.values(1, 2), std::sqrt(-8 * std::log(5e-16 / 0.5)));
  EXPECT_DOUBLE_EQ(result.unresolved_share, 2.0 / 3);
  EXPECT_EQ(result.unresolved_treatment, "floored");
  EXPECT_NE(warning.find("67 % of the pairs"), std::string::npos);
}

TEST(HeatGeodesic, FloorsAnyKernelWhereAskedAndFillsAnyWhereTheFloorIsZero) {
  const Matrix<double> heat = heat_of_path(60, 1.0);
  const auto floored = heat_geodesic(GivenKernel(heat, 1.0), {.kernel_floor = 1e-8});
  EXPECT_EQ(floored.unresolved_treatment, "floored");
  double n_below = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double volume = 0.5 * (heat(i, i) + heat(j, j));
      EXPECT_NEAR(floored.values(i, j),
                  2 * std::sqrt(-std::log(std::max(heat(i, j), 1e-8) / volume)), 1e-12);
      n_below += heat(i, j) <= 1e-8 ? 1 : 0;
    }
  }
  EXPECT_DOUBLE_EQ(floored.unresolved_share, n_below / (60 * 59 / 2));

  const auto filled = heat_geodesic(GivenKernel(heat, 1.0, true, 1e-15), {.kernel_floor = 0.0});
  EXPECT_EQ(filled.unresolved_treatment, "shortest paths over resolved pairs");
  EXPECT_GT(filled.values(0, 59), filled.values(0, 40));
  EXPECT_GT(filled.unresolved_share, 0.1);
}

TEST(HeatGeodesic, TreatsNonsenseInTheKernelAsUnresolved) {
  Matrix<double> k(4, 4, 0.2);
  for (std::size_t i = 0; i < 4; ++i) k(i, i) = 0.4;
  k(0, 3) = k(3, 0) = std::nan("");
  k(1, 3) = k(3, 1) = std::numeric_limits<double>::infinity();
  k(0, 2) = k(2, 0) = 1e-310;
  for (const double resolution : {0.0, 1e-15}) {
    const auto result = heat_geodesic(GivenKernel(k, 1.0, true, resolution));
    EXPECT_TRUE(is_a_dissimilarity(result.values));
    EXPECT_DOUBLE_EQ(result.unresolved_share, 0.5);
  }
}

TEST(HeatGeodesic, FillsWhatAWalkCannotReachByPathsOverWhatItCan) {
  // P^3 on a ring of 30: 0 beyond 3 hops.
  const std::size_t n = 30;
  Matrix<double> power(n, n);
  const double three_steps[] = {7.0 / 27, 6.0 / 27, 3.0 / 27, 1.0 / 27};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t h = 0; h <= 3; ++h) {
      power(i, (i + h) % n) = power(i, (i + n - h) % n) = three_steps[h];
    }
  }
  const auto result = heat_geodesic(GivenKernel(power, 3.0, false));
  EXPECT_DOUBLE_EQ(result.unresolved_share, (29.0 - 6.0) / 29.0);
  EXPECT_EQ(result.unresolved_treatment, "shortest paths over resolved pairs");
  EXPECT_TRUE(is_a_dissimilarity(result.values));
  // Formula and paths by hand: a resolved pair keeps its own distance, the others get the path.
  Matrix<double> resolved(n, n, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t h = 1; h <= 3; ++h) {
      const double d = std::sqrt(-12 * std::log(three_steps[h] / three_steps[0]));
      resolved(i, (i + h) % n) = resolved(i, (i + n - h) % n) = d;
    }
  }
  const Matrix<double> paths = all_shortest(resolved);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double expected = std::isinf(resolved(i, j)) ? paths(i, j) : resolved(i, j);
      EXPECT_NEAR(result.values(i, j), expected, 1e-12);
    }
  }
}

TEST(HeatGeodesic, StaysMonotoneAlongAPathWhoseHeatUnderflows) {
  const std::size_t n = 1000;
  const auto result = heat_geodesic(GivenKernel(heat_of_path(n, 10.0), 10.0));
  EXPECT_GT(result.unresolved_share, 0.3);
  EXPECT_EQ(result.unresolved_treatment, "shortest paths over resolved pairs");
  EXPECT_TRUE(is_a_dissimilarity(result.values));
  for (const std::size_t from : {0u, 1u, 333u, 999u}) {
    for (std::size_t j = from + 1; j < n; ++j) {
      ASSERT_GT(result.values(from, j), result.values(from, j - 1)) << from << " " << j;
    }
    for (std::size_t j = from; j > 0; --j) {
      ASSERT_GT(result.values(from, j - 1), result.values(from, j)) << from << " " << j;
    }
  }
}

TEST(HeatGeodesic, PutsComponentsFartherApartThanAnythingInside) {
  Matrix<double> k(50, 50);
  const Matrix<double> a = heat_of_path(20, 2.0), b = heat_of_path(30, 2.0);
  for (std::size_t i = 0; i < 20; ++i) std::ranges::copy(a.row(i), k.row(i).begin());
  for (std::size_t i = 0; i < 30; ++i) std::ranges::copy(b.row(i), k.row(20 + i).begin() + 20);
  const auto result = heat_geodesic(GivenKernel(k, 2.0));
  EXPECT_TRUE(is_a_dissimilarity(result.values));
  EXPECT_EQ(result.unresolved_treatment, "constant");
  EXPECT_DOUBLE_EQ(result.unresolved_share, 20.0 * 30 / (50 * 49 / 2));
  const double inside = std::max(result.values(0, 19), result.values(20, 49));
  EXPECT_GT(result.values(0, 20), inside);
  EXPECT_EQ(result.values(0, 20), result.values(19, 49));
}

TEST(HeatGeodesic, WorksForOneAndTwoPointsAndPointsThatSeeNobody) {
  EXPECT_TRUE(heat_geodesic(GivenKernel(Matrix<double>(0, 0), 1.0)).values.empty());
  for (const double k_00 : {1.0, 0.0}) {
    for (const double sigma : {0.0, 1.0}) {
      const auto one = heat_geodesic(GivenKernel(Matrix<double>(1, 1, k_00), 1.0),
                                     {.harnack = sigma, .denoise = 0.5});
      EXPECT_EQ(one.values(0, 0), 0.0);
      EXPECT_EQ(one.unresolved_share, 0.0);
      EXPECT_EQ(one.unresolved_treatment, "none");
    }
  }
  Matrix<double> apart(2, 2);
  apart(0, 0) = apart(1, 1) = 1;
  for (const Matrix<double>& k : {apart, Matrix<double>(2, 2, 0.0)}) {
    const auto two = heat_geodesic(GivenKernel(k, 1.0), {.denoise = 0.3});
    EXPECT_TRUE(is_a_dissimilarity(two.values));
    EXPECT_GT(two.values(0, 1), 0.0);
    EXPECT_EQ(two.unresolved_share, 1.0);
    EXPECT_EQ(two.unresolved_treatment, "constant");
  }
}

TEST(HeatGeodesic, CutsDistancesAboveTheLimit) {
  const GivenKernel kernel(heat_of_path(40, 2.0), 2.0);
  const auto all = heat_geodesic(kernel);
  const double limit = all.values(0, 20);
  const auto cut = heat_geodesic(kernel, {.max_distance = limit});
  for (std::size_t e = 0; e < all.values.size(); ++e) {
    EXPECT_EQ(cut.values.data()[e], std::min(all.values.data()[e], limit));
  }
}

TEST(HeatGeodesic, StopsWhereTheUserSaysSo) {
  Context context;
  context.on_progress = [](const Progress&) { return Next::stop_here; };
  EXPECT_THROW(heat_geodesic(GivenKernel(heat_of_path(40, 2.0), 2.0), {}, context), Stopped);
}

TEST(HeatGeodesic, HasTheSameBitsForAnyNumberOfThreads) {
  const std::size_t n = 300;
  const GivenKernel gaps(heat_of_path(n, 0.5), 0.5);
  Matrix<double> skewed = heat_of_path(n, 60.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : skewed.row(i)) value *= 1 + 0.01 * static_cast<double>(i % 7);
  }
  const GivenKernel other(skewed, 60.0, false);
  const HeatGeodesicOptions options{.harnack = 0.7, .denoise = 0.4};
  const auto a = heat_geodesic(gaps, options), b = heat_geodesic(other, options);
  EXPECT_GT(a.unresolved_share, 0.0);
  for (const std::size_t n_threads : {2u, 8u}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    EXPECT_TRUE(same_bits(heat_geodesic(gaps, options, context).values, a.values));
    EXPECT_TRUE(same_bits(heat_geodesic(other, options, context).values, b.values));
  }
}

/// No longer symmetric, as the kernel of a random walk is not.
Matrix<double> skewed_heat(std::size_t n) {
  Matrix<double> skewed = heat_of_path(n, 2.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : skewed.row(i)) value *= 1 + 0.01 * static_cast<double>(i % 7);
  }
  return skewed;
}

TEST(HeatGeodesicFrom, GivesTheRowsOfTheWholeOnResolvedPairs) {
  const std::size_t n = 200;
  const std::vector<Index> points = {0, 199, 57, 57};
  for (const bool is_symmetric : {true, false}) {
    const GivenKernel kernel(is_symmetric ? heat_of_path(n, 2.0) : skewed_heat(n), 2.0,
                             is_symmetric);
    for (const double sigma : {0.0, 0.5, 1.0}) {
      std::string warning;
      Context context;
      context.on_log = [&](LogLevel, std::string_view message) { warning = message; };
      const auto all = heat_geodesic(kernel, {.harnack = sigma});
      const auto some = heat_geodesic_from(kernel, points, {.harnack = sigma}, context);
      ASSERT_EQ(some.rows(), points.size());
      double n_lost = 0;
      for (std::size_t r = 0; r < points.size(); ++r) {
        const std::size_t i = static_cast<std::size_t>(points[r]);
        for (std::size_t j = 0; j < n; ++j) {
          ASSERT_TRUE(std::isfinite(some(r, j)));
          if (kernel.entries()(i, j) > 1e-300) {
            ASSERT_NEAR(some(r, j), all.values(i, j), 1e-12);
          } else {
            ASSERT_LE(some(r, j), all.values(i, j));  // the horizon bounds it from below
            ++n_lost;
          }
        }
      }
      EXPECT_GT(n_lost, 0);
      EXPECT_NE(warning.find("unresolved"), std::string::npos);
    }
  }
}

TEST(HeatGeodesicBetween, GivesThePartOfTheWholeThatIsAskedFor) {
  const std::size_t n = 60;
  const std::vector<Index> points = {0, 59, 17, 31};
  for (const bool is_symmetric : {true, false}) {
    const GivenKernel kernel(is_symmetric ? heat_of_path(n, 2.0) : skewed_heat(n), 2.0,
                             is_symmetric);
    for (const double sigma : {0.0, 0.5, 1.0}) {
      const auto all = heat_geodesic(kernel, {.harnack = sigma});
      const auto some = heat_geodesic_between(kernel, points, {.harnack = sigma});
      ASSERT_EQ(some.rows(), points.size());
      ASSERT_EQ(some.cols(), points.size());
      for (std::size_t r = 0; r < points.size(); ++r) {
        for (std::size_t c = 0; c < points.size(); ++c) {
          ASSERT_NEAR(
              some(r, c),
              all.values(static_cast<std::size_t>(points[r]), static_cast<std::size_t>(points[c])),
              1e-12);
        }
      }
    }
  }
}

TEST(HeatGeodesicBetween, OfOnePointIsZeroWithoutAWarning) {
  const GivenKernel kernel(heat_of(random_weights(6, 5), 1.0), 1.0);
  std::size_t n_warnings = 0;
  const Context context{.on_log = [&](LogLevel, std::string_view) { ++n_warnings; }};
  const std::vector<Index> one{3};
  EXPECT_EQ(heat_geodesic_between(kernel, one, {}, context)(0, 0), 0.0);
  EXPECT_EQ(n_warnings, 0U);
}

TEST(HeatGeodesicFrom, RefusesDenoisingAndPointsThatAreNotThere) {
  const GivenKernel kernel(heat_of_path(5, 1.0), 1.0);
  const std::vector<Index> good = {1}, bad = {5, -1};
  EXPECT_THROW(heat_geodesic_from(kernel, good, {.denoise = 0.1}), InvalidArgument);
  EXPECT_THROW(heat_geodesic_from(kernel, bad), InvalidArgument);
  EXPECT_EQ(heat_geodesic_from(kernel, {}).rows(), 0u);
  const auto cut = heat_geodesic_from(kernel, good, {.max_distance = 0.5});
  EXPECT_EQ(cut(0, 4), 0.5);
}

}  // namespace
}  // namespace geotherm
