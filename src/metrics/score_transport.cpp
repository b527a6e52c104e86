// Optimal transport to another set of points.
#include "geotherm/scores.hpp"

namespace geotherm::detail {
namespace {

std::vector<ScoreValue> measure(const ScoreData& data, const Context& context) {
  const auto between = [&](GroundCost cost) {
    return wasserstein(data.estimate, data.other, cost, {}, {}, context);
  };
  return {{"w1", between(GroundCost::distance), true, "earth mover's distance, exact"},
          {"w2", between(GroundCost::squared_distance), true,
           "root of the least mean squared distance moved, exact"}};
}

}  // namespace

Score transport_score() {
  return {.against = Against::other, .keys = {"w1", "w2"}, .measure = measure};
}

}  // namespace geotherm::detail
