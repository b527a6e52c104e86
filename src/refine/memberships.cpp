// Neighbour lists or a graph -> the weights with which neighbours attract each other.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/large_pages.hpp"
#include "geotherm/refine.hpp"
#include "graph/device_unite.hpp"
#include "graph/kernels.hpp"

namespace geotherm {
namespace {

/// The nearest `most` along edges; a point may have fewer.
NeighborLists lists_of(const Graph& graph, std::size_t most, const Context& context) {
  NeighborLists lists;
  lists.n_points = graph.n_points();
  lists.knn = most;
  const SparseMatrix& w = graph.weights;
  lists.offsets.assign(lists.n_points + 1, 0);
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    lists.offsets[i + 1] = lists.offsets[i] + std::min(most, w.offsets[i + 1] - w.offsets[i]);
  }
  detail::resize_in_large_pages(lists.distances, lists.offsets.back());
  detail::resize_in_large_pages(lists.indices, lists.offsets.back());
  parallel_for(context, lists.n_points, 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<std::pair<double, Index>> row;
    for (std::size_t i = begin; i < end; ++i) {
      row.clear();
      for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
        row.emplace_back(graph.lengths[e], w.indices[e]);
      }
      const std::size_t from = lists.offsets[i], kept = std::min(most, row.size());
      std::partial_sort(row.begin(), std::next(row.begin(), static_cast<std::ptrdiff_t>(kept)),
                        row.end());
      for (std::size_t k = 0; k < kept; ++k) {
        lists.distances[from + k] = row[k].first;
        lists.indices[from + k] = row[k].second;
      }
    }
  });
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
  if (auto there = detail::memberships_on_device(context, graph, knn)) return std::move(*there);
  return detail::fuzzy_union(lists_of(graph, knn, context), context).weights;
}

}  // namespace geotherm
