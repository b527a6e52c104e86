// An embedding and a time for each point in; how well each inner time point is met half-way
// between its neighbours in time out.
#include <algorithm>
#include <cmath>

#include "geotherm/metrics.hpp"
#include "metrics/transport.hpp"
#include "metrics/z_score.hpp"

namespace geotherm {
namespace {

/// Rows of the points of one time.
Matrix<double> rows_at(const Matrix<double>& points, std::span<const double> times, double time) {
  const auto n = static_cast<std::size_t>(std::count(times.begin(), times.end(), time));
  Matrix<double> rows(n, points.cols());
  std::size_t next = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] != time) continue;
    std::copy_n(points.row(i).begin(), points.cols(), rows.row(next++).begin());
  }
  return rows;
}

/// W1 between `held_out` and the midpoints of the W2 plan from `before` to `after`.
double distance_to_midpoints(const Matrix<double>& before, const Matrix<double>& held_out,
                             const Matrix<double>& after) {
  using detail::Mass;
  // One unit of mass for both problems, so that the plan's masses pass from the first to the second
  // without rounding; sizes whose multiple is out of range share 2^52 units instead.
  Mass total =
      detail::common_multiple(static_cast<Mass>(before.rows()), static_cast<Mass>(after.rows()));
  if (total > 0) total = detail::common_multiple(total, static_cast<Mass>(held_out.rows()));
  if (total == 0) total = Mass{1} << 52;

  const auto plan = detail::cheapest_flow(
      detail::ground_costs(before, after, GroundCost::squared_distance, 1.0, {}),
      detail::equal_masses(before.rows(), total), detail::equal_masses(after.rows(), total));
  Matrix<double> midpoints(plan.size(), before.cols());
  std::vector<Mass> masses;
  masses.reserve(plan.size());
  for (std::size_t p = 0; p < plan.size(); ++p) {
    const auto from = before.row(static_cast<std::size_t>(plan[p].from));
    const auto to = after.row(static_cast<std::size_t>(plan[p].to));
    for (std::size_t k = 0; k < from.size(); ++k) midpoints(p, k) = 0.5 * (from[k] + to[k]);
    masses.push_back(plan[p].mass);
  }
  const Matrix<double> costs =
      detail::ground_costs(midpoints, held_out, GroundCost::distance, 1.0, {});
  double cost = 0;
  for (const auto& flow :
       detail::cheapest_flow(costs, masses, detail::equal_masses(held_out.rows(), total))) {
    cost += static_cast<double>(flow.mass) / static_cast<double>(total) *
            costs(static_cast<std::size_t>(flow.from), static_cast<std::size_t>(flow.to));
  }
  return cost;
}

}  // namespace

InterpolationScore score_interpolation(MatrixView<const double> coordinates,
                                       std::span<const double> times, const Context& context) {
  std::vector<std::string> complaints;
  if (times.size() != coordinates.rows) {
    complaints.push_back("there are " + std::to_string(times.size()) + " times for " +
                         std::to_string(coordinates.rows) + " points: give one each");
  }
  const auto bad =
      std::find_if_not(times.begin(), times.end(), [](double t) { return std::isfinite(t); });
  if (bad != times.end()) {
    complaints.push_back("times[" + std::to_string(bad - times.begin()) + "] is " +
                         std::to_string(*bad) + ": give finite numbers");
    refuse_if_any(complaints);
  }
  std::vector<double> distinct(times.begin(), times.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() < 3) {
    complaints.push_back("times holds " + std::to_string(distinct.size()) +
                         " distinct values: interpolation needs 3 or more");
  }
  refuse_if_any(complaints);

  const Matrix<double> points = detail::z_score(coordinates, "coordinates", context);
  InterpolationScore score;
  score.times.assign(distinct.begin() + 1, distinct.end() - 1);
  score.distances.assign(score.times.size(), 0.0);
  context.report_or_throw({.stage = "interpolation", .total = score.times.size()});
  parallel_for(context, score.times.size(), 1, [&](std::size_t inner, std::size_t) {
    score.distances[inner] = distance_to_midpoints(rows_at(points, times, distinct[inner]),
                                                   rows_at(points, times, distinct[inner + 1]),
                                                   rows_at(points, times, distinct[inner + 2]));
  });
  for (const double distance : score.distances) score.mean += distance;
  score.mean /= static_cast<double>(score.distances.size());
  return score;
}

}  // namespace geotherm
