#include "fitted_heat.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "options.hpp"
#include "run_context.hpp"

namespace geotherm::python {
namespace {

template <class T>
std::vector<T> taken(const nb::handle& array, const std::string& what) {
  const auto view = vector_of<T>(nb::cast<AnyArray>(array), what);
  return {view.begin(), view.end()};
}

nb::dict to_dict(const HeatScale& scale) {
  nb::dict all;
  all["time"] = scale.time;
  all["weight"] = scale.weight;
  all["factor"] = owned(std::vector<double>(scale.factor));
  all["unit"] = owned(std::vector<double>(scale.unit));
  all["diagonal"] = owned(std::vector<double>(scale.diagonal));
  return all;
}

HeatScale scale_from(const nb::dict& all) {
  return {.time = nb::cast<double>(all["time"]),
          .weight = nb::cast<double>(all["weight"]),
          .factor = taken<double>(all["factor"], "factor"),
          .unit = taken<double>(all["unit"], "unit"),
          .diagonal = taken<double>(all["diagonal"], "diagonal")};
}

nb::dict to_dict(const LandmarkDistances& landmarks) {
  nb::dict all;
  const SparseMatrix& shares = landmarks.interpolation();
  all["interpolation"] = nb::make_tuple(
      owned(std::vector<std::int64_t>(shares.offsets.begin(), shares.offsets.end())),
      owned(std::vector<Index>(shares.indices)), owned(std::vector<double>(shares.values)));
  all["unit"] = landmarks.unit();
  all["squared"] = owned(Matrix<double>(landmarks.squared()));
  all["spread"] = owned(std::vector<double>(landmarks.spread()));
  return all;
}

LandmarkDistances landmarks_from(const nb::dict& all) {
  const auto csr = nb::cast<nb::tuple>(all["interpolation"]);
  const auto squared = matrix_of<double>(nb::cast<AnyArray>(all["squared"]), "squared");
  std::vector<double> spread = taken<double>(all["spread"], "spread");
  return {sparse_of(nb::cast<AnyArray>(csr[0]), nb::cast<AnyArray>(csr[1]),
                    nb::cast<AnyArray>(csr[2]), spread.size(), squared.rows),
          nb::cast<double>(all["unit"]), copied(squared), std::move(spread)};
}

std::vector<Bridge> bridges_from(const nb::tuple& all) {
  const auto from = taken<Index>(all[0], "from"), to = taken<Index>(all[1], "to");
  const auto length = taken<double>(all[2], "length");
  std::vector<Bridge> bridges;
  for (std::size_t b = 0; b < from.size(); ++b) bridges.push_back({from[b], to[b], length[b]});
  return bridges;
}

/// `weights` (indptr, indices, data), `lengths` and `unique_inverse` as the estimator has them.
DistanceRun run_from(const nb::dict& heat, const nb::tuple& weights, const nb::object& lengths,
                     const AnyArray& unique_inverse) {
  DistanceRun run;
  const auto inverse = vector_of<Index>(unique_inverse, "unique_inverse");
  run.unique_inverse.assign(inverse.begin(), inverse.end());
  if (!heat["landmarks"].is_none()) {
    run.landmarks = landmarks_from(nb::cast<nb::dict>(heat["landmarks"]));
    return run;
  }
  for (const nb::handle scale : nb::cast<nb::list>(heat["scales"])) {
    run.heat_scales.push_back(scale_from(nb::cast<nb::dict>(scale)));
  }
  Graph& graph = run.graph;
  graph.component = taken<Index>(heat["component"], "component");
  graph.n_components = nb::cast<std::size_t>(heat["n_components"]);
  graph.bridges = bridges_from(nb::cast<nb::tuple>(heat["bridges"]));
  const std::size_t n = graph.component.size();
  graph.weights = sparse_of(nb::cast<AnyArray>(weights[0]), nb::cast<AnyArray>(weights[1]),
                            nb::cast<AnyArray>(weights[2]), n, n);
  if (!lengths.is_none()) graph.lengths = taken<double>(lengths, "lengths");
  return run;
}

}  // namespace

nb::object fitted_heat(const Method& method, const DistanceRun& run) {
  if (method.by_landmarks != heat_geo_landmarks) return nb::none();
  const bool by_landmarks = run.landmarks.n_points() > 0;
  if (!by_landmarks && run.heat_scales.empty()) return nb::none();
  nb::dict all;
  all["landmarks"] = by_landmarks ? nb::object(to_dict(run.landmarks)) : nb::none();
  nb::list scales;
  for (const HeatScale& scale : run.heat_scales) scales.append(to_dict(scale));
  all["scales"] = scales;
  all["component"] = owned(std::vector<Index>(run.graph.component));
  all["n_components"] = run.graph.n_components;
  all["bridges"] = edge_arrays(run.graph.bridges, &Bridge::from, &Bridge::to, &Bridge::length);
  return all;
}

void bind_fitted_heat(nb::module_& m) {
  m.def(
      "fitted_distances_from",
      [](const nb::dict& heat, const nb::tuple& weights, const nb::object& lengths,
         const AnyArray& unique_inverse, const std::vector<Index>& rows, const nb::dict& options,
         RunContext& run) {
        const MethodOptions settings = method_options(options, method_named("heatgeo"));
        const DistanceRun fit = run_from(heat, weights, lengths, unique_inverse);
        return owned(run.call([&](const Context& context) {
          return heat_geo_distances_from(fit, rows, settings, context);
        }));
      },
      nb::arg("heat"), nb::arg("weights"), nb::arg("lengths").none(), nb::arg("unique_inverse"),
      nb::arg("rows"), nb::arg("options"), nb::arg("run"));
}

}  // namespace geotherm::python
