// Models: places for new points, kept in the documented file.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "geotherm/spelling.hpp"
#include "run_context.hpp"
#include "translate.hpp"

namespace geotherm::python {
namespace {

template <class T>
Matrix<double> placed(const Placer& placer, MatrixView<const T> rows, const Context& context) {
  Placement result = placer.place_and_measure(rows, context);
  if (const std::string words = remoteness_in_words(result.remoteness); !words.empty()) {
    context.warn(words);
  }
  return std::move(result.coordinates);
}

}  // namespace

HeldModel::HeldModel(Model made) : model(std::make_unique<Model>(std::move(made))) {}

Matrix<double> HeldModel::place(const AnyArray& rows, RunContext& run) {
  // The index of the training points is made when the first new point comes.
  if (!placer) {
    placer = run.call([&](const Context&) { return std::make_unique<Placer>(*model); });
  }
  if (holds<float>(rows)) {
    const auto view = matrix_of<float>(rows, "X");
    return run.call([&](const Context& context) { return placed(*placer, view, context); });
  }
  const auto view = matrix_of<double>(rows, "X");
  return run.call([&](const Context& context) { return placed(*placer, view, context); });
}

void bind_model(nb::module_& m) {
  nb::class_<HeldModel>(m, "Model", "All that is needed to place a new point.")
      .def(
          "place",
          [](HeldModel& held, const AnyArray& rows, RunContext& run) {
            return owned(held.place(rows, run));
          },
          nb::arg("X"), nb::arg("run"))
      .def(
          "save",
          [](const HeldModel& held, const std::string& path) {
            nb::gil_scoped_release released;
            save_model(path, *held.model);
          },
          nb::arg("path"))
      .def_prop_ro("method", [](const HeldModel& held) { return held.model->method; })
      .def_prop_ro("n_columns",
                   [](const HeldModel& held) { return held.model->preparation.n_columns; })
      .def_prop_rw(
          "column_names", [](const HeldModel& held) { return held.model->column_names; },
          [](HeldModel& held, const std::vector<std::string>& names) {
            held.model->column_names = names;
          })
      .def("coordinates",
           [](const HeldModel& held) {
             Matrix<double> copy = held.model->coordinates;
             return owned(std::move(copy));
           })
      .def_prop_rw(
          "description", [](const HeldModel& held) { return held.model->description; },
          [](HeldModel& held, const std::string& words) { held.model->description = words; });
  m.def(
      "did_you_mean",
      [](const std::string& word, const std::vector<std::string>& names) {
        return did_you_mean(word, names);
      },
      nb::arg("word"), nb::arg("names"));
  m.def(
      "load_model",
      [](const std::string& path) {
        nb::gil_scoped_release released;
        return HeldModel(load_model(path));
      },
      nb::arg("path"));
}

}  // namespace geotherm::python
