// Scaled Bessel values, the cut of the series, and many times from one recurrence.
#include "heat/chebyshev.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/bessel.hpp>
#include <cmath>

#include "heat/test_graphs.hpp"

namespace geotherm {
namespace {

using namespace testing;

TEST(ScaledBessel, MatchesTheFunctionWhereThatDoesNotOverflow) {
  for (const double a : {1e-8, 0.1, 1.0, 30.0, 500.0}) {
    const std::vector<double> values = detail::scaled_bessel(a);
    for (const std::size_t k : {0, 1, 2, 5, 20, 60}) {
      if (k >= values.size()) continue;
      const double expected = std::exp(-a) * boost::math::cyl_bessel_i(static_cast<double>(k), a);
      // 1e-12: the error of e^-a and of the function at a = 500.
      EXPECT_NEAR(values[k] / expected, 1.0, 1e-12) << a << " " << k;
    }
  }
}

TEST(ScaledBessel, SumsToOneAndFallsAtAnyArgument) {
  for (const double a : {0.0, 1e-300, 1e-3, 1e3, 1e6, 2e7}) {
    const std::vector<double> values = detail::scaled_bessel(a);
    double sum = values[0];
    for (std::size_t k = 1; k < values.size(); ++k) {
      sum += 2 * values[k];
      EXPECT_GE(values[k], 0.0);
      EXPECT_LE(values[k], values[k - 1]);
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    if (a > 0) {
      EXPECT_LT(values.back(), 1e-30);
    }
    // e^-a I_0(a) = (1 + 1/8a + 9/128a^2 ...) / sqrt(2 pi a).
    if (a >= 1e3) {
      const double leading = 1 / std::sqrt(2 * std::acos(-1.0) * a);
      EXPECT_NEAR(values[0] / leading, 1 + 1 / (8 * a) + 9 / (128 * a * a), 1e-9);
    }
  }
}

TEST(ChebyshevSeries, IsWithinItsTailOfTheExponential) {
  for (const double time : {1e-6, 0.1, 3.0, 100.0, 1e6}) {
    for (const double tolerance : {1e-3, 1e-8, 1e-13}) {
      const auto series = detail::chebyshev_series(time, 2.5, tolerance);
      EXPECT_LE(series.tail, tolerance);
      for (const double x : {0.0, 1e-4, 0.7, 2.0, 2.5}) {
        const double angle = std::acos(std::clamp(2 * x / 2.5 - 1, -1.0, 1.0));
        double sum = 0;
        for (std::size_t k = 0; k < series.coefficients.size(); ++k) {
          sum += series.coefficients[k] * std::cos(static_cast<double>(k) * angle);
        }
        // Besides the tail: rounding of the angle, times the degree that carries weight.
        EXPECT_NEAR(sum, std::exp(-time * x), series.tail + 1e-14 * (1 + std::sqrt(time)));
      }
    }
  }
}

TEST(ChebyshevSeries, OfGivenDegreeReportsWhatItLeavesOut) {
  const auto series = detail::chebyshev_series_of_degree(10, 2, 6);
  EXPECT_EQ(series.coefficients.size(), 7U);
  double full = 0;
  const auto whole = detail::chebyshev_series_of_degree(10, 2, 500).coefficients;
  for (std::size_t k = 7; k < whole.size(); ++k) full += std::abs(whole[k]);
  EXPECT_NEAR(series.tail, full, 1e-15);
  EXPECT_GT(series.tail, 1e-3);
}

TEST(Chebyshev, ResolutionIsAnHonestBoundOnTheError) {
  const Graph graph = strip_graph(120, 10, 0.9);
  for (const auto kind : all_kinds) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    for (const double time : {0.1, 5.0, 200.0}) {
      const Matrix<double> right = heat_kernel(laplacian, {.time = time})->dense();
      for (const auto& order :
           {std::optional<int>(), std::optional<int>(12), std::optional<int>(60)}) {
        for (const double tolerance : {1e-6, 1e-15}) {
          const auto kernel = heat_kernel(laplacian, {.time = time,
                                                      .method = KernelMethod::chebyshev,
                                                      .tolerance = tolerance,
                                                      .order = order});
          EXPECT_LE(largest_difference(kernel->dense(), right), kernel->report().resolution)
              << to_string(kind) << " " << time;
        }
      }
    }
  }
}

TEST(HeatApplyTimes, IsTheKernelAtEachTime) {
  const Graph graph = strip_graph(90, 8, 0.9);
  Matrix<double> block(90, 11);
  Rng rng(2, "block");
  for (std::size_t k = 0; k < block.size(); ++k) block.data()[k] = rng.normal();
  const std::vector<double> times = {3.0, 1e-7, 0.4, 50.0};
  for (const auto kind : all_kinds) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    const auto results = heat_apply_times(laplacian, block, times);
    ASSERT_EQ(results.size(), times.size());
    for (std::size_t s = 0; s < times.size(); ++s) {
      const auto kernel = heat_kernel(laplacian, {.time = times[s], .method = KernelMethod::exact});
      // The tolerance 1e-12 times the blocks' size, about 3, and roots of degree ratios.
      EXPECT_LT(largest_difference(results[s], kernel->apply(block)), 1e-10);
    }
    ThreadPool pool(3);
    Context context;
    context.executor = &pool;
    const auto again = heat_apply_times(laplacian, block, times, 1e-12, context);
    for (std::size_t s = 0; s < times.size(); ++s) EXPECT_TRUE(same_bits(results[s], again[s]));
  }
}

TEST(HeatApplyTimes, RefusesBadTimesAndBlocks) {
  const Laplacian laplacian = build_laplacian(path_graph(4));
  const Matrix<double> block(4, 2, 1.0), short_block(3, 2);
  const std::vector<double> bad = {1.0, -2.0}, good = {1.0};
  EXPECT_THROW(heat_apply_times(laplacian, block, bad), InvalidArgument);
  EXPECT_THROW(heat_apply_times(laplacian, short_block, good), InvalidArgument);
  EXPECT_TRUE(heat_apply_times(laplacian, block, {}).empty());
}

TEST(Chebyshev, NeitherOverflowsNorDriftsAtTimesUpToAMillion) {
  const Graph graph = strip_graph(30, 2, 0.9);
  const Laplacian laplacian = build_laplacian(graph);
  for (const double time : {1e3, 1e6}) {
    const auto kernel = heat_kernel(laplacian, {.time = time, .method = KernelMethod::chebyshev});
    const Matrix<double> exact =
        heat_kernel(laplacian, {.time = time, .method = KernelMethod::exact})->dense();
    EXPECT_LT(largest_difference(kernel->dense(), exact), 1e-10);
    EXPECT_LE(largest_difference(kernel->dense(), exact), kernel->report().resolution);
  }
}

}  // namespace
}  // namespace geotherm
