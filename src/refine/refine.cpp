// Scales the start, runs the epochs, and brings the map back to its units.
#include "geotherm/refine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/state.hpp"
#include "refine/descent.hpp"
#include "refine/fit.hpp"
#include "refine/layout.hpp"

namespace geotherm {
namespace {

constexpr std::size_t most_dimensions = 3;
constexpr std::size_t most_epochs = 1000000;
constexpr double epochs_at_balance_1 = 600;
// Over that of t-SNE; and twice as much more for each round of averaging.
constexpr double first_attraction = 2;
// Of a map in units of the objective, over the n-th root of the number of points. Even sheets have
// .2 to .5, compact groups far apart 3.
constexpr double largest_deviation = 10;
// Each doubling of the points beyond so many takes one round of averaging more.
constexpr double points_without_rounds = 17500;
constexpr std::size_t elements_at_once = 65536;
// In units of the objective: points in one place that have the same neighbours would stay together.
constexpr double apart = 1e-3;

void require_fitting(MatrixView<const double> start, std::size_t n_points) {
  std::vector<std::string> complaints;
  if (start.cols < 1 || start.cols > most_dimensions) {
    complaints.push_back("the map has " + std::to_string(start.cols) +
                         " dimensions: a map of 1, 2 or 3 can be refined");
  }
  if (n_points != start.rows) {
    complaints.push_back("the map has " + std::to_string(start.rows) +
                         " rows, the neighbours are of " + std::to_string(n_points) +
                         " points: give both for the same points");
  }
  for (std::size_t i = 0; i < start.rows && complaints.empty(); ++i) {
    for (const double x : start.row(i)) {
      if (std::isfinite(x)) continue;
      complaints.push_back("row " + std::to_string(i) + " of the map is not finite");
      break;
    }
  }
  refuse_if_any(complaints);
}

struct Centred {
  Matrix<double> coordinates;
  std::vector<double> mean;
  double deviation = 0;  ///< over all axes
};

Centred centred(MatrixView<const double> start) {
  Centred result;
  result.coordinates = Matrix<double>::uninitialized(start.rows, start.cols);
  const double n = static_cast<double>(start.rows);
  // In units of the largest entry: neither sums nor squares leave the range of numbers.
  double largest = 0;
  for (std::size_t i = 0; i < start.rows; ++i) {
    for (const double x : start.row(i)) largest = std::max(largest, std::abs(x));
  }
  double squares = 0;
  for (std::size_t k = 0; k < start.cols; ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < start.rows; ++i) mean += start(i, k) / n;
    result.mean.push_back(mean);
    for (std::size_t i = 0; i < start.rows; ++i) {
      const double x = start(i, k) - mean;
      result.coordinates(i, k) = x;
      if (largest > 0) squares += (x / largest) * (x / largest);
    }
  }
  result.deviation = largest * std::sqrt(squares / (n * static_cast<double>(start.cols)));
  return result;
}

std::size_t rounds_of(const RefineOptions& options, std::size_t n) {
  if (options.averaging) return *options.averaging;
  const double doublings = std::log2(static_cast<double>(n) / points_without_rounds);
  return static_cast<std::size_t>(std::lround(std::max(0.0, doublings)));
}

/// Every point at the mean of its neighbours, weighted by memberships, so many times; one without
/// any stays. Empty where it is not done.
Matrix<double> averaged(MatrixView<const double> start, const detail::Attraction& attraction,
                        std::size_t rounds, const Context& context) {
  Matrix<double> map, next;
  for (std::size_t round = 0; round < rounds; ++round) {
    const MatrixView<const double> from = round == 0 ? start : map.view();
    if (next.empty()) next = Matrix<double>::uninitialized(start.rows, start.cols);
    parallel_for(context, from.rows, 1024, [&](std::size_t begin, std::size_t end) {
      detail::Attraction::Row row;
      for (std::size_t i = begin; i < end; ++i) {
        attraction.read(i, row);
        const auto [others, weights] = std::tie(row.others, row.weights);
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (std::size_t k = 0; k < from.cols; ++k) {
          double sum = 0;
          for (std::size_t e = 0; e < others.size(); ++e) {
            sum += weights[e] * from(static_cast<std::size_t>(others[e]), k);
          }
          next(i, k) = total > 0 ? sum / total : from(i, k);
        }
      }
    });
    std::swap(map, next);
  }
  return map;
}

double largest_difference(MatrixView<const double> a, MatrixView<const double> b,
                          const Context& context) {
  constexpr std::size_t rows_at_once = 16384;
  std::vector<double> parts((a.rows + rows_at_once - 1) / rows_at_once, 0.0);
  parallel_for(context, a.rows, rows_at_once, [&](std::size_t begin, std::size_t end) {
    double& largest = parts[begin / rows_at_once];
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < a.cols; ++k) {
        largest = std::max(largest, std::abs(a(i, k) - b(i, k)));
      }
    }
  });
  return parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end());
}

double widest_of(std::size_t n_points, std::size_t dimensions) {
  return largest_deviation *
         std::pow(static_cast<double>(n_points), 1 / static_cast<double>(dimensions));
}

/// Points of large sets have farther to go.
detail::RefineSchedule schedule_of(const RefineOptions& options, std::size_t rounds) {
  return {.epochs = epochs_of(options),
          .first_attraction = first_attraction * static_cast<double>(1 + 2 * rounds)};
}

