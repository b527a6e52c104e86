// Methods: data and named options in, a list of what was found out.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "bindings.hpp"
#include "input.hpp"
#include "options.hpp"
#include "run.hpp"

namespace {

using namespace geotherm;
using namespace cpp11::literals;

cpp11::writable::list to_r(const std::map<std::string, Value>& resolved) {
  cpp11::writable::list all;
  for (const auto& [name, value] : resolved) {
    all.push_back(cpp11::named_arg(name.c_str()) = r::to_r(value));
  }
  return all;
}

cpp11::writable::list graph_to_r(const DistanceRun& run) {
  if (run.graph.n_points() == 0) return {};
  return cpp11::writable::list({"weights"_nm = r::to_r(run.graph.weights),
                                "unique_inverse"_nm = r::indices_to_r(run.unique_inverse)});
}

}  // namespace

extern "C" SEXP geotherm_embed(SEXP method, SEXP input, SEXP options, SEXP settings) {
  BEGIN_CPP11
  const Method& found = r::method_of(cpp11::as_cpp<std::string>(method));
  MethodOptions chosen = r::method_options(found, cpp11::list(options));
  r::HeldInput held{cpp11::list(input)};
  chosen.keep_neighbors = model_neighbors;
  r::Run run{cpp11::list(settings)};
  EmbeddingRun made;
  auto model = std::make_unique<Model>();
  const bool is_whole = run([&](const Context& context) {
    held.prepare(context);
    made = found.embed(held.input, chosen, context);
    *model = held.of_rows(make_model(found.name, held.input, chosen, made, context), made);
  });
  if (!is_whole) return r::interrupted();
  const std::string given_as(to_string(model->input));
  return cpp11::writable::list(
      {"embedding"_nm = r::to_r(made.embedding.coordinates.view()),
       "outcome"_nm = std::string(to_string(made.embedding.outcome)),
       "stress"_nm = made.embedding.stress, "chosen"_nm = to_r(made.distances.report.resolved),
       "seconds"_nm =
           [&] {
             cpp11::writable::list all;
             for (const auto& [stage, seconds] : made.distances.report.timings_s) {
               all.push_back(cpp11::named_arg(stage.c_str()) = seconds);
             }
             return all;
           }(),
       "graph"_nm = graph_to_r(made.distances), "input"_nm = given_as,
       "model"_nm = static_cast<SEXP>(cpp11::external_pointer<Model>(model.release())),
       "warnings"_nm = run.warnings()});
  END_CPP11
}

extern "C" SEXP geotherm_distances(SEXP method, SEXP input, SEXP options, SEXP settings,
                                   SEXP from) {
  BEGIN_CPP11
  const Method& found = r::method_of(cpp11::as_cpp<std::string>(method));
  const MethodOptions chosen = r::method_options(found, cpp11::list(options));
  const std::vector<Index> rows = r::indices_of(cpp11::integers(from));
  if (found.distances == nullptr) {
    throw InvalidArgument("method '" + std::string(found.name) + "' has no distances of its own");
  }
  r::HeldInput held{cpp11::list(input)};
  r::Run run{cpp11::list(settings)};
  DistanceRun made;
  Matrix<double> values;
  const bool is_whole = run([&](const Context& context) {
    held.prepare(context);
    if (!rows.empty() && found.distances_from != nullptr) {
      made = found.distances_from(held.input, rows, chosen, context);
      values = std::move(made.rows);
      return;
    }
    made = found.distances(held.input, chosen, context);
    if (rows.empty()) {
      values = std::move(made.dissimilarity.values);
      return;
    }
    values = Matrix<double>(rows.size(), made.dissimilarity.values.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = made.dissimilarity.values.row(static_cast<std::size_t>(rows[i]));
      std::copy(row.begin(), row.end(), values.row(i).begin());
    }
  });
  if (!is_whole) return r::interrupted();
  return cpp11::writable::list({"values"_nm = r::to_r(values.view()),
                                "chosen"_nm = to_r(made.report.resolved),
                                "warnings"_nm = run.warnings()});
  END_CPP11
}

extern "C" SEXP geotherm_place(SEXP model, SEXP rows, SEXP settings) {
  BEGIN_CPP11
  const cpp11::external_pointer<Model> held(model);
  if (held.get() == nullptr) {
    throw InvalidArgument(
        "the model is gone, as it is after saveRDS and readRDS: keep it by save_model()");
  }
  const r::HeldInput given{cpp11::list(rows)};
  r::Run run{cpp11::list(settings)};
  Placement made;
  const bool is_whole = run([&](const Context& context) {
    const Placer placer(*held.get());
    if (given.kind == "points") {
      made = placer.place_and_measure(given.values.view(), context);
    } else if (given.kind == "distances") {
      made = placer.place_by_distances(given.values.view(), context);
    } else if (given.kind == "affinities") {
      made = placer.place_by_affinities(given.sparse, context);
    } else {
      made = placer.place_by_distances(given.sparse, context);
    }
    const std::string words = remoteness_in_words(made.remoteness);
    if (!words.empty()) context.warn(words);
  });
  if (!is_whole) return r::interrupted();
  return cpp11::writable::list(
      {"embedding"_nm = r::to_r(made.coordinates.view()), "warnings"_nm = run.warnings()});
  END_CPP11
}

extern "C" SEXP geotherm_save_model(SEXP model, SEXP path) {
  BEGIN_CPP11
  const cpp11::external_pointer<Model> held(model);
  if (held.get() == nullptr) throw InvalidArgument("the model is gone: fit the map again");
  save_model(cpp11::as_cpp<std::string>(path), *held.get());
  return R_NilValue;
  END_CPP11
}

extern "C" SEXP geotherm_load_model(SEXP path) {
  BEGIN_CPP11
  auto model = std::make_unique<Model>(load_model(cpp11::as_cpp<std::string>(path)));
  const cpp11::external_pointer<Model> held(model.release());
  // One row for each training row, equal rows with the same coordinates.
  Matrix<double> map = held->coordinates;
  if (!held->unique_inverse.empty()) {
    map = Matrix<double>(held->n_rows(), held->coordinates.cols());
    for (std::size_t i = 0; i < map.rows(); ++i) {
      const auto place = held->coordinates.row(static_cast<std::size_t>(held->unique_inverse[i]));
      std::copy(place.begin(), place.end(), map.row(i).begin());
    }
  }
  return cpp11::writable::list(
      {"embedding"_nm = r::to_r(map.view()), "method"_nm = held->method,
       "input"_nm = std::string(to_string(held->input)), "chosen"_nm = to_r(held->resolved),
       "columns"_nm = r::to_r(held->column_names), "model"_nm = static_cast<SEXP>(held)});
  END_CPP11
}
