// What `geotherm score` prints: the values of the table of scores, under a line for each thing the
// estimate was held against.
#pragma once

#include <string>
#include <vector>

#include "geotherm/scores.hpp"

namespace geotherm::cli {

/// Values against one thing, under one line.
struct ScoreGroup {
  std::string title;
  std::vector<ScoreValue> values;
};
/// `other_name`: the file of Against::other.
ScoreGroup score_group(Against, const ScoreData&, const std::string& other_name, const Context&);

/// One flat object.
std::string to_json(const std::vector<ScoreGroup>&);
/// Columns in line over all groups.
std::string to_text(const std::vector<ScoreGroup>&);

}  // namespace geotherm::cli
