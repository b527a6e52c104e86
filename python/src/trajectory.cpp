// Order, ends, branches, fates and trends along a graph.
#include "geotherm/trajectory.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "run_context.hpp"

namespace geotherm::python {
namespace {

nb::dict to_dict(const MilestoneNetwork& network) {
  nb::dict all;
  nb::list edges;
  for (const MilestoneEdge& edge : network.edges) {
    edges.append(nb::make_tuple(edge.from, edge.to, edge.length));
  }
  all["milestones"] = network.milestones;
  all["edges"] = edges;
  all["ends"] = network.ends;
  all["branchings"] = network.branchings;
  all["n_loops"] = network.n_loops;
  all["explained"] = network.explained;
  all["is_supported"] = network.is_supported;
  return all;
}

nb::dict trajectory_of(const Graph& graph, const AnyArray& roots,
                       const std::optional<std::vector<std::size_t>>& resolutions, double even_ends,
                       std::size_t bootstrap, double level, double min_branch, double min_explained,
                       double backward, RunContext& run) {
  const auto places = vector_of<Index>(roots, "roots");
  struct Found {
    Pseudotime order;
    MilestoneNetwork network;
    SparseMatrix walk;
    Matrix<double> fates;
  };
  Found found = run.call([&](const Context& context) {
    Found made;
    PseudotimeOptions order{.even_ends = even_ends, .bootstrap = bootstrap, .level = level};
    if (resolutions) order.resolutions = *resolutions;
    made.order = pseudotime(graph, places, order, context);
    made.network =
        milestone_network(graph, made.order, places.front(),
                          {.min_branch = min_branch, .min_explained = min_explained}, context);
    made.walk = directed_walk(graph, made.order.by_distance, {.backward = backward}, context);
    made.fates =
        fate_probabilities(made.walk, made.order.by_distance, cells_at_ends(made.network), context);
    return made;
  });
  nb::dict all = to_dict(found.network);
  all["pseudotime"] = owned(std::move(found.order.values));
  if (!found.order.low.empty()) {
    all["low"] = owned(std::move(found.order.low));
    all["high"] = owned(std::move(found.order.high));
  }
  all["edge_of"] = owned(std::move(found.network.edge_of));
  all["fraction"] = owned(std::move(found.network.fraction));
  all["fates"] = owned(std::move(found.fates));
  all["walk"] = owned(std::move(found.walk));
  return all;
}

nb::dict trends_of(const AnyArray& pseudotime, const std::optional<AnyArray>& weights,
                   const AnyArray& values, std::size_t n_splines, std::size_t n_points,
                   double width, RunContext& run) {
  const auto time = vector_of<double>(pseudotime, "pseudotime");
  const auto part = weights ? vector_of<double>(*weights, "weights") : std::span<const double>();
  const auto genes = matrix_of<double>(values, "values");
  Trends trends = run.call([&](const Context& context) {
    return fit_trends(time, part, genes,
                      {.n_splines = n_splines, .n_points = n_points, .width = width}, context);
  });
  nb::dict all;
  all["pseudotime"] = owned(std::move(trends.pseudotime));
  all["mean"] = owned(std::move(trends.mean));
  all["low"] = owned(std::move(trends.low));
  all["high"] = owned(std::move(trends.high));
  all["explained"] = owned(std::move(trends.explained));
  all["freedom"] = owned(std::move(trends.freedom));
  return all;
}

}  // namespace

void bind_trajectory(nb::module_& m) {
  m.def("trajectory", &trajectory_of, nb::arg("graph"), nb::arg("roots"),
        nb::arg("resolutions").none(), nb::arg("even_ends"), nb::arg("bootstrap"), nb::arg("level"),
        nb::arg("min_branch"), nb::arg("min_explained"), nb::arg("backward"), nb::arg("run"));
  m.def("trends", &trends_of, nb::arg("pseudotime"), nb::arg("weights").none(), nb::arg("values"),
        nb::arg("n_splines"), nb::arg("n_points"), nb::arg("width"), nb::arg("run"));
  m.def(
      "root_candidates",
      [](const Graph& graph, std::size_t n, RunContext& run) {
        return run.call([&](const Context& context) { return root_candidates(graph, n, context); });
      },
      nb::arg("graph"), nb::arg("n"), nb::arg("run"));
  m.def(
      "directed_walk",
      [](const Graph& graph, const AnyArray& pseudotime, double backward, RunContext& run) {
        const auto time = vector_of<double>(pseudotime, "pseudotime");
        return owned(run.call([&](const Context& context) {
          return directed_walk(graph, time, {.backward = backward}, context);
        }));
      },
      nb::arg("graph"), nb::arg("pseudotime"), nb::arg("backward"), nb::arg("run"));
  m.def(
      "group_flow",
      [](const Graph& graph, const AnyArray& groups, std::size_t n_groups) {
        return owned(group_flow(graph, vector_of<Index>(groups, "groups"), n_groups));
      },
      nb::arg("graph"), nb::arg("groups"), nb::arg("n_groups"));
}

}  // namespace geotherm::python
