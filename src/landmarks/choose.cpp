// Graph -> landmarks.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "geotherm/landmarks.hpp"
#include "landmarks/reach.hpp"

namespace geotherm {
namespace {

constexpr std::size_t n_rounds = 6;
constexpr std::size_t n_lloyd_rounds = 4;

/// The candidates of the `count` smallest keys, ascending.
std::vector<Index> smallest(std::vector<std::pair<double, Index>> keys, std::size_t count) {
  count = std::min(count, keys.size());
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(keys.begin(), end, keys.end());
  std::vector<Index> drawn;
  for (auto key = keys.begin(); key != end; ++key) drawn.push_back(key->second);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

/// `count` of the candidates by weight: the smallest of -log(u) / weight.
std::vector<Index> draw(std::span<const double> weights, std::size_t count, std::size_t round,
                        const Context& context) {
  std::vector<std::pair<double, Index>> keys;
  Rng rng(context.seed, "landmarks.draw", round);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double u = rng.uniform();
    if (weights[i] > 0) keys.emplace_back(-std::log1p(-u) / weights[i], static_cast<Index>(i));
  }
  return smallest(std::move(keys), count);
}

/// The same where all of n weigh 1. The smallest are among the first few in a hundred of the range,
/// which are looked at first.
std::vector<Index> draw_evenly(std::size_t n, std::size_t count, const Context& context) {
  const double expected = static_cast<double>(count) / static_cast<double>(n);
  std::vector<std::pair<double, Index>> keys;
  for (const double below : {2 * expected + 1e-3, 1.0}) {
    keys.clear();
    Rng rng(context.seed, "landmarks.draw", 0);
    for (std::size_t i = 0; i < n; ++i) {
      const double u = rng.uniform();
      if (u < below) keys.emplace_back(-std::log1p(-u), static_cast<Index>(i));
    }
    if (keys.size() > count) break;
  }
  return smallest(std::move(keys), count);
}

std::vector<Index> spread_out(const Graph& graph, std::size_t count, const Context& context) {
  std::vector<double> made;
  const std::span<const double> lengths = detail::lengths_or_rates(graph, made);
  detail::NearestSource nearest(graph.weights, lengths, context);
  std::vector<Index> all;
  const std::vector<double> even(graph.n_points(), 1.0);
  for (std::size_t round = 0; round < n_rounds && all.size() < count; ++round) {
    context.report_or_throw({.stage = "landmarks", .done = round, .total = n_rounds});
    // Of few landmarks some rounds add none; the first one always has its start.
    const std::size_t by_now = std::max<std::size_t>(1, count * (round + 1) / n_rounds);
    if (by_now <= all.size()) continue;
    const std::size_t wanted = by_now - all.size();
    std::vector<double> weights = round == 0 ? even : nearest.distance();
    for (double& w : weights) w = std::isfinite(w) ? w : 0;
    const std::vector<Index> more = draw(weights, wanted, round, context);
    if (more.empty()) break;
    nearest.add(more);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// Lloyd's algorithm with path lengths along the graph: each landmark becomes the point of its
/// cell that is farthest from the cells around.
std::vector<Index> moved_to_centres(const Graph& graph, std::vector<Index> landmarks,
                                    const Context& context) {
  std::vector<double> made;
  const std::span<const double> lengths = detail::lengths_or_rates(graph, made);
  const SparseMatrix& w = graph.weights;
  for (std::size_t round = 0; round < n_lloyd_rounds; ++round) {
    context.report_or_throw({.stage = "landmarks", .done = round, .total = n_lloyd_rounds});
    detail::NearestSource cells(w, lengths, context);
    cells.add(landmarks);
    std::vector<Index> border;
    for (std::size_t i = 0; i < graph.n_points(); ++i) {
      const auto others = w.row_indices(i);
      const bool is_border = std::any_of(others.begin(), others.end(), [&](Index j) {
        return cells.source()[static_cast<std::size_t>(j)] != cells.source()[i];
      });
      if (is_border) border.push_back(static_cast<Index>(i));
    }
    detail::NearestSource to_border(w, lengths, context);
    to_border.add(border);
    std::vector<double> farthest(landmarks.size(), 0.0);  // cells of border points alone stay
    for (std::size_t i = 0; i < graph.n_points(); ++i) {
      const Index cell = cells.source()[i];
      const double way = to_border.distance()[i];
      if (cell < 0 || !std::isfinite(way) || !(way > farthest[static_cast<std::size_t>(cell)])) {
        continue;
      }
      farthest[static_cast<std::size_t>(cell)] = way;
      landmarks[static_cast<std::size_t>(cell)] = static_cast<Index>(i);
    }
  }
  return landmarks;
}

}  // namespace

std::string_view to_string(LandmarkChoice choice) {
  if (choice == LandmarkChoice::random) return "random";
  return choice == LandmarkChoice::spread ? "spread" : "central";
}

std::optional<LandmarkChoice> landmark_choice_named(std::string_view name) {
  for (const auto choice :
       {LandmarkChoice::random, LandmarkChoice::spread, LandmarkChoice::central}) {
    if (name == to_string(choice)) return choice;
  }
  return std::nullopt;
}

std::size_t default_landmarks(std::size_t n_points) {
  // Past 8,000 their n x n arrays and cubes would outweigh all points of a table of ten million.
  const auto by_root = static_cast<std::size_t>(4 * std::sqrt(static_cast<double>(n_points)));
  return std::max<std::size_t>(
      2, std::min(n_points / 4, std::clamp<std::size_t>(by_root, 2000, 8000)));
}

std::vector<std::string> issues_with(const LandmarkOptions& options) {
  std::vector<std::string> issues;
  if (options.count && *options.count < 2) {
    issues.push_back("landmarks is " + std::to_string(*options.count) +
                     ": give 2 or more, or leave it open");
  }
  if (options.n_pivots && *options.n_pivots < 3) {
    issues.push_back("pivots is " + std::to_string(*options.n_pivots) +
                     ": a position in the plane needs 3 or more");
  }
  if (!(options.local >= 0) || !std::isfinite(options.local)) {
    issues.push_back("local is " + std::to_string(options.local) +
                     ": give a finite number, 0 or more");
  }
  return issues;
}

std::vector<Index> choose_landmarks(const Graph& graph, std::size_t count, LandmarkChoice choice,
                                    const Context& context) {
  const std::size_t n = graph.n_points();
  if (count < 1 || count > n) {
    throw InvalidArgument("landmarks is " + std::to_string(count) + ": give 1 to " +
                          std::to_string(n) + ", the number of points");
  }
  std::vector<Index> landmarks = choice == LandmarkChoice::spread
                                     ? spread_out(graph, count, context)
                                     : draw_evenly(n, count, context);
  if (choice == LandmarkChoice::central) {
    landmarks = moved_to_centres(graph, std::move(landmarks), context);
  }
  // A part of the graph without a landmark would have no distances at all.
  if (graph.n_components == 1 && graph.component.size() == n) {
    std::sort(landmarks.begin(), landmarks.end());
    return landmarks;
  }
  const std::vector<Index> part = connected_components(graph.weights, context);
  std::vector<char> is_served(n, 0);
  for (const Index l : landmarks) {
    is_served[static_cast<std::size_t>(part[static_cast<std::size_t>(l)])] = 1;
  }
  for (std::size_t i = 0; i < n; ++i) {
    char& served = is_served[static_cast<std::size_t>(part[i])];
    if (served == 0) landmarks.push_back(static_cast<Index>(i));
    served = 1;
  }
  std::sort(landmarks.begin(), landmarks.end());
  return landmarks;
}

}  // namespace geotherm
