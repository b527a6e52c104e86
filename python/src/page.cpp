// The interactive page: maps, columns and graph in, one HTML file as text out.
#include "geotherm/page.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "geotherm/trust.hpp"
#include "run_context.hpp"

namespace geotherm::python {
namespace {

/// (name, array) a map.
using Panels = std::vector<std::pair<std::string, AnyArray>>;

/// Columns are (name, numbers) or (name, texts).
PageColumn column_of(nb::handle given) {
  const auto pair = nb::cast<nb::tuple>(given);
  PageColumn column{.name = nb::cast<std::string>(pair[0])};
  if (nb::isinstance<nb::list>(pair[1])) {
    column.texts = nb::cast<std::vector<std::string>>(pair[1]);
  } else {
    const auto array = nb::cast<AnyArray>(pair[1]);
    const auto values = vector_of<double>(array, column.name);
    column.numbers.assign(values.begin(), values.end());
  }
  return column;
}

/// (pseudotime, columns, milestones, edges, ends, edge_of, fraction)
PageTrajectory trajectory_of(const nb::object& given) {
  const auto parts = nb::cast<nb::tuple>(given);
  const auto edges = nb::cast<AnyArray>(parts[5]), fractions = nb::cast<AnyArray>(parts[6]);
  const auto edge_of = vector_of<Index>(edges, "edge_of");
  const auto fraction = vector_of<double>(fractions, "fraction");
  return {.pseudotime = nb::cast<std::string>(parts[0]),
          .columns = nb::cast<std::vector<std::string>>(parts[1]),
          .milestones = nb::cast<std::vector<std::string>>(parts[2]),
          .edges = nb::cast<std::vector<std::pair<Index, Index>>>(parts[3]),
          .ends = nb::cast<std::vector<Index>>(parts[4]),
          .edge_of = {edge_of.begin(), edge_of.end()},
          .fraction = {fraction.begin(), fraction.end()}};
}

/// Landmarks in place of a graph that is too large for a page.
DistanceRun landmarks_of(const SparseMatrix& weights, std::span<const Index> unique_inverse,
                         const std::string& laplacian, RunContext& run) {
  MethodOptions options;
  options.laplacian = laplacian_kind_named(laplacian).value_or(options.laplacian);
  return run.call([&](const Context& context) {
    DistanceRun fine;
    fine.graph = graph_from_affinities(weights, context);
    fine.unique_inverse.assign(unique_inverse.begin(), unique_inverse.end());
    return landmark_heat_graph(fine, TrustOptions{}.n_landmarks, options, context);
  });
}

std::string page(const std::string& title, const Panels& panels, const nb::list& columns,
                 std::vector<std::string> names, const std::string& color, const nb::object& graph,
                 const nb::object& entropy, const std::string& manifest, RunContext& run,
                 const nb::object& trajectory) {
  PageData data{.title = title, .names = std::move(names), .color = color, .manifest = manifest};
  for (const auto& [name, array] : panels) {
    data.panels.push_back({name, matrix_of<double>(array, name)});
  }
  for (const nb::handle column : columns) data.columns.push_back(column_of(column));
  SparseMatrix weights;
  AnyArray places;
  DistanceRun coarse;
  if (!graph.is_none()) {
    // (indptr, indices, data, n, unique_inverse, laplacian, time)
    const auto parts = nb::cast<nb::tuple>(graph);
    const auto n = nb::cast<std::size_t>(parts[3]);
    weights = sparse_of(nb::cast<AnyArray>(parts[0]), nb::cast<AnyArray>(parts[1]),
                        nb::cast<AnyArray>(parts[2]), n, n);
    places = nb::cast<AnyArray>(parts[4]);
    data.graph = PageGraph{.weights = &weights,
                           .unique_inverse = vector_of<Index>(places, "unique_inverse"),
                           .laplacian = nb::cast<std::string>(parts[5]),
                           .time = nb::cast<double>(parts[6])};
    if (n > kMostHeatRows) {
      coarse = landmarks_of(weights, data.graph->unique_inverse, data.graph->laplacian, run);
      data.graph->weights = &coarse.graph.weights;
      data.graph->unique_inverse = coarse.unique_inverse;
      data.graph->has_landmarks = true;
      data.graph->time = coarse.kernel.time;
      data.graph->length_scale = coarse.length_scale;
    }
  }
  if (!entropy.is_none()) {
    const auto parts = nb::cast<nb::tuple>(entropy);
    const auto times = nb::cast<AnyArray>(parts[0]), values = nb::cast<AnyArray>(parts[1]);
    const auto t = vector_of<double>(times, "times"), v = vector_of<double>(values, "entropies");
    data.entropy = PageCurve{.times = {t.begin(), t.end()},
                             .values = {v.begin(), v.end()},
                             .chosen = nb::cast<double>(parts[2]),
                             .how = nb::cast<std::string>(parts[3])};
  }
  if (!trajectory.is_none()) data.trajectory = trajectory_of(trajectory);
  return run.call([&](const Context& context) { return html_page(data, {}, context); });
}

}  // namespace

void bind_page(nb::module_& m) {
  m.def("has_page", &has_page);
  m.def("page", &page, nb::arg("title"), nb::arg("panels"), nb::arg("columns"), nb::arg("names"),
        nb::arg("color"), nb::arg("graph").none(), nb::arg("entropy").none(), nb::arg("manifest"),
        nb::arg("run"), nb::arg("trajectory").none() = nb::none());
}

}  // namespace geotherm::python
