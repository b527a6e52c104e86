// Correlation and difference with true distances.
#include "geotherm/scores.hpp"

namespace geotherm::detail {
namespace {

std::vector<ScoreValue> measure(const ScoreData& data, const Context& context) {
  const DistanceScores s = data.is_distances ? score_distances(data.truth, data.estimate, context)
                                             : score_embedding(data.truth, data.estimate, context);
  return {{"pearson", s.pearson, false, "mean over points"},
          {"spearman", s.spearman, false, "mean over points"},
          {"frobenius", s.frobenius, true, "of the difference, over n^2"},
          {"max", s.max, true, "of the difference, over n^2"}};
}

}  // namespace

Score distance_score() {
  return {.against = Against::truth,
          .keys = {"pearson", "spearman", "frobenius", "max"},
          .measure = measure};
}

}  // namespace geotherm::detail