/// Length in the objective's unit for a unit of the map: the median distance to the 15th nearest
/// becomes the spacing, unless that would make the map wider than places can be told apart.
double unit_of(const Centred& map, const detail::Attraction& attraction,
               const RefineOptions& options, const Context& context) {
  const double widest = widest_of(map.coordinates.rows(), map.coordinates.cols());
  const double spacing =
      detail::neighbor_fit(map.coordinates.view(), attraction, context).spacing;
  return (spacing * widest > options.spacing ? options.spacing / spacing : widest) /
         map.deviation;
}

}  // namespace

std::vector<std::string> issues_with(const RefineOptions& options) {
  std::vector<std::string> issues;
  if (!(options.balance >= 0 && options.balance <= 1)) {
    issues.push_back("balance is " + std::to_string(options.balance) +
                     ": give a number from 0 (geodesics) to 1 (neighbours)");
  }
  if (options.epochs && *options.epochs > most_epochs) {
    issues.push_back("refine is " + std::to_string(*options.epochs) +
                     " epochs: give 0 to 1,000,000, or none to have them set by the balance");
  }
  if (!(options.spacing > 0) || !std::isfinite(options.spacing)) {
    issues.push_back("spacing is " + std::to_string(options.spacing) + ": give a number > 0");
  }
  if (options.knn < 1) issues.emplace_back("knn is 0: a point needs at least one neighbour");
  return issues;
}

std::size_t epochs_of(const RefineOptions& options) {
  return options.epochs.value_or(
      static_cast<std::size_t>(std::lround(epochs_at_balance_1 * options.balance)));
}

RefinePlan refine_plan(const RefineOptions& options, std::size_t n_points, std::size_t dimensions) {
  refuse_if_any(issues_with(options));
  RefinePlan plan;
  plan.epochs = epochs_of(options);
  plan.rounds = rounds_of(options, n_points);
  plan.widest = widest_of(n_points, dimensions);
  plan.reach = static_cast<double>(detail::refine_reach);
  const detail::RefineSchedule schedule = schedule_of(options, plan.rounds);
  for (std::size_t e = 0; e < plan.epochs; ++e) plan.attraction.push_back(schedule.attraction(e));
  return plan;
}

Refined refine_layout(MatrixView<const double> start, const SparseMatrix& memberships,
                      const RefineOptions& options, const Context& context) {
  refuse_if_any(issues_with(options));
  require_fitting(start, memberships.rows == start.rows ? memberships.cols : memberships.rows);
  return detail::refine_layout(start, memberships, options, context);
}

Refined detail::refine_layout(MatrixView<const double> start, const Attraction& attraction,
                              const RefineOptions& options, const Context& context) {
  refuse_if_any(issues_with(options));
  require_fitting(start, attraction.n_points());
  const std::size_t n = start.rows;
  Refined result;
  const auto leave_it = [&] {
    result.coordinates = Matrix<double>::uninitialized(n, start.cols);
    for (std::size_t i = 0; i < n; ++i) {
      std::ranges::copy(start.row(i), result.coordinates.row(i).begin());
    }
    return std::move(result);
  };
  if (epochs_of(options) == 0 || n < 2 || !(centred(start).deviation > 0)) return leave_it();
  const std::size_t rounds = rounds_of(options, n);
  Matrix<double> means = averaged(start, attraction, rounds, context);
  Centred from = centred(means.empty() ? start : means.view());
  // All points at the mean of their neighbours: one place.
  if (!(from.deviation > 0)) return leave_it();
  if (!means.empty()) result.largest_move = largest_difference(means.view(), start, context);
  means = {};
  result.unit = unit_of(from, attraction, options, context);
  parallel_for(context, from.coordinates.size(), elements_at_once,
               [&](std::size_t begin, std::size_t end) {
                 Rng rng(0, "refine start", begin);  // of no seed: nothing here is to depend on it
                 for (std::size_t k = begin; k < end; ++k) {
                   double& x = from.coordinates.data()[k];
                   x = x * result.unit + apart * rng.uniform();
                 }
               });
  result.largest_move += apart / result.unit;
  const detail::RefineSchedule schedule = schedule_of(options, rounds);
  detail::RefineDescent descent(attraction, from.coordinates, schedule, context);
  from.coordinates = {};

  constexpr std::string_view stage = "refinement";
  const auto keep = [&](detail::When when) {
    auto state = descent.state();
    detail::keep(context, stage, state, when);
  };
  descent.take_up(stage, context);
  while (descent.epoch() < schedule.epochs) {
    if (context.report({.stage = stage, .done = descent.epoch(), .total = schedule.epochs}) ==
        Next::stop_here) {
      result.outcome = Outcome::stopped;
      keep(detail::When::at_once);
      break;
    }
    descent.advance(context);
    keep(detail::When::if_due);
  }
  result.epochs = descent.epoch();
  result.coordinates = descent.coordinates();
  parallel_for(context, n, elements_at_once, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t k = 0; k < start.cols; ++k) {
        double& x = result.coordinates(i, k);
        x = x / result.unit + from.mean[k];
      }
    }
  });
  result.largest_move += descent.moved() / result.unit;
  return result;
}

}  // namespace geotherm
