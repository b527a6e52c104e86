#include "score_measures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace geotherm::cli {
namespace {

std::string shown(const ScoreValue& value) {
  return value.has_unit ? fmt::format("{:.4g}", value.value) : fmt::format("{:.4f}", value.value);
}

const char* plural(std::size_t n) { return n == 1 ? "" : "s"; }

std::string title_of(Against what, const ScoreData& data, const std::string& other_name) {
  const char* estimate = data.is_distances ? "distances" : "map";
  switch (what) {
    case Against::truth:
      return fmt::format("{} against the true distances ({} points)", estimate, data.truth.rows);
    case Against::labels: {
      const auto last = std::ranges::max_element(data.labels);
      const std::size_t n = last == data.labels.end() ? 0 : static_cast<std::size_t>(*last) + 1;
      return fmt::format("{} against the labels ({} points in {} group{})", estimate,
                         data.labels.size(), n, plural(n));
    }
    case Against::points:
      return fmt::format("{} against the original points ({} points, {} neighbour{})", estimate,
                         data.points.rows, data.knn, plural(data.knn));
    case Against::times: {
      const std::size_t n =
          std::set<double>(data.times.begin(), data.times.end()).size() - 2;  // the inner ones
      return fmt::format("{} along time ({} points, {} time{} held out in turn)", estimate,
                         data.times.size(), n, plural(n));
    }
    default:
      return fmt::format("{} to {} ({} and {} points)", estimate, other_name, data.estimate.rows,
                         data.other.rows);
  }
}

}  // namespace

ScoreGroup score_group(Against what, const ScoreData& data, const std::string& other_name,
                       const Context& context) {
  return {title_of(what, data, other_name), measure_scores(what, data, context)};
}

std::string to_json(const std::vector<ScoreGroup>& groups) {
  nlohmann::json json = nlohmann::json::object();
  for (const ScoreGroup& group : groups) {
    for (const ScoreValue& value : group.values) json[value.key] = value.value;
  }
  return json.dump() + "\n";
}

std::string to_text(const std::vector<ScoreGroup>& groups) {
  std::size_t key_width = 0, value_width = 0;
  for (const ScoreGroup& group : groups) {
    for (const ScoreValue& value : group.values) {
      key_width = std::max(key_width, value.key.size());
      value_width = std::max(value_width, shown(value).size());
    }
  }
  std::string text;
  for (const ScoreGroup& group : groups) {
    text += (text.empty() ? "" : "\n") + group.title + "\n";
    for (const ScoreValue& value : group.values) {
      text += fmt::format("  {:<{}}  {:<{}}   {}\n", value.key, key_width, shown(value),
                          value_width, value.meaning);
    }
  }
  return text;
}

}  // namespace geotherm::cli
