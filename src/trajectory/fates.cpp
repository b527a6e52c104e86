// Graph and pseudotime -> a walk that goes on rather than back, and where it ends.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/median.hpp"
#include "geotherm/trajectory.hpp"
#include "trajectory/fate_system.hpp"

namespace geotherm {

std::vector<std::string> issues_with(const DirectionOptions& options) {
  if (options.backward >= 0 && options.backward <= 1) return {};
  return {"backward is " + std::to_string(options.backward) + ": give a number in [0, 1]"};
}

namespace {

/// Of the steps that change pseudotime.
double median_step(const SparseMatrix& w, std::span<const double> pseudotime) {
  std::vector<double> steps;
  steps.reserve(w.n_entries());
  for (std::size_t i = 0; i < w.rows; ++i) {
    for (const Index j : w.row_indices(i)) {
      const double step = std::abs(pseudotime[i] - pseudotime[static_cast<std::size_t>(j)]);
      if (step > 0) steps.push_back(step);
    }
  }
  return detail::median(std::move(steps));
}

}  // namespace

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
  const double typical = std::max(median_step(w, pseudotime), 1e-12);
  const double rate = options.backward > 0 ? -std::log(options.backward) / typical : 1e3 / typical;
  // Steps that are there, from cell i: other cells with a pseudotime, where there are any.
  const auto goes = [&](std::size_t i, std::size_t e) {
    return std::isfinite(pseudotime[i]) &&
           std::isfinite(pseudotime[static_cast<std::size_t>(w.indices[e])]);
  };
  std::vector<double> values(w.n_entries(), 0), sums(n, 0);
  parallel_for(context, n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
        if (!goes(i, e)) continue;
        const double back = pseudotime[i] - pseudotime[static_cast<std::size_t>(w.indices[e])];
        values[e] = w.values[e] * (back > 0 ? std::exp(-rate * back) : 1);
        sums[i] += values[e];
      }
    }
  });
  SparseMatrix walk;
  walk.rows = walk.cols = n;
  walk.offsets.reserve(n + 1);
  walk.indices.reserve(w.n_entries());
  walk.values.reserve(w.n_entries());
  for (std::size_t i = 0; i < n; ++i) {
    if (sums[i] > 0) {
      for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
        if (!goes(i, e)) continue;
        walk.indices.push_back(w.indices[e]);
        walk.values.push_back(values[e] / sums[i]);
      }
    } else {
      walk.indices.push_back(static_cast<Index>(i));
      walk.values.push_back(1);
    }
    walk.offsets.push_back(walk.indices.size());
  }
  context.report_or_throw({"directed walk", n, n});
  return walk;
}

namespace {

/// Whether the walk from a cell may reach a cell of an end.
std::vector<char> leads_to_an_end(const SparseMatrix& walk, const std::vector<Index>& end_of) {
  const std::size_t n = walk.rows;
  std::vector<std::size_t> begin(n + 1, 0);
  for (const Index j : walk.indices) ++begin[static_cast<std::size_t>(j) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::size_t> at(begin.begin(), begin.end() - 1);
  std::vector<std::size_t> from(walk.indices.size());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t e = walk.offsets[i]; e < walk.offsets[i + 1]; ++e) {
      if (walk.values[e] > 0) from[at[static_cast<std::size_t>(walk.indices[e])]++] = i;
    }
  }
  std::vector<char> leads(n, 0);
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < n; ++i) {
    if (end_of[i] >= 0) waiting.push_back(i);
  }
  for (const std::size_t i : waiting) leads[i] = 1;
  while (!waiting.empty()) {
    const std::size_t j = waiting.back();
    waiting.pop_back();
    for (std::size_t e = begin[j]; e < at[j]; ++e) {
      if (leads[from[e]] != 0) continue;
      leads[from[e]] = 1;
      waiting.push_back(from[e]);
    }
  }
  return leads;
}

/// The system of the absorbing walk: rows `order` of the fates, each less the mean of the rows that
/// the walk steps to; on the right what comes from rows that are known.
struct FateEquations {
  detail::FateSystem system;
  Matrix<double> known;  ///< rows x ends
};

