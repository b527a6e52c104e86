// Neighbour lists or a graph -> the weights with which neighbours attract each other.
#include <algorithm>
#include <utility>

#include "geotherm/refine.hpp"
#include "graph/device_unite.hpp"
#include "refine/attraction.hpp"

namespace geotherm {
namespace {

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
  return detail::attraction_along(graph, knn, context).stored(context);
}

namespace detail {

Attraction attraction_along(const Graph& graph, std::size_t knn, const Context& context) {
  if (!graph.has_lengths() || graph.n_points() < 2) return weights_over_largest(graph);
  if (auto there = memberships_on_device(context, graph, knn)) return std::move(*there);
  return {graph, knn, context};
}

}  // namespace detail
}  // namespace geotherm
