#include <numbers>

#include "geotherm/trajectory.hpp"
#include "trajectory/shapes_for_tests.hpp"

namespace geotherm {
namespace {

struct Sample {
  std::vector<double> time;
  Matrix<double> values;  ///< a sine, a line and noise alone
};

Sample sample_of(std::size_t n, double noise, std::uint64_t seed) {
  Sample sample{std::vector<double>(n), Matrix<double>(n, 3)};
  Rng rng(seed, "trends.test");
  for (std::size_t i = 0; i < n; ++i) {
    sample.time[i] = rng.uniform();
    sample.values(i, 0) = std::sin(2 * std::numbers::pi * sample.time[i]) + noise * rng.normal();
    sample.values(i, 1) = 2 * sample.time[i] + noise * rng.normal();
    sample.values(i, 2) = noise * rng.normal();
  }
  return sample;
}

TEST(Trends, FollowASineALineAndNothing) {
  const Sample sample = sample_of(800, 0.3, 1);
  const Trends trends = fit_trends(sample.time, {}, sample.values.view());
  for (std::size_t x = 0; x < trends.pseudotime.size(); ++x) {
    const double t = trends.pseudotime[x];
    // Three standard errors of 0.3 / sqrt(800 / 8): a curve of eight degrees of freedom.
    EXPECT_NEAR(trends.mean(0, x), std::sin(2 * std::numbers::pi * t), 0.15);
    EXPECT_NEAR(trends.mean(1, x), 2 * t, 0.12);
    EXPECT_NEAR(trends.mean(2, x), 0, 0.12);
    EXPECT_LE(trends.low(0, x), trends.mean(0, x));
    EXPECT_GE(trends.high(0, x), trends.mean(0, x));
  }
  EXPECT_GT(trends.explained[0], 0.8);
  EXPECT_LT(trends.explained[2], 0.03);
  EXPECT_LT(trends.freedom[1], 4);  // a line needs two
  EXPECT_GT(trends.freedom[0], 4);
}

TEST(Trends, BandsHoldTheTruthAboutAsOftenAsTheySay) {
  std::size_t inside = 0, total = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Sample sample = sample_of(300, 0.3, seed);
    const Trends trends = fit_trends(sample.time, {}, sample.values.view());
    for (std::size_t x = 0; x < trends.pseudotime.size(); ++x) {
      const double truth = std::sin(2 * std::numbers::pi * trends.pseudotime[x]);
      inside += trends.low(0, x) <= truth && truth <= trends.high(0, x);
      ++total;
    }
  }
  const double share = static_cast<double>(inside) / static_cast<double>(total);
  EXPECT_GT(share, 0.85);  // 95 % in the mean along the curve, 20 draws
}

TEST(Trends, LeaveOutCellsWithoutWeightOrPseudotime) {
  Sample sample = sample_of(400, 0.1, 3);
  std::vector<double> weights(400, 1);
  const Trends before = fit_trends(sample.time, weights, sample.values.view());
  Matrix<double> more(500, 3, 1e6);
  std::copy(sample.values.data(), sample.values.data() + sample.values.size(), more.data());
  for (std::size_t i = 0; i < 100; ++i) {
    sample.time.push_back(i < 50 ? std::nan("") : 0.5);
    weights.push_back(i < 50 ? 1 : 0);
  }
  const Trends after = fit_trends(sample.time, weights, more.view());
  for (std::size_t x = 0; x < before.pseudotime.size(); ++x) {
    EXPECT_EQ(before.mean(0, x), after.mean(0, x));
  }
}

TEST(Trends, HaveTheSameBitsOnAnyNumberOfThreads) {
  const Sample sample = sample_of(300, 0.2, 5);
  const Trends one = fit_trends(sample.time, {}, sample.values.view());
  ThreadPool pool(4);
  Context context;
  context.executor = &pool;
  const Trends four = fit_trends(sample.time, {}, sample.values.view(), {}, context);
  for (std::size_t k = 0; k < one.mean.size(); ++k) {
    EXPECT_EQ(one.mean.data()[k], four.mean.data()[k]);
    EXPECT_EQ(one.low.data()[k], four.low.data()[k]);
  }
}

TEST(Trends, RefuseTooFewCellsAndBadOptions) {
  const Sample sample = sample_of(5, 0.1, 1);
  EXPECT_THROW(fit_trends(sample.time, {}, sample.values.view()), InvalidData);
  EXPECT_EQ(issues_with(TrendOptions{.n_splines = 3, .n_points = 1, .width = 0}).size(), 3);
  const std::vector<double> short_time(4, 0.5);
  EXPECT_THROW(fit_trends(short_time, {}, sample.values.view()), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
