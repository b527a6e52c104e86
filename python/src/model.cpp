// Models: places for new points, kept in the documented file.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "geotherm/points.hpp"
#include "geotherm/spelling.hpp"
#include "options.hpp"
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

/// New rows of any kind: a dense array, or (indptr, indices, data, rows, columns) of a sparse one.
Placement placed_as(HeldModel& held, const std::string& given_as, const nb::object& rows,
                    RunContext& run) {
  Placer& placer = held.placer_of(run);
  if (nb::isinstance<nb::tuple>(rows)) {
    const auto parts = nb::cast<nb::tuple>(rows);
    const SparseMatrix sparse = sparse_of(
        nb::cast<AnyArray>(parts[0]), nb::cast<AnyArray>(parts[1]), nb::cast<AnyArray>(parts[2]),
        nb::cast<std::size_t>(parts[3]), nb::cast<std::size_t>(parts[4]));
    const bool are_affinities = given_as == "affinities";
    return run.call([&](const Context& context) {
      return are_affinities ? placer.place_by_affinities(sparse, context)
                            : placer.place_by_distances(sparse, context);
    });
  }
  const auto array = nb::cast<AnyArray>(rows);
  if (given_as == "distances") {
    const auto view = matrix_of<double>(array, "distances");
    return run.call(
        [&](const Context& context) { return placer.place_by_distances(view, context); });
  }
  if (holds<float>(array)) {
    const auto view = matrix_of<float>(array, "X");
    return run.call(
        [&](const Context& context) { return placer.place_and_measure(view, context); });
  }
  const auto view = matrix_of<double>(array, "X");
  return run.call([&](const Context& context) { return placer.place_and_measure(view, context); });
}

/// Places, novelty and, with the labels of the training rows, what the neighbours say.
nb::dict query(HeldModel& held, const std::string& given_as, const nb::object& rows,
               const std::optional<std::vector<std::string>>& labels, RunContext& run) {
  Placement placed = placed_as(held, given_as, rows, run);
  nb::dict all;
  if (labels) {
    const UniqueRowLabels of_places = unique_row_labels(*held.model, "labels", *labels);
    const LabelTransfer found = run.call([&](const Context&) {
      return transfer_labels(*held.model, of_places, fit_label_rule(*held.model, of_places),
                             placed);
    });
    nb::list names;
    for (const Index code : found.codes) {
      names.append(code < 0 ? nb::object(nb::none())
                            : nb::object(text(of_places.names[static_cast<std::size_t>(code)])));
    }
    all["label"] = names;
    std::vector<double> probabilities = found.probabilities;
    all["probability"] = owned(std::move(probabilities));
  }
  if (placed.novelty.empty()) {
    all["novelty"] = nb::none();
  } else {
    all["novelty"] = owned(std::move(placed.novelty));
  }
  all["embedding"] = owned(std::move(placed.coordinates));
  return all;
}

/// The model with further rows, held near its old map.
nb::dict grow(HeldModel& held, const AnyArray& rows, double hold, const nb::dict& options,
              RunContext& run) {
  const Method* method = method_named(held.model->method);
  const MethodOptions settings = method_options(options, method);
  GrownModel grown = [&] {
    if (holds<float>(rows)) {
      const auto view = matrix_of<float>(rows, "X");
      return run.call(
          [&](const Context& context) { return grow_model(*held.model, view, context); });
    }
    const auto view = matrix_of<double>(rows, "X");
    return run.call([&](const Context& context) { return grow_model(*held.model, view, context); });
  }();
  Model& all = grown.model;
  const std::size_t n_old = held.model->n_unique();
  if (!(hold >= 0 && hold <= 1)) throw nb::value_error("hold: give a number from 0 to 1");
  if (hold < 1) {
    run.call([&](const Context& context) {
      return lay_out_again(all, n_old, hold, settings, context);
    });
  }
  const Movement moved = movement_between(
      held.model->coordinates.view(),
      {all.coordinates.data(), n_old, all.coordinates.cols(), all.coordinates.cols()});
  std::vector<Index> places = all.unique_inverse;
  if (places.empty()) {
    for (std::size_t i = 0; i < all.n_unique(); ++i) places.push_back(static_cast<Index>(i));
  }
  Matrix<double> map(places.size(), all.coordinates.cols());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto row = all.coordinates.row(static_cast<std::size_t>(places[i]));
    std::copy(row.begin(), row.end(), map.row(i).begin());
  }
  nb::dict movement;
  movement["mean"] = moved.mean;
  movement["median"] = moved.median;
  movement["largest"] = moved.largest;
  nb::dict result;
  result["movement"] = movement;
  result["novelty"] = owned(std::move(grown.novelty));
  result["embedding"] = owned(std::move(map));
  result["unique_inverse"] = owned(std::move(places));
  result["model"] = nb::cast(HeldModel(std::move(all)));
  return result;
}

