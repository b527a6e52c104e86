// Squared differences from true distances.
#include <cstdio>

#include "geotherm/scores.hpp"

namespace geotherm::detail {
namespace {

std::vector<ScoreValue> measure(const ScoreData& data, const Context& context) {
  const StressScores s = score_stress({.distances = data.truth}, data.space(), context);
  char scale[32];
  std::snprintf(scale, sizeof scale, "%.4g", s.scale);
  return {{"stress", s.normalized, true, "squared differences over squared true distances"},
          {"stress_scaled", s.scaled, true,
           "the same after the best common factor, " + std::string(scale)}};
}

}  // namespace

Score stress_score() {
  return {.against = Against::truth,
          .keys = {"stress", "stress_scaled"},
          .option = "stress",
          .help = "Also stress, and stress_scaled: the same whatever the unit",
          .measure = measure};
}

}  // namespace geotherm::detail
