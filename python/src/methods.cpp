// Methods: an input of any kind and flat options in, a dictionary of what was found out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "fitted_heat.hpp"
#include "options.hpp"
#include "run_context.hpp"
#include "translate.hpp"

namespace geotherm::python {
namespace {

HeldInput points_input(AnyArray points) {
  HeldInput held;
  if (holds<float>(points)) {
    held.input = matrix_of<float>(points, "X");
  } else {
    held.input = matrix_of<double>(points, "X");
  }
  held.array = std::move(points);
  return held;
}

/// A C-order table of float32 or float64 at an address in a GPU's memory.
HeldInput device_points_input(std::uintptr_t address, std::size_t rows, std::size_t cols,
                              bool is_single, nb::object owner) {
  HeldInput held;
  held.there = {reinterpret_cast<const void*>(address), is_single, rows, cols};
  held.owner = std::move(owner);
  return held;
}

/// By DLPack.
using DeviceArray = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cuda>;
HeldInput device_array_input(const DeviceArray& points, nb::object owner) {
  const bool is_single = points.dtype() == nb::dtype<float>();
  if (!is_single && points.dtype() != nb::dtype<double>()) {
    throw nb::type_error("a table on a GPU holds float32 or float64");
  }
  HeldInput held;
  held.there = {points.data(), is_single, points.shape(0), points.shape(1)};
  held.owner = std::move(owner);
  return held;
}

HeldInput distances_input(AnyArray distances) {
  HeldInput held;
  held.input = DistanceMatrix{matrix_of<double>(distances, "X")};
  held.array = std::move(distances);
  return held;
}

HeldInput sparse_input(const AnyArray& indptr, const AnyArray& indices, const AnyArray& data,
                       std::size_t n, bool are_affinities) {
  HeldInput held;
  held.sparse = std::make_unique<SparseMatrix>(sparse_of(indptr, indices, data, n, n));
  const SparseMatrix* matrix = held.sparse.get();
  held.input = are_affinities ? Input(Affinities{matrix}) : Input(SparseDistances{matrix});
  return held;
}

HeldInput neighbors_input(const AnyArray& indices, const AnyArray& distances, RunContext& run) {
  HeldInput held;
  const auto index_table = matrix_of<Index>(indices, "indices");
  const auto distance_table = matrix_of<double>(distances, "distances");
  held.lists = std::make_unique<NeighborLists>(run.call([&](const Context& context) {
    return neighbors_from_tables(index_table, distance_table, context);
  }));
  held.input = held.lists.get();
  return held;
}

const Method& method_of(const std::string& name) {
  const Method* method = method_named(name);
  if (method == nullptr) {
    throw nb::value_error(("there is no method named '" + name + "'").c_str());
  }
  return *method;
}

/// Spacing and neighbours where they are given; None: the library's own.
nb::dict refine(const HeldInput& input, const AnyArray& map, const nb::dict& options,
                std::optional<double> spacing, std::optional<std::size_t> n_neighbors,
                RunContext& run) {
  const auto view = matrix_of<double>(map, "embedding");
  MethodOptions settings = method_options(options);
  RefineOptions fine = settings.refine.value_or(RefineOptions{});
  fine.spacing = spacing.value_or(fine.spacing);
  fine.knn = n_neighbors.value_or(fine.knn);
  settings.refine = fine;
  EmbeddingRun found = run.call(
      [&](const Context& context) { return refine_map(input.input, view, settings, context); });
  nb::dict all;
  all["embedding"] = owned(std::move(found.embedding.coordinates));
  all["outcome"] = text(to_string(found.embedding.outcome));
  all["run"] = to_dict(std::move(found.distances));
  return all;
}

nb::dict embed(const std::string& method, const HeldInput& input, const nb::dict& options,
               RunContext& run, bool keep_dissimilarity, const std::optional<AnyArray>& start) {
  const Method& found = method_of(method);
  MethodOptions settings = method_options(options, &found);
  if (start) settings.start = {StartKind::map, copied(matrix_of<double>(*start, "init"))};
  settings.keep_neighbors = model_neighbors;
  const std::vector<std::string> idle = idle_options(found, options);
  std::optional<Model> model;
  double seconds = 0;  // in the library's public function alone
  EmbeddingRun result = run.call([&](const Context& context) {
    for (const std::string& warning : idle) context.warn(warning);
    const auto began = std::chrono::steady_clock::now();
    std::optional<RowsFromDevice> rows;
    if (input.there.data != nullptr) {
      const DeviceContext on = on_device(DeviceKind::cuda, context);
      rows = rows_from_device(input.there, found, settings, on.context);
    }
    const Input given = rows ? rows->input() : input.input;
    EmbeddingRun made = found.embed(given, settings, context);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    model = make_model(found.name, given, settings, made, context);
    if (rows) {
      model = rows->finished(std::move(*model), made.distances.unique_inverse);
      rows->note(made.distances.report);
    }
    if (!keep_dissimilarity) made.distances.dissimilarity.values = {};
    made.distances.heat = {};
    made.distances.neighbors = {};
    return made;
  });
  const nb::object heat = fitted_heat(found, result.distances);
  nb::dict all = to_dict(std::move(result.distances));
  all["heat"] = heat;
  all["model"] = model ? nb::cast(HeldModel(std::move(*model))) : nb::none();
  all["embedding"] = owned(std::move(result.embedding.coordinates));
  all["seconds"] = seconds;
  all["outcome"] = text(to_string(result.embedding.outcome));
  all["iterations"] = result.embedding.iterations;
  all["stress"] = result.embedding.stress;
  all["stress_history"] = owned(std::move(result.embedding.stress_history));
  return all;
}

nb::dict distances(const std::string& method, const HeldInput& input, const nb::dict& options,
                   RunContext& run) {
  const Method& found = method_of(method);
  if (found.distances == nullptr) {
    throw nb::value_error(("method '" + method + "' has no distances of its own").c_str());
  }
  const MethodOptions settings = method_options(options, &found);
  return to_dict(run.call(
      [&](const Context& context) { return found.distances(input.input, settings, context); }));
}

}  // namespace

nb::dict to_dict(DistanceRun&& run) {
  nb::dict all;
  nb::dict resolved;
  for (const auto& [name, value] : run.report.resolved) {
    std::visit([&](const auto& v) { resolved[name.c_str()] = v; }, value);
  }
  all["resolved"] = resolved;
  nb::dict timings;
  for (const auto& [stage, seconds] : run.report.timings_s) timings[stage.c_str()] = seconds;
  all["timings_s"] = timings;

  all["unique_inverse"] = owned(std::move(run.unique_inverse));
  all["graph"] = run.graph.n_points() > 0 ? nb::object(to_dict(std::move(run.graph))) : nb::none();
  if (!run.dissimilarity.values.empty()) {
    all["dissimilarity"] = owned(std::move(run.dissimilarity.values));
  }
  if (!run.rows.empty()) all["rows"] = owned(std::move(run.rows));
  all["length_scale"] = run.length_scale;
  all["unresolved_share"] = run.dissimilarity.unresolved_share;
  all["unresolved_treatment"] = run.dissimilarity.unresolved_treatment;
  if (run.time_choice.how.empty()) {
    all["time_choice"] = nb::none();
  } else {
    nb::dict choice;
    choice["time"] = run.time_choice.time;
    choice["times"] = owned(std::move(run.time_choice.times));
    choice["entropies"] = owned(std::move(run.time_choice.entropies));
    choice["how"] = run.time_choice.how;
    all["time_choice"] = choice;
  }
  all["shortcuts_removed"] =
      edge_arrays(run.shortcuts.removed, &Edge::from, &Edge::to, &Edge::length);
  return all;
}

nb::dict to_dict(Graph&& graph) {
  nb::dict all;
  all["n_points"] = graph.n_points();
  all["lengths"] = owned(std::move(graph.lengths));
  all["component"] = owned(std::move(graph.component));
  all["n_components"] = graph.n_components;
  nb::list bridges;
  for (const Bridge& b : graph.bridges) bridges.append(nb::make_tuple(b.from, b.to, b.length));
  all["bridges"] = bridges;
  all["weights"] = owned(std::move(graph.weights));
  return all;
}

void bind_methods(nb::module_& m) {
  nb::class_<HeldInput>(m, "Input", "Input instead of points; keeps the arrays it views alive.")
      .def_prop_ro("n_points", &HeldInput::n_points);
  m.def("points_input", &points_input, nb::arg("X"));
  m.def("device_points_input", &device_points_input, nb::arg("address"), nb::arg("rows"),
        nb::arg("cols"), nb::arg("is_single"), nb::arg("owner"));
  m.def("device_array_input", &device_array_input, nb::arg("X"), nb::arg("owner"));
  m.def("has_cuda_device", [] { return cuda_device().has_value(); });
  m.def("distances_input", &distances_input, nb::arg("X"));
  m.def("sparse_input", &sparse_input, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"),
        nb::arg("n"), nb::arg("are_affinities"));
  m.def("neighbors_input", &neighbors_input, nb::arg("indices"), nb::arg("distances"),
        nb::arg("run"));
  m.def("embed", &embed, nb::arg("method"), nb::arg("input"), nb::arg("options"), nb::arg("run"),
        nb::arg("keep_dissimilarity") = false, nb::arg("start") = nb::none());
  m.def("refine", &refine, nb::arg("input"), nb::arg("embedding"), nb::arg("options"),
        nb::arg("spacing") = nb::none(), nb::arg("n_neighbors") = nb::none(), nb::arg("run"));
  m.def("distances", &distances, nb::arg("method"), nb::arg("input"), nb::arg("options"),
        nb::arg("run"));
  m.def(
      "heat_distances_from",
      [](const HeldInput& input, const std::vector<Index>& rows, const nb::dict& options,
         RunContext& run) {
        const MethodOptions settings = method_options(options, method_named("heatgeo"));
        return to_dict(run.call([&](const Context& context) {
          return heat_geo_distances_from(input.input, rows, settings, context);
        }));
      },
      nb::arg("input"), nb::arg("rows"), nb::arg("options"), nb::arg("run"));
  m.def(
      "graph_of",
      [](const HeldInput& input, const nb::dict& options, RunContext& run, bool of_heatgeo) {
        MethodOptions settings = method_options(options, method_named("heatgeo"));
        if (of_heatgeo) settings = with_heat_geo_choices(settings, input.input.n_points());
        return to_dict(run.call([&](const Context& context) {
          DistanceRun made = shared_graph(input.input, settings, context);
          if (settings.rates == Rates::lengths && made.graph.has_lengths()) {
            made.graph = with_length_rates(std::move(made.graph), context);
          }
          return made;
        }));
      },
      nb::arg("input"), nb::arg("options"), nb::arg("run"), nb::arg("of_heatgeo") = false);
  m.def(
      "sparse_pca",
      [](const AnyArray& indptr, const AnyArray& indices, const AnyArray& data, std::size_t rows,
         std::size_t cols, std::size_t rank, RunContext& run) {
        const SparseMatrix table = sparse_of(indptr, indices, data, rows, cols);
        Pca found =
            run.call([&](const Context& context) { return pca(table, {.rank = rank}, context); });
        return nb::make_tuple(owned(std::move(found.scores)), owned(std::move(found.components)),
                              owned(std::move(found.mean)),
                              owned(std::move(found.singular_values)));
      },
      nb::arg("indptr"), nb::arg("indices"), nb::arg("data"), nb::arg("rows"), nb::arg("cols"),
      nb::arg("rank"), nb::arg("run"));
}

}  // namespace geotherm::python
