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
#include "translate.hpp"

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

/// (indptr, indices, data, n, unique_inverse, laplacian, time, lengths or None): what trust is
/// measured on.
DistanceRun run_of(const nb::tuple& parts, RunContext& run) {
  const auto n = nb::cast<std::size_t>(parts[3]);
  const SparseMatrix weights = sparse_of(nb::cast<AnyArray>(parts[0]), nb::cast<AnyArray>(parts[1]),
                                         nb::cast<AnyArray>(parts[2]), n, n);
  const auto places = nb::cast<AnyArray>(parts[4]);
  const auto inverse = vector_of<Index>(places, "unique_inverse");
  DistanceRun fine = run.call([&](const Context& context) {
    DistanceRun made;
    made.graph = graph_from_affinities(weights, context);
    return made;
  });
  fine.unique_inverse.assign(inverse.begin(), inverse.end());
  fine.kernel.time = nb::cast<double>(parts[6]);
  if (!parts[7].is_none()) {
    const auto array = nb::cast<AnyArray>(parts[7]);
    const auto lengths = vector_of<double>(array, "lengths");
    if (lengths.size() == fine.graph.weights.n_entries()) {
      fine.graph.lengths.assign(lengths.begin(), lengths.end());
    }
  }
  return fine;
}

std::string page(const std::string& title, const Panels& panels, const nb::list& columns,
                 std::vector<std::string> names, const std::string& color, const nb::object& graph,
                 const nb::object& entropy, const std::string& manifest, RunContext& run,
                 const nb::object& trajectory, const HeldInput* points) {
  PageData data{.title = title, .names = std::move(names), .color = color, .manifest = manifest};
  for (const auto& [name, array] : panels) {
    data.panels.push_back({name, matrix_of<double>(array, name)});
  }
  for (const nb::handle column : columns) data.columns.push_back(column_of(column));
  DistanceRun fine;
  Trust trust;
  if (!graph.is_none()) {
    const auto parts = nb::cast<nb::tuple>(graph);
    fine = run_of(parts, run);
    MethodOptions options;
    options.laplacian =
        laplacian_kind_named(nb::cast<std::string>(parts[5])).value_or(options.laplacian);
    std::vector<MatrixView<const double>> maps;
    for (const PagePanel& panel : data.panels) maps.push_back(panel.coordinates);
    trust = run.call([&](const Context& context) {
      return measure_trust(points == nullptr ? Input{} : points->input, fine, maps, options,
                           trust_options_for_page(fine.unique_inverse.size()), context);
    });
    data = with_trust(std::move(data), trust, fine, options.laplacian);
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
        nb::arg("run"), nb::arg("trajectory").none() = nb::none(),
        nb::arg("points").none() = nb::none());
}

}  // namespace geotherm::python
