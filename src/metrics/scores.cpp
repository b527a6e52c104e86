#include "geotherm/scores.hpp"

#include <algorithm>

namespace geotherm {
namespace detail {
#define GEOTHERM_SCORE(name) Score name();
#include "metrics/scores.def"
#undef GEOTHERM_SCORE
}  // namespace detail

Space ScoreData::space() const {
  if (is_distances) return {.distances = estimate};
  return {.coordinates = estimate};
}

bool ScoreData::has(Against what) const {
  switch (what) {
    case Against::truth:
      return !truth.empty();
    case Against::labels:
      return !labels.empty();
    case Against::points:
      return !points.empty();
    case Against::times:
      return !times.empty();
    default:
      return !other.empty();
  }
}

std::span<const Score> scores() {
#define GEOTHERM_SCORE(name) detail::name(),
  static const std::vector<Score> all = {
#include "metrics/scores.def"
  };
#undef GEOTHERM_SCORE
  return all;
}

const Score* score_with_option(std::string_view option) {
  const auto found = std::ranges::find(scores(), option, &Score::option);
  return option.empty() || found == scores().end() ? nullptr : &*found;
}

std::string keys_against(Against what) {
  std::string list;
  for (const Score& score : scores()) {
    if (score.against != what || !score.option.empty()) continue;
    for (const std::string_view key : score.keys) {
      list += (list.empty() ? "" : ", ") + std::string(key);
    }
  }
  return list;
}

std::vector<ScoreValue> measure_scores(Against what, const ScoreData& data,
                                       const Context& context) {
  std::vector<ScoreValue> all;
  if (!data.has(what)) return all;
  for (const Score& score : scores()) {
    const bool is_wanted = score.option.empty() || data.asked.contains(score.option);
    if (score.against != what || !is_wanted || (score.needs_map && data.is_distances)) continue;
    for (ScoreValue& value : score.measure(data, context)) all.push_back(std::move(value));
  }
  return all;
}

}  // namespace geotherm
