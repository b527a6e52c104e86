// Synthetic data sets with true geodesics.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "run_context.hpp"

namespace geotherm::python {
namespace {

nb::dict synth(const std::string& shape, std::size_t n, double noise,
               std::optional<std::size_t> dim, bool clustered, std::size_t branches, double width,
               std::size_t geodesic_limit, RunContext& run) {
  const auto found = shape_named(shape);
  if (!found) throw nb::value_error(("there is no shape named '" + shape + "'").c_str());
  const SynthOptions options = {.n = n,
                                .noise = noise,
                                .dim = dim,
                                .clustered = clustered,
                                .branches = branches,
                                .width = width,
                                .geodesic_limit = geodesic_limit};
  Dataset data =
      run.call([&](const Context& context) { return synthesize(*found, options, context); });
  nb::dict all;
  all["X"] = owned(std::move(data.X));
  all["geodesic"] = data.geodesic.empty() ? nb::none() : nb::cast(owned(std::move(data.geodesic)));
  all["coordinates"] = owned(std::move(data.coordinates));
  all["t"] = data.t.empty() ? nb::none() : nb::cast(owned(std::move(data.t)));
  all["label"] = data.label.empty() ? nb::none() : nb::cast(owned(std::move(data.label)));
  return all;
}

}  // namespace

void bind_datasets(nb::module_& m) {
  const SynthOptions usual;
  nb::dict defaults;
  defaults["n"] = usual.n;
  defaults["noise"] = usual.noise;
  defaults["branches"] = usual.branches;
  defaults["width"] = usual.width;
  defaults["geodesic_limit"] = usual.geodesic_limit;
  m.attr("default_synth") = defaults;
  m.def("synth", &synth, nb::arg("shape"), nb::arg("n"), nb::arg("noise"), nb::arg("dim").none(),
        nb::arg("clustered"), nb::arg("branches"), nb::arg("width"), nb::arg("geodesic_limit"),
        nb::arg("run"));
}

}  // namespace geotherm::python
