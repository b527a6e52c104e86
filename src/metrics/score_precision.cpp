// Nearest points that are kept.
#include "geotherm/scores.hpp"

namespace geotherm::detail {
namespace {

std::vector<ScoreValue> measure(const ScoreData& data, const Context& context) {
  const std::size_t knn = data.asked.at("precision");
  return {{"precision",
           precision_at_knn({.distances = data.truth}, data.space(), {.knn = knn}, context), false,
           "share of the " + std::to_string(knn) + " true nearest that are kept"}};
}

}  // namespace

Score precision_score() {
  return {.against = Against::truth,
          .keys = {"precision"},
          .option = "precision",
          .option_has_number = true,
          .help = "Also precision: the share of the K nearest points that are kept",
          .measure = measure};
}

}  // namespace geotherm::detail
