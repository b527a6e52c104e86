// Two weighted sets of points, or a cost matrix, in; exact transport plan and its cost out.
#include "metrics/transport.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metrics/distance_rows.hpp"

namespace geotherm {
namespace detail {

Mass common_multiple(Mass a, Mass b) {
  if (a == 0 || b == 0) return 0;
  const Mass other = b / std::gcd(a, b);
  return a >= (Mass{1} << 60) / other ? 0 : a * other;
}

std::vector<Mass> apportion(std::span<const double> weights, Mass total) {
  // Over the largest first, so that the sum can neither overflow nor vanish.
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (const double weight : weights) sum += weight / largest;
  std::vector<Mass> masses(weights.size());
  std::vector<double> remainders(weights.size());
  Mass rest = total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double share = weights[i] / largest / sum * static_cast<double>(total);
    masses[i] = static_cast<Mass>(std::floor(share));
    remainders[i] = share - std::floor(share);
    rest -= masses[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  // Rounded shares may miss the total by a few units either way; weights of 0 stay 0.
  while (rest != 0) {
    for (const std::size_t i : order) {
      if (rest == 0) break;
      if (weights[i] == 0 || (rest < 0 && masses[i] == 0)) continue;
      masses[i] += rest > 0 ? 1 : -1;
      rest -= rest > 0 ? 1 : -1;
    }
  }
  return masses;
}

std::vector<Mass> equal_masses(std::size_t n, Mass total) {
  const auto size = static_cast<Mass>(n);
  if (total % size == 0) return std::vector<Mass>(n, total / size);
  return apportion(std::vector<double>(n, 1.0), total);
}

Matrix<double> ground_costs(MatrixView<const double> from, MatrixView<const double> to,
                            GroundCost kind, double scale, const Context& context) {
  auto costs = Matrix<double>::uninitialized(from.rows, to.rows);
  parallel_for(context, from.rows, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < to.rows; ++j) {
        double squares = 0;
        for (std::size_t k = 0; k < from.cols; ++k) {
          const double difference = from(i, k) * scale - to(j, k) * scale;
          squares += difference * difference;
        }
        costs(i, j) = kind == GroundCost::distance ? std::sqrt(squares) : squares;
      }
    }
  });
  return costs;
}

namespace {

std::vector<std::string> complaints_about(std::span<const double> weights, std::size_t n,
                                          const std::string& name) {
  if (weights.empty()) return {};
  std::vector<std::string> complaints;
  if (weights.size() != n) {
    complaints.push_back(name + " has " + std::to_string(weights.size()) + " entries for " +
                         std::to_string(n) + " points: give one each, or none for equal weights");
  }
  bool has_mass = false;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0) || !std::isfinite(weights[i])) {
      complaints.push_back(name + "[" + std::to_string(i) + "] is " + std::to_string(weights[i]) +
                           ": give a finite number that is not negative");
      return complaints;
    }
    has_mass = has_mass || weights[i] > 0;
  }
  if (!has_mass) complaints.push_back(name + " has no positive entry: give at least one");
  return complaints;
}

/// Plan for checked input.
TransportPlan solve(MatrixView<const double> costs, std::span<const double> from_weights,
                    std::span<const double> to_weights, const Context& context) {
  context.report_or_throw({.stage = "transport"});
  const std::size_t n = costs.rows, m = costs.cols;
  const bool is_uniform = from_weights.empty() && to_weights.empty();
  // Uniform weights are exact in units of 1 / lcm(n, m). Others are rounded to 2^-52 of the whole.
  const Mass exact = common_multiple(static_cast<Mass>(n), static_cast<Mass>(m));
  const Mass total = is_uniform && exact > 0 ? exact : Mass{1} << 52;
  const auto masses = [&](std::span<const double> weights, std::size_t size) {
    return weights.empty() ? equal_masses(size, total) : apportion(weights, total);
  };
  const auto flows = cheapest_flow(costs, masses(from_weights, n), masses(to_weights, m));
  TransportPlan plan;
  plan.flows.reserve(flows.size());
  for (const IntegerFlow& flow : flows) {
    const double mass = static_cast<double>(flow.mass) / static_cast<double>(total);
    plan.flows.push_back({flow.from, flow.to, mass});
    plan.cost +=
        mass * costs(static_cast<std::size_t>(flow.from), static_cast<std::size_t>(flow.to));
  }
  return plan;
}

/// Plan between points; costs are those of coordinates times the returned scale.
std::pair<TransportPlan, double> solve_points(MatrixView<const double> from,
                                              MatrixView<const double> to, GroundCost kind,
                                              std::span<const double> from_weights,
                                              std::span<const double> to_weights,
                                              const Context& context) {
  std::vector<std::string> complaints = complaints_about(from_weights, from.rows, "from_weights");
  const auto more = complaints_about(to_weights, to.rows, "to_weights");
  complaints.insert(complaints.end(), more.begin(), more.end());
  for (const auto& [points, name] : {std::pair{from, "from"}, std::pair{to, "to"}}) {
    if (points.empty()) complaints.push_back(std::string(name) + " is empty: give a point or more");
    const auto bad = complaint_unless_finite(points, name, false, context);
    if (bad) complaints.push_back(*bad);
  }
  if (from.cols != to.cols) {
    complaints.push_back("from has " + std::to_string(from.cols) + " columns and to has " +
                         std::to_string(to.cols) + ": give points of one space");
  }
  refuse_if_any(complaints);
  const double scale = safe_scale(std::max(largest_magnitude(from), largest_magnitude(to)));
  const Matrix<double> costs = ground_costs(from, to, kind, scale, context);
  return {solve(costs, from_weights, to_weights, context), scale};
}

}  // namespace
}  // namespace detail

TransportPlan transport(MatrixView<const double> costs, std::span<const double> from_weights,
                        std::span<const double> to_weights, const Context& context) {
  auto complaints = detail::complaints_about(from_weights, costs.rows, "from_weights");
  const auto more = detail::complaints_about(to_weights, costs.cols, "to_weights");
  complaints.insert(complaints.end(), more.begin(), more.end());
  if (costs.empty()) complaints.push_back("costs is empty: give one row and one column or more");
  const auto bad = detail::complaint_unless_finite(costs, "costs", false, context);
  if (bad) complaints.push_back(*bad);
  refuse_if_any(complaints);
  return detail::solve(costs, from_weights, to_weights, context);
}

TransportPlan transport_points(MatrixView<const double> from, MatrixView<const double> to,
                               GroundCost kind, std::span<const double> from_weights,
                               std::span<const double> to_weights, const Context& context) {
  auto [plan, scale] = detail::solve_points(from, to, kind, from_weights, to_weights, context);
  plan.cost /= kind == GroundCost::distance ? scale : scale * scale;
  return plan;
}

double wasserstein(MatrixView<const double> from, MatrixView<const double> to, GroundCost kind,
                   std::span<const double> from_weights, std::span<const double> to_weights,
                   const Context& context) {
  const auto [plan, scale] =
      detail::solve_points(from, to, kind, from_weights, to_weights, context);
  return (kind == GroundCost::distance ? plan.cost : std::sqrt(plan.cost)) / scale;
}

}  // namespace geotherm
