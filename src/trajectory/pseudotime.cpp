// Graph and roots -> order of the cells, with an interval for each on request; places to begin at.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geotherm/dissimilarity.hpp"
#include "trajectory/slow_geometry.hpp"

namespace geotherm {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> issues_with_roots(const Graph& graph, std::span<const Index> roots) {
  std::vector<std::string> issues;
  const std::size_t n = graph.n_points();
  if (roots.empty()) issues.push_back("no root is given: name a cell or a group of cells");
  std::vector<Index> inside;
  for (const Index root : roots) {
    if (root >= 0 && static_cast<std::size_t>(root) < n) {
      inside.push_back(root);
      continue;
    }
    issues.push_back("root " + std::to_string(root) + " does not exist: cells are numbered 0 to " +
                     std::to_string(n - 1));
  }
  if (!issues.empty()) return issues;
  const std::vector<Index> component = connected_components(graph.weights);
  const Index first = component[static_cast<std::size_t>(inside.front())];
  for (const Index root : inside) {
    if (component[static_cast<std::size_t>(root)] == first) continue;
    issues.push_back("roots " + std::to_string(inside.front()) + " and " + std::to_string(root) +
                     " lie in different components, and no path joins them: give roots of one "
                     "component, or a larger `knn`");
    break;
  }
  return issues;
}

/// Every cell's weight drawn from the exponential distribution, every edge times those of its ends.
Graph reweighted(const Graph& graph, std::uint64_t seed, std::size_t replicate) {
  Rng rng(seed, "pseudotime.bootstrap", replicate);
  std::vector<double> weight(graph.n_points());
  for (double& w : weight) w = -std::log1p(-rng.uniform()) + 1e-6;
  Graph drawn = graph;
  for (std::size_t i = 0; i < graph.n_points(); ++i) {
    for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
      drawn.weights.values[e] *=
          weight[i] * weight[static_cast<std::size_t>(graph.weights.indices[e])];
    }
  }
  return drawn;
}

/// Between order statistics, linearly.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

}  // namespace

std::vector<std::string> issues_with(const PseudotimeOptions& options) {
  std::vector<std::string> issues;
  if (options.resolutions.empty()) issues.push_back("resolutions is empty: give 3,5 or others");
  for (const std::size_t m : options.resolutions) {
    if (m >= 1 && m <= 100) continue;
    issues.push_back("resolutions has " + std::to_string(m) + ": give numbers of 1 to 100");
  }
  if (options.knn < 2) {
    issues.push_back("knn is " + std::to_string(options.knn) + ": give 2 or more");
  }
  if (!(options.even_ends >= 0 && options.even_ends <= 1)) {
    issues.push_back("even_ends is " + std::to_string(options.even_ends) +
                     ": give a number in [0, 1]");
  }
  if (options.bootstrap == 1) {
    issues.push_back("bootstrap is 1: an interval needs 2 replicates or more (100 is usual)");
  }
  if (!(options.level > 0 && options.level < 1)) {
    issues.push_back("level is " + std::to_string(options.level) + ": give a number in (0, 1)");
  }
  return issues;
}

Pseudotime pseudotime(const Graph& graph, std::span<const Index> roots,
                      const PseudotimeOptions& options, const Context& context) {
  refuse_if_any(issues_with(options));
  refuse_if_any(issues_with_roots(graph, roots));
  const std::vector<Index> cells =
      detail::in_near_order(graph, detail::component_of(graph, roots.front()));
  const std::size_t n = graph.n_points(), m = cells.size();
  Pseudotime result;
  result.values.assign(n, none);
  result.by_distance.assign(n, none);
  result.n_unreached = n - m;
  if (m < 4) {
    throw InvalidData("the component of root " + std::to_string(roots.front()) + " has " +
                      std::to_string(m) +
                      " cells: an order needs 4 or more (choose another root, or a larger `knn`)");
  }
  if (result.n_unreached > 0) {
    context.warn(std::to_string(result.n_unreached) + " of " + std::to_string(n) +
                 " cells lie in other components than the root: they have no pseudotime (NaN)");
  }
  const Graph connected = detail::part_of(graph, cells);
  std::vector<Index> places;
  for (const Index root : roots) {
    places.push_back(
        static_cast<Index>(std::find(cells.begin(), cells.end(), root) - cells.begin()));
  }
  const std::size_t n_modes =
      *std::max_element(options.resolutions.begin(), options.resolutions.end());
  // The network of milestones takes its modes from here.
  detail::SlowModes slow =
      detail::slow_modes(connected, std::max(n_modes, MilestoneOptions{}.n_modes), context);
  const detail::Order order = detail::order_from(connected, slow, places, options, context);
  for (std::size_t k = 0; k < m; ++k) {
    result.values[static_cast<std::size_t>(cells[k])] = order.values[k];
    result.by_distance[static_cast<std::size_t>(cells[k])] = order.by_distance[k];
  }
  result.slow = detail::spread_to_points(std::move(slow), cells, n);
  if (options.bootstrap == 0) return result;

  Matrix<double> drawn(m, options.bootstrap);
  for (std::size_t b = 0; b < options.bootstrap; ++b) {
    context.report_or_throw({"bootstrap", b, options.bootstrap});
    const Graph replicate = reweighted(connected, context.seed, b);
    const detail::Order again = detail::order_from(
        replicate, detail::slow_modes(replicate, n_modes, context), places, options, context);
    for (std::size_t k = 0; k < m; ++k) drawn(k, b) = again.values[k];
  }
  result.low.assign(n, none);
  result.high.assign(n, none);
  for (std::size_t k = 0; k < m; ++k) {
    std::vector<double> values(drawn.row(k).begin(), drawn.row(k).end());
    std::sort(values.begin(), values.end());
    const auto i = static_cast<std::size_t>(cells[k]);
    result.low[i] = quantile(values, (1 - options.level) / 2);
    result.high[i] = quantile(values, (1 + options.level) / 2);
  }
  return result;
}

std::vector<Index> root_candidates(const Graph& graph, std::size_t n_candidates,
                                   const Context& context) {
  if (graph.n_points() == 0) return {};
  std::vector<Index> component = connected_components(graph.weights);
  const auto largest =
      static_cast<Index>(std::find(component.begin(), component.end(), 0) - component.begin());
  const std::vector<Index> cells = detail::component_of(graph, largest);
  std::vector<Index> found;
  if (cells.size() < 4) return found;
  const Graph connected = detail::part_of(graph, cells);
  const PseudotimeOptions options;
  const detail::SlowModes slow = detail::slow_modes(connected, 5, context);
  const Graph geodesics =
      detail::geodesic_graph(connected, detail::weighted_modes(slow, 5, 0.5), options.knn, context);
  // Farthest from any cell, then farthest from those found.
  Index at = 0;
  std::vector<double> nearest(cells.size(), std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k <= n_candidates && k < cells.size(); ++k) {
    const Matrix<double> from = shortest_paths(geodesics, std::span<const Index>(&at, 1), context);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      nearest[i] = k < 2 ? from(0, i) : std::min(nearest[i], from(0, i));
    }
    if (k > 0) found.push_back(cells[static_cast<std::size_t>(at)]);
    at = static_cast<Index>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
  return found;
}

}  // namespace geotherm
