// Rows "paper | ours | difference" of methods whose options were chosen from a grid.
#pragma once

#include <string>
#include <vector>

#include "paper_data.hpp"
#include "sweep.hpp"

namespace geotherm::cli {

/// A row of every data set: a method of the jobs' scores beside one of the paper's.
struct GridLine {
  std::string shown;
  std::string method;
  std::string printed;
  /// Options come from the validation seeds; else the method has one set of them, "defaults".
  bool is_tuned = true;
};
/// A group of columns: a place in the scores beside a metric of the paper's tables.
struct GridMetric {
  std::size_t at = 0;
  std::string shown;
  std::string printed;
  Better better = Better::higher;
};

/// Scores against true geodesics (PaperScorer), and how the distance and the map tables show them.
enum GeodesicScoreAt : std::size_t { pearson_at, spearman_at, frobenius_at, max_at };
const std::vector<GridMetric>& correlation_metrics();
const std::vector<GridMetric>& norm_metrics();
/// The methods that have distances, ours among them.
const std::vector<GridLine>& distance_lines();

/// "data", "method", three columns a metric, "options chosen".
Table empty_grid_table(std::string caption, const std::vector<GridMetric>& metrics);

/// Where in the paper's tables a data set stands.
struct PaperPlace {
  std::string table;
  std::string dataset;
  double noise = 0;
};
/// Options are those of the best metric `chosen_by` on the validation seeds.
void add_grid_rows(Table& table, const std::string& title, const PaperPlace& place,
                   const std::vector<GridLine>& lines, const std::vector<GridMetric>& metrics,
                   std::size_t chosen_by, const GridScores& scores);

/// The options that a line is reported with.
std::string options_of(const GridLine& line, std::size_t chosen_by, const GridScores& scores);

}  // namespace geotherm::cli
