// Points whose neighbours are of their group.
#include "geotherm/scores.hpp"

namespace geotherm::detail {
namespace {

std::vector<ScoreValue> measure(const ScoreData& data, const Context& context) {
  return {{"knn_accuracy", knn_accuracy(data.space(), data.labels, {.knn = data.knn}, context),
           false,
           "share of points whose " + std::to_string(data.knn) + " nearest vote for their group"}};
}

}  // namespace

Score knn_accuracy_score() {
  return {.against = Against::labels, .keys = {"knn_accuracy"}, .measure = measure};
}

}  // namespace geotherm::detail
