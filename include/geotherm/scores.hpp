// The table of scores: what `geotherm score` and geotherm.score measure, each described once. A new
// score is a file src/metrics/score_NAME.cpp and a line in src/metrics/scores.def.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geotherm/metrics.hpp"

namespace geotherm {

/// What an estimate is compared with.
enum class Against { truth, labels, points, times, other };

/// An estimate and what is known; empty: not given. Views.
struct ScoreData {
  MatrixView<const double> estimate = {};
  bool is_distances = false;             ///< n x n; else a map, n x dimensions
  MatrixView<const double> truth = {};   ///< true distances, n x n
  std::span<const Index> labels = {};    ///< a group for each point, from 0
  MatrixView<const double> points = {};  ///< that were mapped
  std::span<const double> times = {};    ///< one for each point
  MatrixView<const double> other = {};   ///< another set of points in the space of the map
  std::size_t knn = NeighborhoodOptions{}.knn;
  /// Scores that are given only on request, by their option, with its number (flags: 1).
  std::map<std::string, std::size_t, std::less<>> asked = {};

  Space space() const;
  bool has(Against) const;
};

struct ScoreValue {
  std::string key;
  double value = 0;
  bool has_unit = false;  ///< any size, in units of the data; else about -1 to 1
  std::string meaning;    ///< one line
};

/// One row: values that are found together.
struct Score {
  Against against = Against::truth;
  std::vector<std::string_view> keys = {};  ///< of the values, in their order
  /// Given only where this is asked for ("demap"); empty: always.
  std::string_view option = {};
  bool option_has_number = false;
  std::string_view help = {};  ///< of the option
  bool needs_map = false;      ///< no distances
  std::vector<ScoreValue> (*measure)(const ScoreData&, const Context&) = nullptr;
};

/// In the order in which they are shown.
std::span<const Score> scores();
/// Null where no score is asked for by this name.
const Score* score_with_option(std::string_view option);
/// "pearson, spearman, frobenius, max": keys of the scores against it that are given unasked.
std::string keys_against(Against);
/// All values for what is given and asked for; scores that need a map leave distances out.
std::vector<ScoreValue> measure_scores(Against, const ScoreData&, const Context& = {});

}  // namespace geotherm
