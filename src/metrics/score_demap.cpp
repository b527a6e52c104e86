// DEMaP: rank correlation over all pairs.
#include "geotherm/scores.hpp"

namespace geotherm::detail {
namespace {

std::vector<ScoreValue> measure(const ScoreData& data, const Context& context) {
  return {{"demap", demap({.distances = data.truth}, data.space(), {}, context), false,
           "Spearman correlation over all pairs"}};
}

}  // namespace

Score demap_score() {
  return {.against = Against::truth,
          .keys = {"demap"},
          .option = "demap",
          .help = "Also demap: Spearman correlation over all pairs; about 50 bytes per pair",
          .measure = measure};
}

}  // namespace geotherm::detail
