// The native part of the Python package: translations of the library's public functions, no
// numerics.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "fitted_heat.hpp"
#include "geotherm/geotherm.hpp"
#include "options.hpp"
#include "run_context.hpp"

namespace geotherm::python {
namespace {

/// InvalidArgument is a ValueError by birth (std::invalid_argument); these two need saying.
void bind_errors(nb::module_& m) {
  nb::exception<Stopped>(m, "Stopped", PyExc_RuntimeError).doc() =
      "A callback stopped a stage that has no usable partial result.";
  nb::exception<IoError>(m, "IoError", PyExc_OSError).doc() =
      "A file could not be read or written: names the path and the position in it.";
}

void bind_run(nb::module_& m) {
  nb::class_<RunContext>(m, "Run", "Threads, seed, progress, stopping and warnings of a call.")
      .def(
          "__init__",
          [](RunContext* run, std::uint64_t seed, std::size_t n_threads, nb::object on_progress) {
            if (n_threads > 1024) throw nb::value_error("n_threads is above 1024");
            new (run) RunContext(seed, n_threads, std::move(on_progress));
          },
          nb::arg("seed") = 0, nb::arg("n_threads") = 0, nb::arg("on_progress") = nb::none())
      .def("raise_pending", &RunContext::raise_pending,
           "Raise what stopped the last call, where it left a usable result.")
      .def_prop_ro("was_stopped", &RunContext::was_stopped)
      .def_prop_ro("n_threads", &RunContext::n_threads)
      .def_prop_ro("warnings", &RunContext::warnings);
}

}  // namespace
}  // namespace geotherm::python

NB_MODULE(_native, m) {
  using namespace geotherm::python;
  // A user's traceback may keep an object to the very end: nothing to be warned of then.
  nb::set_leak_warnings(false);
  m.doc() = "The library's public functions, as the package's Python part calls them.";
  m.attr("__version__") = geotherm::version();
  bind_errors(m);
  bind_run(m);
  m.def("default_options", &default_options, "Every flat keyword with the library's own default.");
  m.def("option_table", &option_table, "The options of the methods, one dictionary each.");
  m.def("method_table", &method_table, "The methods, one dictionary each.");
  bind_methods(m);
  bind_fitted_heat(m);
  bind_modules(m);
  bind_metrics(m);
  bind_datasets(m);
  bind_model(m);
  bind_methods_text(m);
  bind_page(m);
  bind_trajectory(m);
  bind_blocks(m);
}
