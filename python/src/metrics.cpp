// Measures of maps and distances, each a number or a small dictionary.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "geotherm/compare.hpp"
#include "run_context.hpp"

namespace geotherm::python {
namespace {

Space space_of(MatrixView<const double> values, bool are_distances) {
  if (are_distances) return {.distances = values};
  return {.coordinates = values};
}

nb::dict against_truth(const AnyArray& truth, const AnyArray& estimate, bool are_distances,
                       std::optional<std::size_t> precision, bool with_demap, bool with_stress,
                       RunContext& run) {
  const auto t = matrix_of<double>(truth, "truth");
  const auto e = matrix_of<double>(estimate, "estimate");
  const Space true_space{.distances = t};
  const Space found = space_of(e, are_distances);
  const DistanceScores s = run.call([&](const Context& context) {
    return are_distances ? score_distances(t, e, context) : score_embedding(t, e, context);
  });
  nb::dict all;
  all["pearson"] = s.pearson;
  all["spearman"] = s.spearman;
  all["frobenius"] = s.frobenius;
  all["max"] = s.max;
  if (precision) {
    all["precision"] = run.call([&](const Context& context) {
      return precision_at_knn(true_space, found, {.knn = *precision}, context);
    });
  }
  if (with_demap) {
    all["demap"] =
        run.call([&](const Context& context) { return demap(true_space, found, {}, context); });
  }
  if (with_stress) {
    const StressScores stress =
        run.call([&](const Context& context) { return score_stress(true_space, found, context); });
    all["stress"] = stress.normalized;
    all["stress_scaled"] = stress.scaled;
  }
  return all;
}

nb::dict against_labels(const AnyArray& estimate, bool are_distances, const AnyArray& labels,
                        std::size_t knn, RunContext& run) {
  const auto e = matrix_of<double>(estimate, "estimate");
  const auto groups = vector_of<Index>(labels, "labels");
  nb::dict all;
  if (!are_distances) {
    const ClusteringScores s =
        run.call([&](const Context& context) { return clustering_scores(e, groups, {}, context); });
    all["homogeneity"] = s.homogeneity;
    all["completeness"] = s.completeness;
    all["v_measure"] = s.v_measure;
    all["ari"] = s.ari;
    all["ami"] = s.ami;
  }
  all["knn_accuracy"] = run.call([&](const Context& context) {
    return knn_accuracy(space_of(e, are_distances), groups, {.knn = knn}, context);
  });
  return all;
}

nb::dict against_points(const AnyArray& estimate, bool are_distances, const AnyArray& points,
                        std::size_t knn, RunContext& run) {
  const auto e = matrix_of<double>(estimate, "estimate");
  const auto p = matrix_of<double>(points, "points");
  const NeighborhoodScores s = run.call([&](const Context& context) {
    return score_neighborhoods({.coordinates = p}, space_of(e, are_distances), {.knn = knn},
                               context);
  });
  nb::dict all;
  all["trustworthiness"] = s.trustworthiness;
  all["continuity"] = s.continuity;
  return all;
}

double along_time(const AnyArray& estimate, const AnyArray& times, RunContext& run) {
  const auto e = matrix_of<double>(estimate, "estimate");
  const auto t = vector_of<double>(times, "times");
  return run.call([&](const Context& context) { return score_interpolation(e, t, context).mean; });
}

double transport_cost(const AnyArray& from, const AnyArray& to, bool squared, RunContext& run) {
  const auto a = matrix_of<double>(from, "from");
  const auto b = matrix_of<double>(to, "to");
  const GroundCost cost = squared ? GroundCost::squared_distance : GroundCost::distance;
  return run.call([&](const Context& context) { return wasserstein(a, b, cost, {}, {}, context); });
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
  m.def("against_truth", &against_truth, nb::arg("truth"), nb::arg("estimate"),
        nb::arg("are_distances"), nb::arg("precision").none(), nb::arg("demap"), nb::arg("stress"),
        nb::arg("run"));
  m.def("against_labels", &against_labels, nb::arg("estimate"), nb::arg("are_distances"),
        nb::arg("labels"), nb::arg("knn"), nb::arg("run"));
  m.def("against_points", &against_points, nb::arg("estimate"), nb::arg("are_distances"),
        nb::arg("points"), nb::arg("knn"), nb::arg("run"));
  m.def("along_time", &along_time, nb::arg("estimate"), nb::arg("times"), nb::arg("run"));
  m.def("transport_cost", &transport_cost, nb::arg("from_"), nb::arg("to"), nb::arg("squared"),
        nb::arg("run"));
  m.attr("default_score_knn") = NeighborhoodOptions{}.knn;
}

}  // namespace geotherm::python
