// Neighbour lists or a graph -> the weights with which neighbours attract each other.
#include <algorithm>
#include <numeric>
#include <utility>

#include "geotherm/refine.hpp"
#include "graph/kernels.hpp"

namespace geotherm {
namespace {

/// The nearest `most` along edges; a point may have fewer.
NeighborLists lists_of(const Graph& graph, std::size_t most) {
  NeighborLists lists;
  lists.n_points = graph.n_points();
  lists.knn = most;
  const SparseMatrix& w = graph.weights;
  std::size_t n_entries = 0;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    n_entries += std::min(most, w.offsets[i + 1] - w.offsets[i]);
  }
  lists.distances.reserve(n_entries);
  lists.indices.reserve(n_entries);
  lists.offsets.reserve(lists.n_points + 1);
  std::vector<std::pair<double, Index>> row;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    row.clear();
    for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
      row.emplace_back(graph.lengths[e], w.indices[e]);
    }
    std::sort(row.begin(), row.end());
    const std::size_t kept = std::min(most, row.size());
    for (std::size_t k = 0; k < kept; ++k) {
      lists.distances.push_back(row[k].first);
      lists.indices.push_back(row[k].second);
    }
    lists.offsets.push_back(lists.indices.size());
  }
  return lists;
}

SparseMatrix weights_over_largest(const Graph& graph) {
  SparseMatrix weights = graph.weights;
  const auto largest = std::max_element(weights.values.begin(), weights.values.end());
  if (largest == weights.values.end() || !(*largest > 0)) return weights;
  const double unit = *largest;
  for (double& value : weights.values) value /= unit;
  return weights;
}

}  // namespace

SparseMatrix refine_memberships(const NeighborLists& lists, std::size_t knn,
                                const Context& context) {
  if (lists.knn <= knn) {
    return build_graph(lists, {.kind = Affinity::fuzzy_union}, context).weights;
  }
  NeighborLists nearest = lists;
  nearest.knn = knn;
  return build_graph(nearest, {.kind = Affinity::fuzzy_union}, context).weights;
}

SparseMatrix refine_memberships(const Graph& graph, std::size_t knn, const Context& context) {
  if (!graph.has_lengths() || graph.n_points() < 2) return weights_over_largest(graph);
  return detail::fuzzy_union(lists_of(graph, knn), context).weights;
}

}  // namespace geotherm