FateEquations equations_of(const Matrix<double>& fate, const SparseMatrix& walk,
                           const std::vector<std::size_t>& order, const Context& context) {
  using Column = detail::FateSystem::StorageIndex;
  const std::size_t size = order.size(), n_ends = fate.cols();
  std::vector<Column> unknown(walk.rows, -1);
  for (std::size_t k = 0; k < size; ++k) unknown[order[k]] = static_cast<Column>(k);
  const auto steps = [&](std::size_t i, std::size_t e) {
    return static_cast<std::size_t>(walk.indices[e]) != i && walk.values[e] > 0;
  };
  FateEquations result{.system = {}, .known = Matrix<double>(size, n_ends)};
  const auto rows = static_cast<Eigen::Index>(size);
  result.system.resize(rows, rows);
  Column* const offsets = result.system.outerIndexPtr();
  offsets[0] = 0;
  for (std::size_t k = 0; k < size; ++k) {
    Column count = 1;
    for (std::size_t e = walk.offsets[order[k]]; e < walk.offsets[order[k] + 1]; ++e) {
      const Column j = unknown[static_cast<std::size_t>(walk.indices[e])];
      if (steps(order[k], e) && j >= 0) ++count;
    }
    offsets[k + 1] = offsets[k] + count;
  }
  result.system.resizeNonZeros(offsets[size]);
  Column* const columns = result.system.innerIndexPtr();
  double* const values = result.system.valuePtr();
  parallel_for(context, size, 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<std::pair<Column, double>> row;
    for (std::size_t k = begin; k < end; ++k) {
      const std::size_t i = order[k];
      double to_others = 0;
      for (std::size_t e = walk.offsets[i]; e < walk.offsets[i + 1]; ++e) {
        if (static_cast<std::size_t>(walk.indices[e]) != i) to_others += walk.values[e];
      }
      row.assign(1, {static_cast<Column>(k), 1.0});
      for (std::size_t e = walk.offsets[i]; e < walk.offsets[i + 1]; ++e) {
        if (!steps(i, e)) continue;
        const auto j = static_cast<std::size_t>(walk.indices[e]);
        const double share = walk.values[e] / to_others;
        if (unknown[j] >= 0) {
          row.emplace_back(unknown[j], -share);
          continue;
        }
        for (std::size_t c = 0; c < n_ends; ++c) result.known(k, c) += share * fate(j, c);
      }
      std::sort(row.begin(), row.end());
      for (std::size_t r = 0; r < row.size(); ++r) {
        const std::size_t at = static_cast<std::size_t>(offsets[k]) + r;
        std::tie(columns[at], values[at]) = row[r];
      }
    }
  });
  return result;
}

/// Rows `order` of `fate` from the others: every row is the mean of the rows that the walk steps
/// to. False where the solver stopped before its precision; the rows are its last ones then.
bool solve_for(Matrix<double>& fate, const SparseMatrix& walk,
               const std::vector<std::size_t>& order, const Context& context) {
  const std::size_t n_ends = fate.cols();
  const FateEquations equations = equations_of(fate, walk, order, context);
  const detail::FateSolution found =
      detail::solve_fates(equations.system, equations.known, context);
  context.report_or_throw({"fates", n_ends, n_ends});
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto row = fate.row(order[k]);
    double sum = 0;
    for (std::size_t c = 0; c < n_ends; ++c) {
      row[c] = std::clamp(found.shares(k, c), 0.0, 1.0);
      sum += row[c];
    }
    for (double& share : row) share = sum > 0 ? share / sum : 1.0 / static_cast<double>(n_ends);
  }
  return found.is_settled;
}

}  // namespace

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
  const double even = n_ends == 0 ? 0 : 1.0 / static_cast<double>(n_ends);
  Matrix<double> fate(n, n_ends, even);
  const std::vector<char> leads = leads_to_an_end(walk, end_of);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(pseudotime[i])) {
      std::fill(fate.row(i).begin(), fate.row(i).end(), std::numeric_limits<double>::quiet_NaN());
    } else if (end_of[i] >= 0) {
      std::fill(fate.row(i).begin(), fate.row(i).end(), 0.0);
      fate(i, static_cast<std::size_t>(end_of[i])) = 1;
    } else if (leads[i] != 0) {
      order.push_back(i);
    }
  }
  if (n_ends < 2 || order.empty()) return fate;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pseudotime[a] > pseudotime[b]; });
  if (!solve_for(fate, walk, order, context)) {
    context.warn("fate probabilities have not settled to 1e-9: some cells hardly reach any end");
  }
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

Matrix<double> group_flow(const Graph& graph, std::span<const Index> groups, std::size_t n_groups) {
  if (groups.size() != graph.n_points()) {
    throw InvalidArgument("groups has " + std::to_string(groups.size()) +
                          " entries: give one for each of the " + std::to_string(graph.n_points()) +
                          " cells");
  }
  Matrix<double> flow(n_groups, n_groups);
  std::vector<double> volume(n_groups, 0);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] < 0 || static_cast<std::size_t>(groups[i]) >= n_groups) {
      throw InvalidArgument("groups has " + std::to_string(groups[i]) +
                            ": they are numbered 0 to " + std::to_string(n_groups - 1));
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
