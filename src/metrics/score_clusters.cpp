// k-means on the map, compared with known groups.
#include "geotherm/scores.hpp"

namespace geotherm::detail {
namespace {

std::vector<ScoreValue> measure(const ScoreData& data, const Context& context) {
  const ClusteringScores s = clustering_scores(data.estimate, data.labels, {}, context);
  return {{"homogeneity", s.homogeneity, false, "1: each k-means cluster holds one group only"},
          {"completeness", s.completeness, false, "1: each group is in one k-means cluster"},
          {"v_measure", s.v_measure, false, "harmonic mean of the two"},
          {"ari", s.ari, false, "adjusted Rand index of clusters and groups; chance is 0"},
          {"ami", s.ami, false, "adjusted mutual information of the same; chance is 0"}};
}

}  // namespace

Score cluster_score() {
  return {.against = Against::labels,
          .keys = {"homogeneity", "completeness", "v_measure", "ari", "ami"},
          .needs_map = true,
          .measure = measure};
}

}  // namespace geotherm::detail
