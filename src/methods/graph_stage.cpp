// Points, or what stands in for them -> neighbours -> graph: shortcut edges removed, components
// treated.
#include <algorithm>
#include <cmath>

#include "core/take_rows.hpp"
#include "graph/components.hpp"
#include "graph/kernel_support.hpp"
#include "methods/prepared_points.hpp"
#include "methods/run_state.hpp"

namespace geotherm {
namespace detail {
namespace {

// A list by direct sums takes about ten times its share of a search for all.
constexpr std::size_t points_for_one_again = 25;

/// Points whose list was cut from one of `windows` that ends within the kernel's reach.
std::vector<Index> cut_off(const NeighborLists& lists, const NeighborLists& windows) {
  std::vector<Index> points;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    const std::size_t size = lists.neighbors(i).size();
    if (size == windows.neighbors(i).size() && size + 1 < lists.n_points) {
      points.push_back(static_cast<Index>(i));
    }
  }
  return points;
}

template <class T>
DistanceRun graph_of_points(MatrixView<const T> points, const MethodOptions& options,
                            const Context& context) {
  DistanceRun run;
  PreparedPoints<T> prepared = prepare(points, options, run.report, context);
  run.unique_inverse = std::move(prepared.unique_inverse);
  run.reduction = prepared.reduction();
  run.has_round_clusters = prepared.reduced.has_round_clusters;
  const std::size_t n_points = prepared.points.rows;
  NeighborOptions neighbor_options = prepared.neighbors;
  if (options.affinity.kind == Affinity::alpha_decay) {
    neighbor_options.reach = std::max(neighbor_options.reach, reach_of(options.affinity));
  }

  // All rows equal: a graph of one point without edges.
  if (n_points == 1) {
    run.graph.weights.rows = run.graph.weights.cols = 1;
    run.graph.weights.offsets = {0, 0};
    run.graph.component = {0};
    run.graph.n_components = 1;
    return run;
  }

  // Large tables: the points of the run are in an order that is near in space.
  std::vector<Index> order;
  NeighborLists lists;
  NeighborLists windows;  // for the overlap of neighbourhoods, where shortcut edges are looked for
  const auto keep = [&](std::optional<NeighborLists> found) {
    if (found) run.neighbors = std::move(*found);
  };
  {
    const StageClock clock(run.report, "neighbors");
    const auto find = [&](const NeighborOptions& which) { return prepared.find(which, context); };
    if (looks_for_shortcuts(options)) {
      const std::size_t knn = resolve_knn(neighbor_options.knn, n_points, context);
      NeighborOptions wide_options = neighbor_options;
      // A window of a tenth of the points at most: it has to be smaller than a population.
      const std::size_t window = std::min(options.shortcuts->window, n_points / 10);
      wide_options.knn = std::min(n_points - 1, std::max(2 * knn, window));
      wide_options.reach = 1;
      windows = find(wide_options);
      lists = shortened(windows, knn, neighbor_options.reach);
      if (!prepared.is_smoothed()) keep(lists_to_keep(windows, knn, options));
      windows.knn = knn;
      if (lists.truncated_share > 0) {
        neighbor_options.knn = knn;
        const std::vector<Index> rows = cut_off(lists, windows);
        const bool are_few = rows.size() * points_for_one_again <= n_points &&
                             windows.search_used == NeighborSearch::brute_force;
        lists = are_few && is_searched_at_once(neighbor_options, n_points)
                    ? prepared.find_again(lists, rows, neighbor_options, context)
                    : lists_within_reach(neighbor_options, n_points, find);
      }
    } else {
      std::vector<Index>* const asked = n_points >= least_to_order ? &order : nullptr;
      lists = lists_within_reach(neighbor_options, n_points, [&](const NeighborOptions& which) {
        FoundNeighbors found = find_and_keep(prepared, which, options, context, asked);
        keep(std::move(found.to_keep));
        return std::move(found.lists);
      });
    }
    if (!order.empty()) renumber(run.unique_inverse, order);
  }
  run.knn = lists.knn;
  note_lists(lists, run.report);
  // Those of a far-reaching kernel were longer.
  keep(lists_to_keep(run.neighbors, lists.knn, options));
  Graph graph;
  {
    const StageClock clock(run.report, "graph");
    graph = build_graph(lists, options.affinity, context);
    lists = {};  // the graph holds all that is needed of them
  }
  const auto connect = [&](Graph g, const Context& how) {
    if (g.n_components == 1) return g;
    if (order.empty()) {
      return connect_components(std::move(g), options.components, prepared.in_double(), how);
    }
    const Matrix<double> in_order = take_rows<double>(prepared.in_double(), order);
    return connect_components(std::move(g), options.components, in_order.view(), how);
  };
  if (looks_for_shortcuts(options)) {
    const StageClock clock(run.report, "shortcuts");
    auto [pruned, report] =
        remove_shortcuts(std::move(graph), windows, *options.shortcuts, context);
    graph = std::move(pruned);
    run.shortcuts = std::move(report);
    note_shortcuts(run.shortcuts, run.report, context);
  }
  {
    const StageClock clock(run.report, "graph");
    run.graph = connect(std::move(graph), context);
  }
  return run;
}

/// Neighbours, distances or affinities in place of points: no rows to compare, so no duplicates.
DistanceRun graph_of_given(const Input& input, const MethodOptions& options,
                           const Context& context) {
  DistanceRun run;
  {
    const StageClock clock(run.report, "graph");
    run.unique_inverse = rows_as_points(input.n_points());
    Graph& graph = run.graph;
    if (input.affinities() != nullptr) {
      graph = graph_from_affinities(*input.affinities(), context);
      run.report.resolved["graph_lengths"] =
          std::string("not given: no step that needs lengths was taken");
    } else {
      NeighborOptions neighbor_options = options.neighbors;
      if (options.affinity.kind == Affinity::alpha_decay) {
        neighbor_options.reach = std::max(neighbor_options.reach, reach_of(options.affinity));
      }
      const NeighborLists lists = given_lists(input, neighbor_options, context);
      run.knn = lists.knn;
      run.report.resolved["knn"] = static_cast<double>(lists.knn);
      graph = build_graph(lists, options.affinity, context);
    }
    if (looks_for_shortcuts(options)) {
      run.report.resolved["shortcuts"] =
          std::string("not looked for: there are no points whose neighbourhoods could be compared");
    }
    if (graph.n_components > 1) {
      graph = connect_components(std::move(graph), options.components, {}, context);
    }
  }
  return run;
}

void note_graph(const Graph& graph, const std::vector<Index>& unique_inverse, bool has_points,
                RunReport& report, const Context& context) {
  auto& resolved = report.resolved;
  const std::size_t n_edges = graph.weights.n_entries() / 2;
  resolved["edges"] = static_cast<double>(n_edges);
  resolved["components"] = static_cast<double>(graph.n_components);
  if (graph.truncated_share > 0) {
    resolved["truncated_share"] = graph.truncated_share;
    const auto n = static_cast<double>(graph.n_points());
    context.warn(std::to_string(std::lround(graph.truncated_share * n)) + " of " +
                 std::to_string(graph.n_points()) +
                 " points have fewer neighbours than the kernel needs (use " +
                 (has_points ? "a larger `decay`)" : "a smaller `knn`, or give longer lists)"));
  }
  if (graph.n_components < 2) return;
  resolved["bridges"] = static_cast<double>(graph.bridges.size());
  // Pairs of rows in different components: their distances are not measured.
  std::vector<double> size(graph.n_components, 0);
  for (const Index point : unique_inverse) {
    ++size[static_cast<std::size_t>(graph.component[static_cast<std::size_t>(point)])];
  }
  const double n = static_cast<double>(unique_inverse.size());
  double within = 0;
  for (const double s : size) within += s * (s - 1);
  resolved["unmeasured_share"] = 1 - within / (n * (n - 1));
  context.warn("the graph has " + describe_components(graph) +
               (graph.bridges.empty() ? "; distances between them are not measured"
                                      : "; distances between them follow straight bridges") +
               " (a larger `knn` may connect them)");
}

DistanceRun make_graph(const Input& input, const MethodOptions& options, const Context& context) {
  DistanceRun run = !input.points().empty() ? graph_of_points(input.points(), options, context)
                    : !input.points32().empty()
                        ? graph_of_points(input.points32(), options, context)
                        : graph_of_given(input, options, context);
  run.report.resolved["graph"] = std::string(
      input.affinities() != nullptr ? "given affinities" : to_string(options.affinity.kind));
  note_graph(run.graph, run.unique_inverse, input.has_points(), run.report, context);
  return run;
}

}  // namespace

DistanceRun graph_of(const Input& input, const MethodOptions& options, const Context& context) {
  refuse_if_any(issues_with(options));
  return made_once<DistanceRun>(context, "graph", [&](const Context& listening) {
    return make_graph(input, options, listening);
  });
}

}  // namespace detail

DistanceRun shared_graph(const Input& input, const MethodOptions& options, const Context& context) {
  return detail::graph_of(input, options, context);
}

}  // namespace geotherm
