// Graph with edge lengths -> lengths of shortest paths, one Dijkstra a starting point.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "dissimilarity/dijkstra.hpp"
#include "dissimilarity/fill_unresolved.hpp"
#include "geotherm/dissimilarity.hpp"

namespace geotherm {
namespace {

void check(const Graph& graph, std::span<const Index> from) {
  if (graph.weights.rows != graph.weights.cols) {
    throw InvalidArgument("graph: the weights are " + std::to_string(graph.weights.rows) + " x " +
                          std::to_string(graph.weights.cols) + "; they have to be square");
  }
  if (!graph.has_lengths()) {
    throw InvalidArgument(
        "graph: it has no edge lengths, and affinities alone give no shortest paths; build it from "
        "points or neighbour lists, or fill Graph::lengths with one length a stored edge");
  }
  for (const double length : graph.lengths) {
    if (!(length >= 0) || !std::isfinite(length)) {
      throw InvalidArgument("graph: an edge has length " + std::to_string(length) +
                            "; lengths have to be finite and >= 0");
    }
  }
  for (const Index point : from) {
    if (point < 0 || static_cast<std::size_t>(point) >= graph.n_points()) {
      throw InvalidArgument("from: point " + std::to_string(point) + " is not among the " +
                            std::to_string(graph.n_points()) + " points of the graph");
    }
  }
}

void run_all(const Graph& graph, std::span<const Index> from, Matrix<double>& result,
             const Context& context) {
  constexpr std::size_t per_report = 512;
  // Paths through a large graph take long enough to be shared out one by one.
  const std::size_t per_block = graph.n_points() > 20000 ? 1 : 8;
  for (std::size_t begin = 0; begin < from.size(); begin += per_report) {
    context.report_or_throw({.stage = "shortest paths", .done = begin, .total = from.size()});
    const std::size_t count = std::min(per_report, from.size() - begin);
    parallel_for(context, count, per_block, [&](std::size_t first, std::size_t last) {
      detail::Dijkstra dijkstra(graph.weights, graph.lengths);
      for (std::size_t r = begin + first; r < begin + last; ++r) {
        dijkstra.run(from[r], result.row(r));
      }
    });
  }
  context.report_or_throw({.stage = "shortest paths", .done = from.size(), .total = from.size()});
}

}  // namespace

Matrix<double> shortest_paths(const Graph& graph, std::span<const Index> from,
                              const Context& context) {
  check(graph, from);
  auto result = Matrix<double>::uninitialized(from.size(), graph.n_points());
  run_all(graph, from, result, context);
  return result;
}

Matrix<double> shortest_paths(const Graph& graph, const Context& context) {
  check(graph, {});
  const std::size_t n = graph.n_points();
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  auto result = Matrix<double>::uninitialized(n, n);
  run_all(graph, all, result, context);
  // A path summed from its other end may differ in the last bit: the smaller index decides.
  constexpr std::size_t tile = 64;
  parallel_for(context, n, tile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j0 = 0; j0 < end; j0 += tile) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = j0; j < std::min(j0 + tile, i); ++j) result(i, j) = result(j, i);
      }
    }
  });
  return result;
}

Dissimilarity shortest_path_distance(const Graph& graph, const Context& context) {
  Dissimilarity result{.values = shortest_paths(graph, context)};
  const std::size_t n = graph.n_points();
  std::size_t n_apart = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto beyond = result.values.row(i).subspan(i);
    n_apart += static_cast<std::size_t>(
        std::ranges::count_if(beyond, [](double d) { return std::isinf(d); }));
  }
  if (n_apart == 0) return result;
  const double n_pairs = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
  result.unresolved_share = static_cast<double>(n_apart) / n_pairs;
  result.unresolved_treatment = "constant";
  detail::fill_unresolved(result.values, 1.0, context);
  context.warn(
      "no path joins some of the points: their distance is set to one constant, larger than all "
      "others (a larger `knn` may join them)");
  return result;
}

}  // namespace geotherm
