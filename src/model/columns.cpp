// Names of a model's columns and of new rows -> which column is which; and what to say of rows that
// are far from all the model knows.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <unordered_set>

#include "geotherm/model.hpp"

namespace geotherm {
namespace {

/// Whether the steps of a row look at each of its columns.
std::vector<bool> columns_read(const Preparation& steps) {
  const bool reads_all = steps.columns.empty() || (steps.target_sum && steps.counted.empty());
  std::vector<bool> is_read(steps.n_columns, reads_all);
  for (const Index c : steps.columns) is_read[static_cast<std::size_t>(c)] = true;
  if (steps.target_sum) {
    for (const Index c : steps.counted) is_read[static_cast<std::size_t>(c)] = true;
  }
  return is_read;
}

std::string two_digits(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2g", value);
  return buffer;
}

}  // namespace

std::vector<std::string> made_unique(std::vector<std::string> names) {
  std::unordered_set<std::string> taken(names.begin(), names.end()), seen;
  std::unordered_map<std::string, std::size_t> last;
  for (std::string& name : names) {
    if (seen.insert(name).second) continue;
    std::string other;
    do {
      other = name + "-" + std::to_string(++last[name]);
    } while (!taken.insert(other).second);
    name = std::move(other);
  }
  return names;
}

ColumnMatch match_columns(const Model& model, const std::vector<std::string>& names) {
  if (model.column_names.empty() || names.empty()) {
    throw InvalidArgument("columns are matched by name: both the model and the rows need names");
  }
  const std::vector<std::string> unique = made_unique(names);
  const std::vector<std::string> wanted = made_unique(model.column_names);
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t j = 0; j < unique.size(); ++j) place.emplace(unique[j], j);
  const std::vector<bool> is_read = columns_read(model.preparation);
  ColumnMatch match;
  std::size_t n_found = 0;
  Index last = -1;
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    const auto found = place.find(wanted[c]);
    if (found == place.end()) {
      match.places.push_back(-1);
      if (is_read[c]) match.absent.push_back(wanted[c]);
      continue;
    }
    const auto at = static_cast<Index>(found->second);
    match.places.push_back(at);
    match.is_reordered = match.is_reordered || at < last;
    last = std::max(last, at);
    ++n_found;
  }
  match.n_extra = names.size() - n_found;
  return match;
}

std::string remoteness_in_words(const std::vector<double>& remoteness) {
  constexpr double far = 2;
  const auto n_far = static_cast<std::size_t>(
      std::count_if(remoteness.begin(), remoteness.end(), [](double r) { return r > far; }));
  if (10 * n_far <= remoteness.size()) return {};
  std::vector<double> sorted = remoteness;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return std::to_string(n_far) + " of " + std::to_string(remoteness.size()) +
         " new points are far from every point of the model: the median distance to the nearest "
         "is " +
         two_digits(*middle) +
         " times the one within which 95 % of the model's points have a neighbour (check that "
         "columns, units and preprocessing are those of the first table; such places mean little)";
}

}  // namespace geotherm