/// The points that neighbours are found among, one row for each training row; none for maps
/// without.
nb::object points_of(const HeldModel& held) {
  const Model& model = *held.model;
  return std::visit(
      [&](const auto& places) -> nb::object {
        if (places.empty()) return nb::none();
        std::decay_t<decltype(places)> rows(model.n_rows(), places.cols());
        for (std::size_t i = 0; i < model.n_rows(); ++i) {
          const auto place =
              model.unique_inverse.empty() ? i : static_cast<std::size_t>(model.unique_inverse[i]);
          std::ranges::copy(places.row(place), rows.row(i).begin());
        }
        HeldInput made;
        made.input = std::as_const(rows).view();
        made.points = std::move(rows);  // the numbers stay where they are
        return nb::cast(std::move(made));
      },
      model.points);
}

/// A model of a map that was made before, by whatever program.
HeldModel model_from_map(const std::string& method, const AnyArray& points, const AnyArray& map,
                         const nb::dict& options, RunContext& run) {
  const MethodOptions settings = method_options(options, method_named(method));
  const auto places = matrix_of<double>(map, "embedding");
  const auto view = matrix_of<double>(points, "X");
  if (places.rows != view.rows) {
    throw nb::value_error(
        "the map and X have different numbers of rows: give both of the same cells");
  }
  return HeldModel(run.call([&](const Context& context) {
    EmbeddingRun made;
    made.distances.unique_inverse = find_unique_rows(view).unique_inverse;
    made.embedding.coordinates = Matrix<double>(places.rows, places.cols);
    for (std::size_t i = 0; i < places.rows; ++i) {
      std::copy(places.row(i).begin(), places.row(i).end(),
                made.embedding.coordinates.row(i).begin());
    }
    return make_model(method, Input(view), settings, made, context);
  }));
}

}  // namespace

Placer& HeldModel::placer_of(RunContext& run) {
  // The index of the training points is made when the first new point comes.
  if (!placer) {
    placer = run.call([&](const Context&) { return std::make_unique<Placer>(*model); });
  }
  return *placer;
}

HeldModel::HeldModel(Model made) : model(std::make_unique<Model>(std::move(made))) {}

Matrix<double> HeldModel::place(const AnyArray& rows, RunContext& run) {
  placer_of(run);
  if (holds<float>(rows)) {
    const auto view = matrix_of<float>(rows, "X");
    return run.call([&](const Context& context) { return placed(*placer, view, context); });
  }
  const auto view = matrix_of<double>(rows, "X");
  return run.call([&](const Context& context) { return placed(*placer, view, context); });
}

void bind_model(nb::module_& m) {
  nb::class_<HeldModel>(m, "Model", "All that is needed to place a new point.")
      .def("points", &points_of)
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
      .def("query", &query, nb::arg("given_as"), nb::arg("rows"), nb::arg("labels") = nb::none(),
           nb::arg("run"))
      .def("grow", &grow, nb::arg("X"), nb::arg("hold"), nb::arg("options"), nb::arg("run"))
      .def_prop_ro("n_rows", [](const HeldModel& held) { return held.model->n_rows(); })
      .def_prop_ro("input",
                   [](const HeldModel& held) { return text(to_string(held.model->input)); })
      .def_prop_ro("method", [](const HeldModel& held) { return held.model->method; })
      .def_prop_ro("n_columns",
                   [](const HeldModel& held) { return held.model->preparation.n_columns; })
      .def_prop_rw(
          "column_names", [](const HeldModel& held) { return held.model->column_names; },
          [](HeldModel& held, const std::vector<std::string>& names) {
            held.model->column_names = names;
          })
      .def_prop_rw(
          "row_names", [](const HeldModel& held) { return held.model->row_names; },
          [](HeldModel& held, const std::vector<std::string>& names) {
            // After an update the names of the rows that were added are unknown.
            const bool fits = names.size() == held.model->n_rows();
            held.model->row_names = fits ? names : std::vector<std::string>();
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
  m.def("model_from_map", &model_from_map, nb::arg("method"), nb::arg("X"), nb::arg("embedding"),
        nb::arg("options"), nb::arg("run"));
  m.def(
      "load_model",
      [](const std::string& path) {
        nb::gil_scoped_release released;
        return HeldModel(load_model(path));
      },
      nb::arg("path"));
}

}  // namespace geotherm::python
