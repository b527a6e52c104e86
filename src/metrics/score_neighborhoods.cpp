// Trustworthiness and continuity.
#include "geotherm/scores.hpp"

namespace geotherm::detail {
namespace {

std::vector<ScoreValue> measure(const ScoreData& data, const Context& context) {
  const NeighborhoodScores s =
      score_neighborhoods({.coordinates = data.points}, data.space(), {.knn = data.knn}, context);
  return {{"trustworthiness", s.trustworthiness, false,
           "1: no neighbour in the estimate is a stranger in the data"},
          {"continuity", s.continuity, false,
           "1: no neighbour in the data is a stranger in the estimate"}};
}

}  // namespace

Score neighborhood_score() {
  return {
      .against = Against::points, .keys = {"trustworthiness", "continuity"}, .measure = measure};
}

}  // namespace geotherm::detail
