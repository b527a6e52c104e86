// Graph and pseudotime -> a walk that goes on rather than back, and where it ends.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/median.hpp"
#include "geotherm/trajectory.hpp"

namespace geotherm {

std::vector<std::string> issues_with(const DirectionOptions& options) {
  if (options.backward >= 0 && options.backward <= 1) return {};
  return {"backward is " + std::to_string(options.backward) + ": give a number in [0, 1]"};
}

SparseMatrix directed_walk(const Graph& graph, std::span<const double> pseudotime,
                           const DirectionOptions& options, const Context& context) {
  auto issues = issues_with(options);
  const std::size_t n = graph.n_points();
  if (pseudotime.size() != n) {
    issues.push_back("pseudotime has " + std::to_string(pseudotime.size()) +
                     " values: give one for each of the " + std::to_string(n) + " cells");
  }
  refuse_if_any(issues);
  const SparseMatrix& w = graph.weights;
  std::vector<double> steps;
  for (std::size_t i = 0; i < n; ++i) {
    for (const Index j : w.row_indices(i)) {
      const double step = std::abs(pseudotime[i] - pseudotime[static_cast<std::size_t>(j)]);
      if (step > 0) steps.push_back(step);
    }
  }
  const double typical = std::max(detail::median(std::move(steps)), 1e-12);
  const double rate =
      options.backward > 0 ? -std::log(options.backward) / typical : 1e3 / typical;
  SparseMatrix walk;
  walk.rows = walk.cols = n;
  walk.offsets.reserve(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t begin = walk.indices.size();
    double sum = 0;
    if (std::isfinite(pseudotime[i])) {
      for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
        const double back =
            pseudotime[i] - pseudotime[static_cast<std::size_t>(w.indices[e])];
        if (!std::isfinite(back)) continue;
        const double value = w.values[e] * (back > 0 ? std::exp(-rate * back) : 1);
        walk.indices.push_back(w.indices[e]);
        walk.values.push_back(value);
        sum += value;
      }
    }
    if (sum > 0) {
      for (std::size_t e = begin; e < walk.values.size(); ++e) walk.values[e] /= sum;
    } else {
      walk.indices.resize(begin);
      walk.values.resize(begin);
      walk.indices.push_back(static_cast<Index>(i));
      walk.values.push_back(1);
    }
    walk.offsets.push_back(walk.indices.size());
  }
  context.report_or_throw({"directed walk", n, n});
  return walk;
}

Matrix<double> fate_probabilities(const SparseMatrix& walk, std::span<const double> pseudotime,
                                  const std::vector<std::vector<Index>>& ends,
                                  const Context& context) {
  const std::size_t n = walk.rows, n_ends = ends.size();
  std::vector<Index> end_of(n, -1);
  for (std::size_t k = 0; k < n_ends; ++k) {
    for (const Index cell : ends[k]) {
      if (cell < 0 || static_cast<std::size_t>(cell) >= n) {
        throw InvalidArgument("ends has cell " + std::to_string(cell) + ": there are " +
                              std::to_string(n));
      }
      end_of[static_cast<std::size_t>(cell)] = static_cast<Index>(k);
    }
  }
  Matrix<double> fate(n, n_ends, n_ends == 0 ? 0 : 1.0 / static_cast<double>(n_ends));
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(pseudotime[i])) {
      std::fill(fate.row(i).begin(), fate.row(i).end(), std::numeric_limits<double>::quiet_NaN());
    } else if (end_of[i] >= 0) {
      std::fill(fate.row(i).begin(), fate.row(i).end(), 0.0);
      fate(i, static_cast<std::size_t>(end_of[i])) = 1;
    } else {
      order.push_back(i);
    }
  }
  if (n_ends < 2) return fate;
  // Gauss-Seidel from the last cells to the first: nearly all weight goes to later cells, which are
  // done by then. Rows stay sums to 1, being means of such rows.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return pseudotime[a] > pseudotime[b];
  });
  std::vector<double> row(n_ends);
  constexpr std::size_t most_sweeps = 2000;
  for (std::size_t sweep = 0; sweep < most_sweeps; ++sweep) {
    if (sweep % 8 == 0) context.report_or_throw({"fates", sweep, 0});
    double change = 0;
    for (const std::size_t i : order) {
      std::fill(row.begin(), row.end(), 0.0);
      double to_others = 0;
      for (std::size_t e = walk.offsets[i]; e < walk.offsets[i + 1]; ++e) {
        const auto j = static_cast<std::size_t>(walk.indices[e]);
        if (j == i) continue;
        to_others += walk.values[e];
        for (std::size_t k = 0; k < n_ends; ++k) row[k] += walk.values[e] * fate(j, k);
      }
      if (to_others <= 0) continue;
      for (std::size_t k = 0; k < n_ends; ++k) {
        const double value = row[k] / to_others;
        change = std::max(change, std::abs(value - fate(i, k)));
        fate(i, k) = value;
      }
    }
    if (change < 1e-9) return fate;
  }
  context.warn("fate probabilities have not settled to 1e-9: some cells hardly reach any end");
  return fate;
}

std::vector<std::vector<Index>> cells_at_ends(const MilestoneNetwork& network) {
  std::vector<std::vector<Index>> result;
  for (const Index end : network.ends) {
    // Nearness to the end along its edge, the nearest first.
    std::vector<std::pair<double, Index>> cells;
    for (std::size_t i = 0; i < network.edge_of.size(); ++i) {
      if (network.edge_of[i] < 0) continue;
      const MilestoneEdge& edge = network.edges[static_cast<std::size_t>(network.edge_of[i])];
      if (edge.to == end) cells.emplace_back(1 - network.fraction[i], static_cast<Index>(i));
      if (edge.from == end) cells.emplace_back(network.fraction[i], static_cast<Index>(i));
    }
    std::sort(cells.begin(), cells.end());
    std::vector<Index> chosen;
    for (const auto& [away, cell] : cells) {
      if (away > 0.2 && chosen.size() >= 5) break;
      chosen.push_back(cell);
    }
    result.push_back(std::move(chosen));
  }
  return result;
}

Matrix<double> group_flow(const Graph& graph, std::span<const Index> groups,
                          std::size_t n_groups) {
  if (groups.size() != graph.n_points()) {
    throw InvalidArgument("groups has " + std::to_string(groups.size()) +
                          " entries: give one for each of the " +
                          std::to_string(graph.n_points()) + " cells");
  }
  Matrix<double> flow(n_groups, n_groups);
  std::vector<double> volume(n_groups, 0);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] < 0 || static_cast<std::size_t>(groups[i]) >= n_groups) {
      throw InvalidArgument("groups has " + std::to_string(groups[i]) + ": they are numbered 0 to " +
                            std::to_string(n_groups - 1));
    }
    const auto a = static_cast<std::size_t>(groups[i]);
    for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
      const auto b =
          static_cast<std::size_t>(groups[static_cast<std::size_t>(graph.weights.indices[e])]);
      flow(a, b) += graph.weights.values[e];
      volume[a] += graph.weights.values[e];
    }
  }
  const double total = std::accumulate(volume.begin(), volume.end(), 0.0);
  for (std::size_t a = 0; a < n_groups; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double expected = total > 0 ? volume[a] * volume[b] / total : 0;
      const double both = (flow(a, b) + flow(b, a)) / 2;
      flow(a, b) = flow(b, a) = expected > 0 ? std::min(1.0, both / expected) : 0;
    }
    flow(a, a) = 0;
  }
  return flow;
}

}  // namespace geotherm
