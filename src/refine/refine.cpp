// Scales the start, runs the epochs, and brings the map back to its units.
#include "geotherm/refine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/state.hpp"
#include "refine/descent.hpp"
#include "refine/fit.hpp"

namespace geotherm {
namespace {

constexpr std::size_t most_dimensions = 3;
constexpr std::size_t most_epochs = 1000000;
constexpr double epochs_at_balance_1 = 600;
// Among few points a random one is often near: more of them steady the repulsion.
constexpr std::size_t few_points = 5000, negatives_of_few = 24, negatives_of_many = 8;
constexpr double last_step = 0.01;
// Points of large sets have farther to go: between digits, which want more, and cells, which want
// less.
constexpr double growth_of_step = 0.4;
// Each doubling of the points beyond so many takes one round of averaging more.
constexpr double points_without_rounds = 17500;
constexpr std::size_t elements_at_once = 65536;

void require_fitting(MatrixView<const double> start, const SparseMatrix& memberships) {
  std::vector<std::string> complaints;
  if (start.cols < 1 || start.cols > most_dimensions) {
    complaints.push_back("the map has " + std::to_string(start.cols) +
                         " dimensions: a map of 1, 2 or 3 can be refined");
  }
  if (memberships.rows != start.rows || memberships.cols != start.rows) {
    complaints.push_back("the map has " + std::to_string(start.rows) +
                         " rows, the neighbours are of " + std::to_string(memberships.rows) +
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

/// Every point at the mean of its neighbours, weighted by memberships; one without any stays.
Matrix<double> averaged(const Matrix<double>& map, const SparseMatrix& memberships,
                        const Context& context) {
  auto result = Matrix<double>::uninitialized(map.rows(), map.cols());
  parallel_for(context, map.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto others = memberships.row_indices(i);
      const auto weights = memberships.row_values(i);
      const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (std::size_t k = 0; k < map.cols(); ++k) {
        double sum = 0;
        for (std::size_t e = 0; e < others.size(); ++e) {
          sum += weights[e] * map(static_cast<std::size_t>(others[e]), k);
        }
        result(i, k) = total > 0 ? sum / total : map(i, k);
      }
    }
  });
  return result;
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b,
                          const Context& context) {
  std::vector<double> parts((a.size() + elements_at_once - 1) / elements_at_once, 0.0);
  parallel_for(context, a.size(), elements_at_once, [&](std::size_t begin, std::size_t end) {
    double& largest = parts[begin / elements_at_once];
    for (std::size_t k = begin; k < end; ++k) {
      largest = std::max(largest, std::abs(a.data()[k] - b.data()[k]));
    }
  });
  return parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end());
}

/// `deviation`: of the start, in units of the objective.
detail::RefineSchedule schedule_of(const RefineOptions& options, std::size_t n, double deviation) {
  const std::size_t negatives =
      options.negatives.value_or(n <= few_points ? negatives_of_few : negatives_of_many);
  constexpr std::size_t lanes = detail::refine_lanes;
  const double share = static_cast<double>(n) / static_cast<double>(few_points);
  const double first_step =
      options.step * deviation * std::pow(std::max(1.0, share), growth_of_step);
  return {.epochs = epochs_of(options),
          .negatives = (negatives + lanes - 1) / lanes * lanes,
          .first_step = first_step,
          .last_step = std::min(last_step, first_step)};
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
  if (options.scale && (!(*options.scale > 0) || !std::isfinite(*options.scale))) {
    issues.push_back("scale is " + std::to_string(*options.scale) + ": give a number > 0");
  }
  if (options.negatives && (*options.negatives < 1 || *options.negatives > 10000)) {
    issues.push_back("negatives is " + std::to_string(*options.negatives) +
                     ": give 1 to 10,000 (24 for few points, 8 for many)");
  }
  if (!(options.step > 0) || !std::isfinite(options.step)) {
    issues.push_back("step is " + std::to_string(options.step) + ": give a number > 0");
  }
  if (options.knn < 1) issues.emplace_back("knn is 0: a point needs at least one neighbour");
  return issues;
}

std::size_t epochs_of(const RefineOptions& options) {
  return options.epochs.value_or(
      static_cast<std::size_t>(std::lround(epochs_at_balance_1 * options.balance)));
}

Refined refine_layout(MatrixView<const double> start, const SparseMatrix& memberships,
                      const RefineOptions& options, const Context& context) {
  refuse_if_any(issues_with(options));
  require_fitting(start, memberships);
  const std::size_t n = start.rows;
  Centred from = centred(start);
  Refined result;
  if (epochs_of(options) == 0 || n < 2 || !(from.deviation > 0)) {
    result.coordinates = Matrix<double>::uninitialized(n, start.cols);
    for (std::size_t i = 0; i < n; ++i) {
      std::ranges::copy(start.row(i), result.coordinates.row(i).begin());
    }
    return result;
  }
  result.scale =
      options.scale ? *options.scale
                    : detail::scale_of(detail::neighbor_fit(start, memberships, context), n, start.cols);
  const double deviation = result.scale * detail::deviation_at_scale_1(n, start.cols);
  const detail::RefineSchedule schedule = schedule_of(options, n, deviation);
  result.unit = deviation / from.deviation;
  parallel_for(context, from.coordinates.size(), elements_at_once,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t k = begin; k < end; ++k)
                   from.coordinates.data()[k] *= result.unit;
               });
  if (const std::size_t rounds = rounds_of(options, n); rounds > 0) {
    Matrix<double> mean = from.coordinates;
    for (std::size_t r = 0; r < rounds; ++r) mean = averaged(mean, memberships, context);
    result.largest_move = largest_difference(mean, from.coordinates, context) / result.unit;
    from.coordinates = std::move(mean);
  }
  detail::RefineDescent descent(memberships, from.coordinates, schedule, context);
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
  for (std::size_t e = 0; e < result.epochs; ++e) {
    result.largest_move += schedule.step(e) / result.unit;
  }
  return result;
}

}  // namespace geotherm
