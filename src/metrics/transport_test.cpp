// Exact transport: all assignments of small sets, the closed form on the line, duality, weights.
#include "metrics/transport.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "geotherm/metrics.hpp"
#include "metrics/test_points.hpp"

#define GEOTHERM_NEEDS_TRANSPORT() \
  if (!has_exact_transport()) GTEST_SKIP() << "SKIPPED: built without LEMON"

namespace geotherm {
namespace {

using namespace testing;

void expect_valid(const TransportPlan& plan, const std::vector<double>& from,
                  const std::vector<double>& to) {
  std::vector<double> sent(from.size()), received(to.size());
  for (std::size_t f = 0; f < plan.flows.size(); ++f) {
    const MassFlow& flow = plan.flows[f];
    EXPECT_GT(flow.mass, 0.0);
    sent[static_cast<std::size_t>(flow.from)] += flow.mass;
    received[static_cast<std::size_t>(flow.to)] += flow.mass;
    if (f > 0) {
      const MassFlow& last = plan.flows[f - 1];
      EXPECT_TRUE(last.from < flow.from || (last.from == flow.from && last.to < flow.to));
    }
  }
  EXPECT_LE(plan.flows.size(), from.size() + to.size() - 1);  // a vertex of the polytope
  for (std::size_t i = 0; i < from.size(); ++i) EXPECT_NEAR(sent[i], from[i], 1e-15);
  for (std::size_t j = 0; j < to.size(); ++j) EXPECT_NEAR(received[j], to[j], 1e-15);
}

TEST(Transport, SaysSoWhereTheBuildHasNoSolver) {
  if (has_exact_transport()) GTEST_SKIP() << "SKIPPED: this build has a solver";
  EXPECT_NE(refusal([] { transport(Matrix<double>(2, 2)); }).find("LEMON"), std::string::npos);
}

TEST(Transport, IsTheBestOfAllAssignmentsForEqualNumbers) {
  GEOTHERM_NEEDS_TRANSPORT();
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto a = random_points(7, 2, seed), b = random_points(7, 2, seed + 10);
    std::vector<std::size_t> order(7);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double best_1 = std::numeric_limits<double>::infinity(), best_2 = best_1;
    do {
      double sum_1 = 0, sum_2 = 0;
      for (std::size_t i = 0; i < 7; ++i) {
        const double squares =
            std::pow(a(i, 0) - b(order[i], 0), 2) + std::pow(a(i, 1) - b(order[i], 1), 2);
        sum_1 += std::sqrt(squares) / 7;
        sum_2 += squares / 7;
      }
      best_1 = std::min(best_1, sum_1);
      best_2 = std::min(best_2, sum_2);
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_NEAR(wasserstein(a, b), best_1, 1e-14);
    EXPECT_NEAR(wasserstein(a, b, GroundCost::squared_distance), std::sqrt(best_2), 1e-14);
    const auto plan = transport_points(a, b);
    EXPECT_NEAR(plan.cost, best_2, 1e-14);
    EXPECT_EQ(plan.flows.size(), 7U);
    expect_valid(plan, std::vector<double>(7, 1.0 / 7), std::vector<double>(7, 1.0 / 7));
  }
}

/// W1 on the line: the area between the two distribution functions.
double area_between(const Matrix<double>& a, const std::vector<double>& wa, const Matrix<double>& b,
                    const std::vector<double>& wb) {
  std::vector<std::pair<double, double>> steps;
  for (std::size_t i = 0; i < a.rows(); ++i) steps.emplace_back(a(i, 0), wa[i]);
  for (std::size_t j = 0; j < b.rows(); ++j) steps.emplace_back(b(j, 0), -wb[j]);
  std::sort(steps.begin(), steps.end());
  double area = 0, height = 0;
  for (std::size_t s = 0; s + 1 < steps.size(); ++s) {
    height += steps[s].second;
    area += std::abs(height) * (steps[s + 1].first - steps[s].first);
  }
  return area;
}

TEST(Transport, OnTheLineIsTheAreaBetweenTheDistributions) {
  GEOTHERM_NEEDS_TRANSPORT();
  const auto a = random_points(150, 1, 4), b = random_points(97, 1, 5);
  EXPECT_NEAR(
      wasserstein(a, b),
      area_between(a, std::vector<double>(150, 1.0 / 150), b, std::vector<double>(97, 1.0 / 97)),
      1e-13);
  Rng rng(6, "transport.test");
  std::vector<double> wa(150), wb(97);
  double sum_a = 0, sum_b = 0;
  for (double& w : wa) sum_a += w = rng.below(5) == 0 ? 0.0 : rng.uniform();
  for (double& w : wb) sum_b += w = rng.uniform();
  std::vector<double> pa = wa, pb = wb;
  for (double& w : pa) w /= sum_a;
  for (double& w : pb) w /= sum_b;
  EXPECT_NEAR(wasserstein(a, b, GroundCost::distance, wa, wb), area_between(a, pa, b, pb), 1e-13);
  expect_valid(transport_points(a, b, GroundCost::distance, wa, wb), pa, pb);
}

TEST(Transport, OfASetToItselfShiftedCostsTheShift) {
  GEOTHERM_NEEDS_TRANSPORT();
  const auto a = random_points(60, 2, 7);
  auto shifted = a;
  for (std::size_t i = 0; i < 60; ++i) shifted(i, 0) += 3;
  EXPECT_NEAR(wasserstein(a, shifted), 3.0, 1e-14);
  EXPECT_NEAR(wasserstein(a, shifted, GroundCost::squared_distance), 3.0, 1e-14);
  EXPECT_EQ(wasserstein(a, a), 0.0);
  EXPECT_EQ(wasserstein(a, a, GroundCost::squared_distance), 0.0);
}

TEST(Transport, IsAMetric) {
  GEOTHERM_NEEDS_TRANSPORT();
  const auto a = random_points(20, 2, 8), b = random_points(33, 2, 9), c = random_points(27, 2, 10);
  for (const GroundCost kind : {GroundCost::distance, GroundCost::squared_distance}) {
    EXPECT_NEAR(wasserstein(a, b, kind), wasserstein(b, a, kind), 1e-14);
    EXPECT_LE(wasserstein(a, c, kind), wasserstein(a, b, kind) + wasserstein(b, c, kind));
  }
}

TEST(Transport, HandlesSinglePointsDuplicatesAndExtremeUnits) {
  GEOTHERM_NEEDS_TRANSPORT();
  const auto one = matrix_of({{0, 0}}), other = matrix_of({{3, 4}});
  EXPECT_EQ(wasserstein(one, other), 5.0);
  const auto b = random_points(10, 2, 11);
  double mean = 0;
  for (std::size_t j = 0; j < 10; ++j) mean += std::hypot(b(j, 0), b(j, 1)) / 10;
  EXPECT_NEAR(wasserstein(one, b), mean, 1e-15);
  const Matrix<double> equal(8, 2, 1.5), fewer(3, 2, 1.5);
  EXPECT_EQ(wasserstein(equal, fewer), 0.0);
  const auto a = random_points(12, 2, 12);
  Matrix<double> twice(24, 2);
  for (std::size_t i = 0; i < 24; ++i) std::copy_n(a.row(i / 2).begin(), 2, twice.row(i).begin());
  EXPECT_EQ(wasserstein(a, twice), 0.0);
  const double plain = wasserstein(a, b, GroundCost::squared_distance);
  for (const double factor : {0x1p-700, 0x1p700}) {
    EXPECT_EQ(wasserstein(times(a, factor), times(b, factor), GroundCost::squared_distance),
              plain * factor);
  }
}

TEST(Transport, TakesAnyFiniteCostMatrix) {
  GEOTHERM_NEEDS_TRANSPORT();
  // Rows want their own column; negative costs only shift all plans.
  const auto costs = matrix_of({{-5, 1, 1}, {1, -5, 1}, {1, 1, -5}});
  EXPECT_NEAR(transport(costs).cost, -5.0, 1e-15);
  EXPECT_EQ(transport(Matrix<double>(2, 3)).cost, 0.0);
  EXPECT_EQ(transport(times(costs, 0x1p1020)).flows.size(), 3U);
  EXPECT_EQ(transport(times(costs, 0x1p-1060)).flows.size(), 3U);  // below the normal numbers
}

TEST(Transport, HasTheSameBitsForAnyNumberOfThreads) {
  GEOTHERM_NEEDS_TRANSPORT();
  const auto a = random_points(150, 2, 13), b = random_points(130, 2, 14);
  const auto alone = transport_points(a, b);
  for_numbers_of_threads([&](const Context& context) {
    const auto again = transport_points(a, b, GroundCost::squared_distance, {}, {}, context);
    EXPECT_EQ(again.cost, alone.cost);
    ASSERT_EQ(again.flows.size(), alone.flows.size());
    for (std::size_t f = 0; f < alone.flows.size(); ++f) {
      EXPECT_EQ(again.flows[f].to, alone.flows[f].to);
      EXPECT_EQ(again.flows[f].mass, alone.flows[f].mass);
    }
  });
}

TEST(Transport, RefusesBadWeightsAndPointsByName) {
  const auto a = random_points(3, 2, 15), b = random_points(2, 3, 16);
  const std::vector<double> negative = {1, -1, 1}, none = {0, 0}, wrong = {1, 1, 1};
  const auto message = [&](std::span<const double> wa, std::span<const double> wb) {
    return refusal([&] { wasserstein(a, b, GroundCost::distance, wa, wb); });
  };
  EXPECT_NE(message(negative, none).find("from_weights[1] is -1"), std::string::npos);
  EXPECT_NE(message(negative, none).find("to_weights has no positive"), std::string::npos);
  EXPECT_NE(message({}, wrong).find("to_weights has 3 entries for 2"), std::string::npos);
  EXPECT_NE(message({}, {}).find("from has 2 columns and to has 3"), std::string::npos);
  EXPECT_NE(refusal([&] { wasserstein({}, {}); }).find("from is empty"), std::string::npos);
  auto costs = Matrix<double>(2, 2);
  costs(1, 0) = std::nan("");
  EXPECT_NE(refusal([&] { transport(costs); }).find("row 1, column 0"), std::string::npos);
}

TEST(Apportion, MeetsTheTotalInProportion) {
  const std::vector<double> weights = {1, 0, 2, 3e-300, 1};
  const auto masses = detail::apportion(weights, 1001);
  EXPECT_EQ(std::accumulate(masses.begin(), masses.end(), detail::Mass{0}), 1001);
  EXPECT_EQ(masses[1], 0);
  EXPECT_NEAR(static_cast<double>(masses[2]), 500.5, 1);
  const std::vector<double> thirds(3, 1.0);
  EXPECT_EQ(detail::apportion(thirds, 10), (std::vector<detail::Mass>{4, 3, 3}));
  EXPECT_EQ(detail::equal_masses(5, 10), (std::vector<detail::Mass>(5, 2)));
  EXPECT_EQ(detail::common_multiple(6, 4), 12);
  EXPECT_EQ(detail::common_multiple(6, 0), 0);
  EXPECT_EQ(detail::common_multiple((detail::Mass{1} << 40) - 1, detail::Mass{1} << 30), 0);
}

}  // namespace
}  // namespace geotherm
