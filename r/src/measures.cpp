// How well a map keeps distances, neighbourhoods and groups.
#include "arrays.hpp"
#include "bindings.hpp"
#include "run.hpp"

namespace {

using namespace geotherm;
using namespace cpp11::literals;

}  // namespace

/// `wanted` has the map, and what of points, labels, truth and knn is given.
extern "C" SEXP geotherm_score(SEXP wanted, SEXP settings) {
  BEGIN_CPP11
  const cpp11::list given(wanted);
  const auto matrix = [&](const char* name) {
    const SEXP value = given[name];
    return Rf_isNull(value) ? Matrix<double>() : r::rows_of(cpp11::doubles_matrix<>(value));
  };
  const Matrix<double> map = matrix("map"), points = matrix("points"), truth = matrix("truth");
  const SEXP labels = given["labels"];
  const std::vector<Index> groups =
      Rf_isNull(labels) ? std::vector<Index>() : r::indices_of(cpp11::integers(labels));
  const auto knn = static_cast<std::size_t>(cpp11::as_cpp<int>(given["knn"]));
  r::Run run{cpp11::list(settings)};
  std::vector<std::string> names;
  std::vector<double> values;
  const auto add = [&](const char* name, double value) {
    names.emplace_back(name);
    values.push_back(value);
  };
  const bool is_whole = run([&](const Context& context) {
    if (!truth.empty()) {
      const DistanceScores s = score_embedding(truth.view(), map.view(), context);
      add("pearson", s.pearson);
      add("spearman", s.spearman);
    }
    if (!points.empty()) {
      const Space data{.coordinates = points.view()}, found{.coordinates = map.view()};
      const NeighborhoodScores s = score_neighborhoods(data, found, {.knn = knn}, context);
      add("trustworthiness", s.trustworthiness);
      add("continuity", s.continuity);
      add("neighbors_kept", precision_at_knn(data, found, {.knn = knn}, context));
    }
    if (!groups.empty()) {
      add("knn_accuracy", knn_accuracy({.coordinates = map.view()}, groups, {.knn = knn}, context));
      const ClusteringScores s = clustering_scores(map.view(), groups, {}, context);
      add("ari", s.ari);
      add("ami", s.ami);
    }
  });
  if (!is_whole) return r::interrupted();
  return cpp11::writable::list(
      {"names"_nm = r::to_r(names), "values"_nm = r::to_r(values), "warnings"_nm = run.warnings()});
  END_CPP11
}
