// What `geotherm score` can measure. In: the estimate and what it is held against, read and
// checked. Out: named numbers with a line on what each means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::cli {

struct Estimate {
  Matrix<double> values;
  bool is_distances = false;  ///< else coordinates, one row a point

  const char* in_words() const { return is_distances ? "distances" : "map"; }
};

struct Measure {
  std::string key;  ///< in JSON and in the table
  double value = 0;
  bool has_unit = false;  ///< any size, in units of the data; else about -1 to 1
  std::string meaning;
};
/// Measures against one thing, under one line.
struct MeasureGroup {
  std::string title;
  std::vector<Measure> measures;
};

struct TruthMeasures {
  std::optional<std::size_t> precision = std::nullopt;
  bool demap = false;
  bool stress = false;
};
MeasureGroup measure_truth(const Estimate&, const Matrix<double>& truth, const TruthMeasures&,
                           const Context&);
/// k-means needs coordinates: for distances there is the accuracy alone.
MeasureGroup measure_labels(const Estimate&, const std::vector<Index>& labels, std::size_t knn,
                            const Context&);
MeasureGroup measure_neighborhoods(const Estimate&, const Matrix<double>& points, std::size_t knn,
                                   const Context&);
MeasureGroup measure_times(const Estimate&, const std::vector<double>& times, const Context&);
MeasureGroup measure_transport(const Estimate&, const Matrix<double>& other,
                               const std::string& other_name, const Context&);

/// One flat object.
std::string to_json(const std::vector<MeasureGroup>&);
/// Columns in line over all groups.
std::string to_text(const std::vector<MeasureGroup>&);

}  // namespace geotherm::cli
