// Mean shift against thick noise, and the measure that says whether noise is thick
// (docs/methods/shortcuts.md).
#include "geotherm/smoothing.hpp"

#include <algorithm>
#include <cmath>

#include "core/median.hpp"

namespace geotherm {
namespace {

// Where neighbourhoods are rounder than this, noise fills every direction at their scale. Chosen on
// rolls and trees of 2,000 to 20,000 points: see docs/methods/shortcuts.md.
constexpr double thick_noise = 0.87;
constexpr std::size_t most_steps = 3;

std::size_t usual_neighbors(std::size_t n) {
  const double k = 20 * std::cbrt(static_cast<double>(n) / 2500);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(k)), 5, 200);
}

NeighborOptions with_knn(NeighborOptions search, std::size_t knn) {
  search.knn = knn;
  search.reach = 1;
  return search;
}

/// (tr C)^2 / tr C^2 over the rows named, relative to that of a ball seen through so many points.
double roundness_of(MatrixView<const double> points, std::span<const Index> members) {
  const std::size_t d = points.cols;
  const auto k = static_cast<double>(members.size());
  std::vector<double> mean(d, 0);
  for (const Index m : members) {
    const auto row = points.row(static_cast<std::size_t>(m));
    for (std::size_t c = 0; c < d; ++c) mean[c] += row[c] / k;
  }
  std::vector<double> covariance(d * d, 0);
  std::vector<double> centred(d);
  for (const Index m : members) {
    const auto row = points.row(static_cast<std::size_t>(m));
    for (std::size_t c = 0; c < d; ++c) centred[c] = row[c] - mean[c];
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t b = 0; b < d; ++b) covariance[a * d + b] += centred[a] * centred[b];
    }
  }
  double trace = 0;
  double squares = 0;
  for (std::size_t a = 0; a < d; ++a) trace += covariance[a * d + a];
  if (!(trace > 0)) return 0;
  for (const double value : covariance) squares += (value / trace) * (value / trace);
  const auto columns = static_cast<double>(d);
  return (columns + k + 1) / (squares * columns * k);
}

Matrix<double> copy_of(MatrixView<const double> points) {
  auto copy = Matrix<double>::uninitialized(points.rows, points.cols);
  for (std::size_t i = 0; i < points.rows; ++i) {
    std::copy(points.row(i).begin(), points.row(i).end(), copy.row(i).begin());
  }
  return copy;
}

/// Sums run by index, so that points with the same neighbourhood get the same coordinates to the
/// bit: who is nearest among those is then decided by index, not by rounding.
Matrix<double> mean_shift(MatrixView<const double> points, const NeighborLists& lists,
                          const Context& context) {
  auto moved = Matrix<double>::uninitialized(points.rows, points.cols);
  parallel_for(context, points.rows, 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<Index> members;
    for (std::size_t i = begin; i < end; ++i) {
      const auto neighbors = lists.neighbors(i);
      members.assign(neighbors.begin(), neighbors.end());
      members.push_back(static_cast<Index>(i));
      std::sort(members.begin(), members.end());
      const auto to = moved.row(i);
      std::fill(to.begin(), to.end(), 0.0);
      for (const Index j : members) {
        const auto from = points.row(static_cast<std::size_t>(j));
        for (std::size_t c = 0; c < points.cols; ++c) to[c] += from[c];
      }
      const double weight = 1.0 / static_cast<double>(members.size());
      for (double& value : to) value *= weight;
    }
  });
  return moved;
}

}  // namespace

std::vector<std::string> issues_with(const SmoothOptions& options) {
  std::vector<std::string> issues;
  if (options.steps && *options.steps > 100) {
    issues.push_back("smooth.steps is " + std::to_string(*options.steps) + ": give 0 to 100");
  }
  if (options.neighbors && *options.neighbors < 1) {
    issues.push_back("smooth.neighbors is 0: give 1 or more");
  }
  return issues;
}

double neighborhood_roundness(MatrixView<const double> points, const NeighborOptions& search,
                              const Context& context) {
  const std::size_t n = points.rows;
  const std::size_t knn = std::min<std::size_t>(100, n / 4);
  if (knn < 3 || points.cols == 0) return 0;
  const NeighborLists lists = find_neighbors(points, with_knn(search, knn), context);
  const std::size_t n_seen = std::min<std::size_t>(256, n);
  std::vector<double> all(n_seen);
  parallel_for(context, n_seen, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t s = begin; s < end; ++s) {
      const std::size_t i = s * n / n_seen;
      const auto neighbors = lists.neighbors(i);
      std::vector<Index> members(neighbors.begin(), neighbors.end());
      members.push_back(static_cast<Index>(i));
      all[s] = roundness_of(points, members);
    }
  });
  return detail::median(std::move(all));
}

SmoothedPoints smooth_points(MatrixView<const double> points, const SmoothOptions& options,
                             const NeighborOptions& search, const Context& context) {
  refuse_if_any(issues_with(options));
  const std::size_t n = points.rows;
  SmoothedPoints smoothed;
  smoothed.points = copy_of(points);
  if (n < 3) return smoothed;
  smoothed.neighbors = std::min(options.neighbors.value_or(usual_neighbors(n)), n - 1);
  double roundness = smoothed.roundness = neighborhood_roundness(points, search, context);
  const std::size_t most = options.steps.value_or(most_steps);
  while (smoothed.steps < most) {
    if (!options.steps && roundness < thick_noise) break;
    context.report_or_throw({"smoothing", smoothed.steps, most});
    const NeighborLists lists =
        find_neighbors(smoothed.points.view(), with_knn(search, smoothed.neighbors), context);
    smoothed.points = mean_shift(smoothed.points, lists, context);
    ++smoothed.steps;
    if (!options.steps) roundness = neighborhood_roundness(smoothed.points, search, context);
  }
  return smoothed;
}

}  // namespace geotherm
