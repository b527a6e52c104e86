// Charts of numbers measured over something.
#pragma once

#include <string>
#include <vector>

namespace geotherm {

/// One line, or set of dots, of a chart.
struct ChartSeries {
  std::string name = {};  ///< for the legend
  /// As many of each; a point that is not finite breaks the line.
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> spread = {};  ///< drawn as a bar of y - spread to y + spread; empty: none
  bool has_line = true;
  bool has_dots = true;
  bool is_dashed = false;
};
/// An upright line across the chart, with a word at its head.
struct ChartMark {
  double x = 0;
  std::string label = {};
};
struct ChartOptions {
  std::string title = {};
  std::string x_title = {};
  std::string y_title = {};
  bool has_log_x = false;  ///< points at x <= 0 are then left out
  /// Names for x = 0, 1, 2, ... in place of numbers, where x counts things.
  std::vector<std::string> x_names = {};
  std::vector<ChartMark> marks = {};
  int width = 720;  ///< pixels of the whole picture, 120 to 20000
  int height = 440;
};
std::vector<std::string> issues_with(const ChartOptions&);

/// Lines and dots over axes with round numbers, and a legend, as a standalone SVG. Each series has
/// its own colour, in the order given.
std::string chart_svg(const std::vector<ChartSeries>& series, const ChartOptions& = {});

}  // namespace geotherm
