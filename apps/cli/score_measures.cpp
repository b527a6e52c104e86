#include "score_measures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "geotherm/metrics.hpp"

namespace geotherm::cli {
namespace {

Space space_of(const Estimate& estimate) {
  if (estimate.is_distances) return {.distances = estimate.values.view()};
  return {.coordinates = estimate.values.view()};
}

std::string shown(const Measure& measure) {
  return measure.has_unit ? fmt::format("{:.4g}", measure.value)
                          : fmt::format("{:.4f}", measure.value);
}

}  // namespace

MeasureGroup measure_truth(const Estimate& estimate, const Matrix<double>& truth,
                           const TruthMeasures& wanted, const Context& context) {
  const DistanceScores s = estimate.is_distances ? score_distances(truth, estimate.values, context)
                                                 : score_embedding(truth, estimate.values, context);
  MeasureGroup group{
      fmt::format("{} against the true distances ({} points)", estimate.in_words(), truth.rows()),
      {{"pearson", s.pearson, false, "mean over points"},
       {"spearman", s.spearman, false, "mean over points"},
       {"frobenius", s.frobenius, true, "of the difference, over n^2"},
       {"max", s.max, true, "of the difference, over n^2"}}};
  const Space true_space{.distances = truth.view()};
  const Space found = space_of(estimate);
  if (wanted.precision) {
    group.measures.push_back(
        {"precision", precision_at_knn(true_space, found, {.knn = *wanted.precision}, context),
         false, fmt::format("share of the {} true nearest that are kept", *wanted.precision)});
  }
  if (wanted.demap) {
    group.measures.push_back({"demap", demap(true_space, found, {}, context), false,
                              "Spearman correlation over all pairs"});
  }
  if (wanted.stress) {
    const StressScores stress = score_stress(true_space, found, context);
    group.measures.push_back(
        {"stress", stress.normalized, true, "squared differences over squared true distances"});
    group.measures.push_back(
        {"stress_scaled", stress.scaled, true,
         fmt::format("the same after the best common factor, {:.4g}", stress.scale)});
  }
  return group;
}

MeasureGroup measure_labels(const Estimate& estimate, const std::vector<Index>& labels,
                            std::size_t knn, const Context& context) {
  const auto last = std::max_element(labels.begin(), labels.end());
  const std::size_t n_groups = last == labels.end() ? 0 : static_cast<std::size_t>(*last) + 1;
  MeasureGroup group{
      fmt::format("{} against the labels ({} points in {} group{})", estimate.in_words(),
                  labels.size(), n_groups, n_groups == 1 ? "" : "s"),
      {}};
  if (!estimate.is_distances) {
    const ClusteringScores s = clustering_scores(estimate.values, labels, {}, context);
    group.measures = {
        {"homogeneity", s.homogeneity, false, "1: each k-means cluster holds one group only"},
        {"completeness", s.completeness, false, "1: each group lies in one k-means cluster only"},
        {"v_measure", s.v_measure, false, "harmonic mean of the two"},
        {"ari", s.ari, false, "adjusted Rand index of clusters and groups; chance is 0"},
        {"ami", s.ami, false, "adjusted mutual information of the same; chance is 0"}};
  }
  group.measures.push_back(
      {"knn_accuracy", knn_accuracy(space_of(estimate), labels, {.knn = knn}, context), false,
       fmt::format("share of points whose {} nearest vote for their group", knn)});
  return group;
}

MeasureGroup measure_neighborhoods(const Estimate& estimate, const Matrix<double>& points,
                                   std::size_t knn, const Context& context) {
  const NeighborhoodScores s = score_neighborhoods({.coordinates = points.view()},
                                                   space_of(estimate), {.knn = knn}, context);
  return {fmt::format("{} against the original points ({} points, {} neighbour{})",
                      estimate.in_words(), points.rows(), knn, knn == 1 ? "" : "s"),
          {{"trustworthiness", s.trustworthiness, false,
            "1: no neighbour in the estimate is a stranger in the data"},
           {"continuity", s.continuity, false,
            "1: no neighbour in the data is a stranger in the estimate"}}};
}

MeasureGroup measure_times(const Estimate& estimate, const std::vector<double>& times,
                           const Context& context) {
  const InterpolationScore s = score_interpolation(estimate.values, times, context);
  const std::size_t n_inner = s.times.size();
  return {fmt::format("{} along time ({} points, {} time{} held out in turn)", estimate.in_words(),
                      times.size(), n_inner, n_inner == 1 ? "" : "s"),
          {{"interpolation", s.mean, true,
            "W1 from the points held out to those interpolated, mean; less is better"}}};
}

MeasureGroup measure_transport(const Estimate& estimate, const Matrix<double>& other,
                               const std::string& other_name, const Context& context) {
  const auto between = [&](GroundCost cost) {
    return wasserstein(estimate.values, other, cost, {}, {}, context);
  };
  return {fmt::format("{} to {} ({} and {} points)", estimate.in_words(), other_name,
                      estimate.values.rows(), other.rows()),
          {{"w1", between(GroundCost::distance), true, "earth mover's distance, exact"},
           {"w2", between(GroundCost::squared_distance), true,
            "root of the least mean squared distance moved, exact"}}};
}

std::string to_json(const std::vector<MeasureGroup>& groups) {
  nlohmann::json json = nlohmann::json::object();
  for (const MeasureGroup& group : groups) {
    for (const Measure& measure : group.measures) json[measure.key] = measure.value;
  }
  return json.dump() + "\n";
}

std::string to_text(const std::vector<MeasureGroup>& groups) {
  std::size_t key_width = 0, value_width = 0;
  for (const MeasureGroup& group : groups) {
    for (const Measure& measure : group.measures) {
      key_width = std::max(key_width, measure.key.size());
      value_width = std::max(value_width, shown(measure).size());
    }
  }
  std::string text;
  for (const MeasureGroup& group : groups) {
    text += (text.empty() ? "" : "\n") + group.title + "\n";
    for (const Measure& measure : group.measures) {
      text += fmt::format("  {:<{}}  {:<{}}   {}\n", measure.key, key_width, shown(measure),
                          value_width, measure.meaning);
    }
  }
  return text;
}

}  // namespace geotherm::cli
