// Time points held out and interpolated by optimal transport.
#include "geotherm/scores.hpp"

namespace geotherm::detail {
namespace {

std::vector<ScoreValue> measure(const ScoreData& data, const Context& context) {
  const InterpolationScore s = score_interpolation(data.estimate, data.times, context);
  return {{"interpolation", s.mean, true,
           "W1 from the points held out to those interpolated, mean; less is better"}};
}

}  // namespace

Score interpolation_score() {
  return {.against = Against::times, .keys = {"interpolation"}, .measure = measure};
}

}  // namespace geotherm::detail
