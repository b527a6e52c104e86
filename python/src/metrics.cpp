// Measures of maps and distances, each a number or a small dictionary.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "geotherm/compare.hpp"
#include "geotherm/scores.hpp"
#include "run_context.hpp"

namespace geotherm::python {
namespace {

/// An array that may be left out.
using MaybeArray = std::optional<AnyArray>;

nb::dict score(const AnyArray& estimate, bool are_distances, const MaybeArray& truth,
               const MaybeArray& labels, const MaybeArray& points, const MaybeArray& times,
               const MaybeArray& other, std::size_t knn, const nb::dict& asked, RunContext& run) {
  ScoreData data{.estimate = matrix_of<double>(estimate, "estimate"),
                 .is_distances = are_distances};
  if (truth) data.truth = matrix_of<double>(*truth, "truth");
  if (labels) data.labels = vector_of<Index>(*labels, "labels");
  if (points) data.points = matrix_of<double>(*points, "points");
  if (times) data.times = vector_of<double>(*times, "times");
  if (other) data.other = matrix_of<double>(*other, "other");
  data.knn = knn;
  for (const auto& [name, number] : asked) {
    data.asked[nb::cast<std::string>(name)] = nb::cast<std::size_t>(number);
  }
  const std::vector<ScoreValue> values = run.call([&](const Context& context) {
    std::vector<ScoreValue> all;
    for (const Against what :
         {Against::truth, Against::labels, Against::points, Against::times, Against::other}) {
      for (ScoreValue& value : measure_scores(what, data, context)) all.push_back(std::move(value));
    }
    return all;
  });
  nb::dict all;
  for (const ScoreValue& value : values) all[value.key.c_str()] = value.value;
  return all;
}

/// Options under which scores are asked for; true where they take a number.
nb::dict score_options() {
  nb::dict all;
  for (const Score& row : scores()) {
    if (!row.option.empty()) all[std::string(row.option).c_str()] = row.option_has_number;
  }
  return all;
}

nb::dict compare(const AnyArray& first, const AnyArray& second, std::size_t knn, RunContext& run) {
  const auto a = matrix_of<double>(first, "first");
  const auto b = matrix_of<double>(second, "second");
  MapComparison found = run.call(
      [&](const Context& context) { return compare_maps(a, b, {}, {.knn = knn}, context); });
  nb::dict all;
  all["aligned"] = owned(std::move(found.aligned));
  all["disparity"] = found.disparity;
  all["scale"] = found.scale;
  all["displacement"] = owned(std::move(found.displacement));
  all["kept_neighbors"] = owned(std::move(found.kept_neighbors));
  all["rms"] = found.rms;
  all["extent"] = found.extent;
  all["distance_correlation"] = found.distance_correlation;
  all["distance_rank_correlation"] = found.distance_rank_correlation;
  return all;
}

}  // namespace

void bind_metrics(nb::module_& m) {
  m.def("compare_maps", &compare, nb::arg("first"), nb::arg("second"), nb::arg("knn"),
        nb::arg("run"));
  m.def("has_exact_transport", &has_exact_transport);
  m.def("score", &score, nb::arg("estimate"), nb::arg("are_distances"), nb::arg("truth").none(),
        nb::arg("labels").none(), nb::arg("points").none(), nb::arg("times").none(),
        nb::arg("other").none(), nb::arg("knn"), nb::arg("asked"), nb::arg("run"));
  m.def("score_options", &score_options);
  m.attr("default_score_knn") = NeighborhoodOptions{}.knn;
}

}  // namespace geotherm::python
