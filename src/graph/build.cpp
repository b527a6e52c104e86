// The public functions: neighbour lists or given affinities -> Graph with its components; its
// random walk.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "geotherm/graph.hpp"
#include "graph/kernels.hpp"
#include "graph/unite.hpp"
#include "neighbors/check.hpp"

namespace geotherm {
namespace {

using namespace detail;

/// Lists can be made by anyone: what the kernels rely on is checked.
void refuse_malformed(const NeighborLists& lists, const Context& context) {
  const auto refuse = [](const std::string& what) {
    throw InvalidArgument("neighbour lists: " + what);
  };
  const std::size_t n = lists.n_points;
  if (n == 0) refuse("there are no points");
  if (lists.offsets.size() != n + 1 || lists.offsets.front() != 0 ||
      lists.offsets.back() != lists.indices.size() ||
      lists.indices.size() != lists.distances.size()) {
    refuse("offsets, indices and distances do not fit together");
  }
  if (lists.knn == 0 && n > 1) refuse("knn = 0; every point needs a neighbour");
  const auto check_row = [&](std::size_t i) {
    if (lists.offsets[i + 1] < lists.offsets[i] + lists.knn ||
        lists.offsets[i + 1] > lists.indices.size()) {
      refuse("point " + std::to_string(i) + " has fewer than knn = " + std::to_string(lists.knn) +
             " entries");
    }
    double last = 0;
    for (std::size_t k = lists.offsets[i]; k < lists.offsets[i + 1]; ++k) {
      const Index j = lists.indices[k];
      if (j < 0 || static_cast<std::size_t>(j) >= n || static_cast<std::size_t>(j) == i) {
        refuse("point " + std::to_string(i) + " lists " + std::to_string(j) +
               ", which is itself or no point");
      }
      if (!(lists.distances[k] >= last) || !std::isfinite(lists.distances[k])) {
        refuse("the distances of point " + std::to_string(i) +
               " do not rise from 0 or are not finite");
      }
      last = lists.distances[k];
    }
  };
  // Of several malformed rows the first is named: its block's exception is the one that is thrown
  // on.
  parallel_for(context, n, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) check_row(i);
  });
}

void number_components(Graph& graph, const Context& context) {
  graph.component = connected_components(graph.weights, context);
  const auto last = std::max_element(graph.component.begin(), graph.component.end());
  graph.n_components = static_cast<std::size_t>(*last) + 1;
}

Graph kernel_graph(const NeighborLists& lists, const AffinityOptions& options,
                   const Context& context) {
  switch (options.kind) {
    case Affinity::alpha_decay:
      return alpha_decay(lists, options, context);
    case Affinity::knn:
      return knn_gaussian(lists, context);
    case Affinity::gaussian:
      return adaptive_gaussian(lists, context);
    case Affinity::fuzzy_union:
      return fuzzy_union(lists, context);
  }
  return {};
}

}  // namespace

Graph build_graph(const NeighborLists& lists, const AffinityOptions& options,
                  const Context& context) {
  refuse_if_any(issues_with(options));
  refuse_malformed(lists, context);
  context.report_or_throw({.stage = "graph", .done = 0, .total = lists.n_points});
  Graph graph;
  if (lists.n_points == 1) {
    graph.weights.rows = graph.weights.cols = 1;
    graph.weights.offsets = {0, 0};
  } else {
    graph = kernel_graph(lists, options, context);
  }
  number_components(graph, context);
  return graph;
}

Graph graph_from_affinities(const SparseMatrix& affinities, const Context& context) {
  refuse_unless_square_and_non_negative(affinities, "affinities");
  Views views;
  double largest = 0;
  for (std::size_t i = 0; i < affinities.rows; ++i) {
    const auto columns = affinities.row_indices(i);
    const auto values = affinities.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (static_cast<std::size_t>(columns[k]) == i) continue;
      views.indices.push_back(columns[k]);
      views.values.push_back(values[k]);
      largest = std::max(largest, values[k]);
    }
    views.offsets.push_back(views.indices.size());
  }
  views.lengths.assign(views.indices.size(), 0.0);
  // Tables that were symmetric before they were written as text or float32 are not worth a word.
  const double tolerance = 1e-6 * largest;
  std::atomic<bool> is_symmetric{true};
  Graph graph = unite(
      views,
      [&](const SeenEdge& e) {
        if (std::abs(e.own - e.other) > tolerance) is_symmetric = false;
        return 0.5 * e.own + 0.5 * e.other;
      },
      context);
  if (!is_symmetric) {
    context.warn("affinities: the table is not symmetric; (W + W^T) / 2 is used");
  }
  graph.lengths.clear();
  number_components(graph, context);
  return graph;
}

SparseMatrix random_walk(const Graph& graph) {
  const SparseMatrix& w = graph.weights;
  SparseMatrix walk;
  walk.rows = walk.cols = w.rows;
  walk.indices.reserve(w.n_entries() + w.rows);
  walk.values.reserve(w.n_entries() + w.rows);
  for (std::size_t i = 0; i < w.rows; ++i) {
    const auto columns = w.row_indices(i);
    const auto values = w.row_values(i);
    const auto self = static_cast<Index>(i);
    double sum = 1;
    for (const double value : values) sum += value;
    std::size_t k = 0;
    const auto copy_to = [&](std::size_t end) {
      for (; k < end; ++k) {
        walk.indices.push_back(columns[k]);
        walk.values.push_back(values[k] / sum);
      }
    };
    const auto after = std::lower_bound(columns.begin(), columns.end(), self);
    copy_to(static_cast<std::size_t>(after - columns.begin()));
    walk.indices.push_back(self);
    walk.values.push_back(1 / sum);
    copy_to(columns.size());
    walk.offsets.push_back(walk.indices.size());
  }
  return walk;
}

}  // namespace geotherm
