// Kendall's tau against its definition, and what intervals over resampled pairs have to obey.
#include "kendall.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "geotherm/metrics.hpp"

namespace geotherm {
namespace {

std::vector<double> drawn(std::size_t n, std::uint64_t seed, double step) {
  Rng rng(seed, "kendall_test");
  std::vector<double> values(n);
  for (double& v : values) v = step > 0 ? step * std::round(rng.normal() / step) : rng.normal();
  return values;
}

/// (concordant - discordant) / sqrt(untied in a x untied in b), pair by pair.
double by_definition(std::span<const double> a, std::span<const double> b) {
  double surplus = 0, untied_a = 0, untied_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double da = a[i] - a[j], db = b[i] - b[j];
      surplus += (da * db > 0) - (da * db < 0);
      untied_a += da != 0;
      untied_b += db != 0;
    }
  }
  return surplus / std::sqrt(untied_a * untied_b);
}

TEST(Kendall, IsItsDefinitionWithAndWithoutTies) {
  for (const double step : {0.0, 0.3, 1.0}) {
    for (const std::size_t n : {2u, 3u, 17u, 200u}) {
      const auto a = drawn(n, 1, step), b = drawn(n, 2, step / 2);
      const double expected = by_definition(a, b);
      if (std::isnan(expected)) continue;  // constant: the other test
      // Counts are exact; two square roots and two divisions remain.
      EXPECT_NEAR(kendall(a, b), expected, 1e-14) << n << " " << step;
    }
  }
}

TEST(Kendall, IsOneMinusOneOrZeroWhereItHasToBe) {
  const std::vector<double> rising = {1, 2, 3, 7}, falling = {4, 3, 2, -9}, constant = {5, 5, 5, 5};
  EXPECT_EQ(kendall(rising, rising), 1);
  EXPECT_EQ(kendall(rising, falling), -1);
  EXPECT_EQ(kendall(rising, constant), 0);
  EXPECT_EQ(kendall({}, {}), 0);
  EXPECT_THROW(kendall(rising, std::vector<double>{1.0}), InvalidArgument);
}

TEST(BootstrapInterval, HoldsTheMeasureAndNarrowsWithMorePoints) {
  double width = 2;
  for (const std::size_t n : {30u, 300u, 3000u}) {
    auto a = drawn(n, 3, 0), b = drawn(n, 4, 0);
    for (std::size_t i = 0; i < n; ++i) b[i] += a[i];
    const Interval interval = bootstrap_interval(a, b, spearman, {.n_resamples = 200});
    EXPECT_LT(interval.low, spearman(a, b));
    EXPECT_GT(interval.high, spearman(a, b));
    EXPECT_LT(interval.high - interval.low, width);
    width = interval.high - interval.low;
  }
  // Fisher: the standard error of a correlation near .7 of 3,000 pairs is about .01.
  EXPECT_LT(width, 0.06);
}

TEST(BootstrapInterval, IsTheSameOnAnyNumberOfThreadsAndMovesWithTheSeed) {
  const auto a = drawn(50, 5, 0), b = drawn(50, 6, 0);
  ThreadPool two(2), eight(8);
  const Interval alone = bootstrap_interval(a, b, kendall);
  for (Executor* pool : {static_cast<Executor*>(&two), static_cast<Executor*>(&eight)}) {
    const Interval shared = bootstrap_interval(a, b, kendall, {}, {.executor = pool});
    EXPECT_EQ(shared.low, alone.low);
    EXPECT_EQ(shared.high, alone.high);
  }
  EXPECT_NE(bootstrap_interval(a, b, kendall, {}, {.seed = 1}).low, alone.low);
}

TEST(BootstrapInterval, RefusesOptionsThatMakeNoInterval) {
  const std::vector<double> a = {1, 2, 3};
  EXPECT_THROW(bootstrap_interval(a, a, kendall, {.n_resamples = 1}), InvalidArgument);
  EXPECT_THROW(bootstrap_interval(a, a, kendall, {.level = 1.0}), InvalidArgument);
  EXPECT_THROW(bootstrap_interval(a, std::vector<double>{1.0}, kendall), InvalidArgument);
}

TEST(Kendall, IsThatOfScipy) {
  std::ifstream file(GEOTHERM_SOURCE_DIR "/tests/reference/metric_values.json");
  const nlohmann::json cases = nlohmann::json::parse(file).at("correlations");
  ASSERT_FALSE(cases.empty());
  for (const auto& c : cases) {
    const auto a = c.at("a").get<std::vector<double>>(), b = c.at("b").get<std::vector<double>>();
    EXPECT_NEAR(kendall(a, b), c.at("kendall").get<double>(), 1e-13);
  }
}

}  // namespace
}  // namespace geotherm
