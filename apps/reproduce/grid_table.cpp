#include "grid_table.hpp"

namespace geotherm::cli {

const std::vector<GridMetric>& correlation_metrics() {
  static const std::vector<GridMetric> all = {{pearson_at, "Pearson", "pearson"},
                                              {spearman_at, "Spearman", "spearman"}};
  return all;
}

const std::vector<GridMetric>& norm_metrics() {
  static const std::vector<GridMetric> all = {
      {frobenius_at, "Frobenius", "frobenius_over_n2", Better::lower},
      {max_at, "maximum", "max_over_n2", Better::lower}};
  return all;
}

const std::vector<GridLine>& distance_lines() {
  static const std::vector<GridLine> all = {
      {"Heat-Geo, plain", "Heat-Geo", "Heat-Geo"},
      {"**Heat-Geo, our defaults**", "geotherm", "Heat-Geo", false},
      {"PHATE", "PHATE", "PHATE"},
      {"Heat-PHATE", "Heat-PHATE", "Heat-PHATE"},
      {"Rand-Geo", "Rand-Geo", "Rand-Geo"},
      {"Diffusion Map", "Diffusion Map", "Diffusion Map"},
      {"Diffusion Map, one component", "Diffusion Map, one component", "Diffusion Map"},
      {"Shortest Path", "Shortest Path", "Shortest Path"}};
  return all;
}

Table empty_grid_table(std::string caption, const std::vector<GridMetric>& metrics) {
  Table table{std::move(caption), {"data", "method"}, {}};
  for (const GridMetric& metric : metrics) {
    table.columns.push_back(metric.shown + ", paper");
    table.columns.emplace_back("ours");
    table.columns.emplace_back("difference");
  }
  table.columns.emplace_back("options chosen");
  return table;
}

std::string options_of(const GridLine& line, std::size_t chosen_by, const GridScores& scores) {
  return line.is_tuned ? scores.best(line.method, chosen_by) : "defaults";
}

void add_grid_rows(Table& table, const std::string& title, const PaperPlace& place,
                   const std::vector<GridLine>& lines, const std::vector<GridMetric>& metrics,
                   std::size_t chosen_by, const GridScores& scores) {
  for (const GridLine& line : lines) {
    const std::string options = options_of(line, chosen_by, scores);
    std::vector<std::string> row = {title, line.shown};
    for (const GridMetric& metric : metrics) {
      const auto paper =
          printed(place.table, place.dataset, place.noise, line.printed, metric.printed);
      const Measured ours = scores.reported(line.method, options, metric.at);
      row.push_back(paper ? in_words(*paper) : "–");
      row.push_back(ours.n > 0 ? in_words(ours) : scores.reason());
      row.push_back(difference(ours, paper, metric.better));
    }
    row.push_back(options + scores.fewer_seeds(line.method, line.is_tuned));
    table.rows.push_back(std::move(row));
  }
}

}  // namespace geotherm::cli
