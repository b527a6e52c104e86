// The modules one by one, to be composed by hand: graph -> kernel -> distances -> map.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "run_context.hpp"

namespace geotherm::python {
namespace {

/// Lengths of the graph's edges from those of the entries of `given`: one for each stored entry, or
/// for each off the diagonal. An edge that is stored one way has that length both ways.
std::vector<double> edge_lengths(const Graph& graph, const SparseMatrix& given,
                                 std::span<const double> lengths) {
  const auto is_loop = [&](std::size_t i, std::size_t k) {
    return static_cast<std::size_t>(given.indices[k]) == i;
  };
  std::size_t n_loops = 0;
  for (std::size_t i = 0; i < given.rows; ++i) {
    for (std::size_t k = given.offsets[i]; k < given.offsets[i + 1]; ++k) n_loops += is_loop(i, k);
  }
  const bool has_loops = lengths.size() == given.n_entries();
  if (!has_loops && lengths.size() + n_loops != given.n_entries()) {
    throw nb::value_error("lengths do not belong to these weights: give one for each stored edge");
  }
  const SparseMatrix& w = graph.weights;
  std::vector<double> result(w.n_entries(), std::numeric_limits<double>::quiet_NaN());
  const auto put = [&](std::size_t i, std::size_t j, double length) {
    const std::size_t at = w.find(i, static_cast<Index>(j));
    if (at == w.n_entries()) return;  // an edge of weight 0
    if (!std::isnan(result[at]) && result[at] != length) {
      throw nb::value_error(("lengths differ between " + std::to_string(i) + " and " +
                             std::to_string(j) + ": give a symmetric matrix")
                                .c_str());
    }
    result[at] = length;
  };
  std::size_t next = 0;
  for (std::size_t i = 0; i < given.rows; ++i) {
    for (std::size_t k = given.offsets[i]; k < given.offsets[i + 1]; ++k) {
      if (is_loop(i, k)) {
        next += has_loops;
        continue;
      }
      const double length = lengths[next++];
      if (!(length >= 0) || std::isinf(length)) {
        throw nb::value_error("lengths hold a number that is negative or not finite");
      }
      const auto j = static_cast<std::size_t>(given.indices[k]);
      put(i, j, length);
      put(j, i, length);
    }
  }
  return result;
}

Graph graph_from(const AnyArray& indptr, const AnyArray& indices, const AnyArray& data,
                 std::size_t n, const std::optional<AnyArray>& lengths, RunContext& run) {
  SparseMatrix weights = sparse_of(indptr, indices, data, n, n);
  Graph graph =
      run.call([&](const Context& context) { return graph_from_affinities(weights, context); });
  if (!lengths) return graph;
  const auto given = vector_of<double>(*lengths, "lengths");
  graph.lengths = edge_lengths(graph, weights, {given.data(), given.size()});
  return graph;
}

/// exp(-tL) with the Laplacian it is of.
struct HeldKernel {
  std::unique_ptr<DiffusionKernel> kernel;
  TimeChoice choice;
};

HeldKernel make_kernel(const Graph& graph, const nb::dict& options, RunContext& run) {
  const MethodOptions settings = method_options(options);
  return run.call([&](const Context& context) {
    HeldKernel held;
    const Laplacian laplacian = build_laplacian(graph, settings.laplacian, context);
    HeatKernelOptions heat = settings.heat;
    if (settings.time_choice) {
      held.choice = choose_time(laplacian, *settings.time_choice, context);
      heat.time = held.choice.time;
    }
    held.kernel = heat_kernel(laplacian, heat, context);
    return held;
  });
}

HeldKernel make_walk(const Graph& graph, int steps, RunContext& run) {
  return run.call([&](const Context& context) {
    HeldKernel held;
    if (steps == 0) held.choice = choose_walk_steps(graph, {}, context);
    const int taken = steps == 0 ? static_cast<int>(held.choice.time) : steps;
    held.kernel = walk_power(random_walk(graph), taken, context);
    return held;
  });
}

nb::dict report_of(const HeldKernel& held) {
  const KernelReport& report = held.kernel->report();
  nb::dict all;
  all["method"] = text(to_string(report.method));
  all["time"] = report.time;
  all["order"] = report.order;
  all["squarings"] = report.squarings;
  all["resolution"] = report.resolution;
  if (!held.choice.how.empty()) all["time_choice"] = held.choice.how;
  return all;
}

/// Points named by number; the library checks them where it says so, and here where it does not.
std::span<const Index> places_of(const AnyArray& points, std::size_t n) {
  const auto places = vector_of<Index>(points, "points");
  for (const Index place : places) {
    if (place >= 0 && static_cast<std::size_t>(place) < n) continue;
    throw nb::index_error(("point " + std::to_string(place) + " does not exist: there are " +
                           std::to_string(n) + ", counted from 0")
                              .c_str());
  }
  return places;
}

void bind_kernel(nb::module_& m) {
  nb::class_<HeldKernel>(m, "Kernel", "A diffusion kernel, known by what it does to vectors.")
      .def_prop_ro("size", [](const HeldKernel& held) { return held.kernel->size(); })
      .def_prop_ro("report", &report_of)
      .def(
          "apply",
          [](const HeldKernel& held, const AnyArray& block, RunContext& run) {
            const auto view = matrix_of<double>(block, "block");
            if (view.rows != held.kernel->size()) {
              throw nb::value_error(("block has " + std::to_string(view.rows) +
                                     " rows but the kernel is of " +
                                     std::to_string(held.kernel->size()) + " points")
                                        .c_str());
            }
            return owned(run.call(
                [&](const Context& context) { return held.kernel->apply(view, context); }));
          },
          nb::arg("block"), nb::arg("run"))
      .def(
          "rows",
          [](const HeldKernel& held, const AnyArray& points, RunContext& run) {
            const auto places = places_of(points, held.kernel->size());
            return owned(run.call(
                [&](const Context& context) { return held.kernel->rows(places, context); }));
          },
          nb::arg("points"), nb::arg("run"))
      .def(
          "diagonal",
          [](const HeldKernel& held, RunContext& run) {
            return owned(
                run.call([&](const Context& context) { return held.kernel->diagonal(context); }));
          },
          nb::arg("run"))
      .def(
          "dense",
          [](const HeldKernel& held, RunContext& run) {
            return owned(
                run.call([&](const Context& context) { return held.kernel->dense(context); }));
          },
          nb::arg("run"));
  m.def("heat_kernel", &make_kernel, nb::arg("graph"), nb::arg("options"), nb::arg("run"));
  m.def("walk_power", &make_walk, nb::arg("graph"), nb::arg("steps"), nb::arg("run"));
}

void bind_distances(nb::module_& m) {
  m.def(
      "heat_geodesic",
      [](const HeldKernel& held, const nb::dict& options, RunContext& run) {
        const MethodOptions settings = method_options(options);
        Dissimilarity found = run.call([&](const Context& context) {
          return heat_geodesic(*held.kernel, settings.dissimilarity, context);
        });
        return nb::make_tuple(owned(std::move(found.values)), found.unresolved_share,
                              found.unresolved_treatment);
      },
      nb::arg("kernel"), nb::arg("options"), nb::arg("run"));
  m.def(
      "heat_geodesic_from",
      [](const HeldKernel& held, const AnyArray& points, const nb::dict& options, RunContext& run) {
        const auto places = places_of(points, held.kernel->size());
        const MethodOptions settings = method_options(options);
        return owned(run.call([&](const Context& context) {
          return heat_geodesic_from(*held.kernel, places, settings.dissimilarity, context);
        }));
      },
      nb::arg("kernel"), nb::arg("points"), nb::arg("options"), nb::arg("run"));
  m.def(
      "potential_distance",
      [](const HeldKernel& held, double offset, RunContext& run) {
        return owned(run.call([&](const Context& context) {
          return potential_distance(*held.kernel, {.offset = offset}, context).values;
        }));
      },
      nb::arg("kernel"), nb::arg("offset") = PotentialOptions{}.offset, nb::arg("run"));
  m.def(
      "shortest_paths",
      [](const Graph& graph, const AnyArray& points, RunContext& run) {
        const auto places = places_of(points, graph.n_points());
        return owned(run.call(
            [&](const Context& context) { return shortest_paths(graph, places, context); }));
      },
      nb::arg("graph"), nb::arg("points"), nb::arg("run"));
}

void bind_maps(nb::module_& m) {
  m.def(
      "mds",
      [](const AnyArray& distances, const nb::dict& options, RunContext& run) {
        const auto view = matrix_of<double>(distances, "distances");
        const MethodOptions settings = method_options(options);
        Embedding found =
            run.call([&](const Context& context) { return mds(view, settings.mds, {}, context); });
        nb::dict all;
        all["embedding"] = owned(std::move(found.coordinates));
        all["outcome"] = text(to_string(found.outcome));
        all["iterations"] = found.iterations;
        all["stress"] = found.stress;
        all["stress_history"] = owned(std::move(found.stress_history));
        return all;
      },
      nb::arg("distances"), nb::arg("options"), nb::arg("run"));
  m.def(
      "pca",
      [](const AnyArray& points, std::optional<std::size_t> rank, RunContext& run) {
        const auto view = matrix_of<double>(points, "X");
        Pca found =
            run.call([&](const Context& context) { return pca(view, {.rank = rank}, context); });
        return nb::make_tuple(owned(std::move(found.scores)), owned(std::move(found.components)),
                              owned(std::move(found.mean)), found.choice);
      },
      nb::arg("X"), nb::arg("rank") = nb::none(), nb::arg("run"));
}

}  // namespace

void bind_modules(nb::module_& m) {
  nb::class_<Graph>(m, "Graph", "Symmetric affinities with edge lengths where they are known.")
      .def_prop_ro("n_points", &Graph::n_points);
  m.def("graph_from", &graph_from, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"),
        nb::arg("n"), nb::arg("lengths") = nb::none(), nb::arg("run"));
  bind_kernel(m);
  bind_distances(m);
  bind_maps(m);
}

}  // namespace geotherm::python
