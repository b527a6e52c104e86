// Pictures of an embedding, and charts of numbers measured over something.
#pragma once

#include <string>
#include <vector>

#include "geotherm/core.hpp"
#include "geotherm/texts.hpp"

namespace geotherm {

struct PlotOptions {
  std::string title = {};
  /// One value a point: a number to shade by. Empty: one colour.
  std::vector<double> values = {};
  /// One category a point; wins over `values`.
  Texts categories = {};
  std::string legend_title = {};
  int width = 720;  ///< pixels of the whole picture, 120 to 20000
  int height = 600;
};
std::vector<std::string> issues_with(const PlotOptions&);

/// A scatter plot of the first two columns (of one: a strip) as a standalone SVG: both axes in the
/// same scale, shown as a bar, with a legend or colour bar. Points without finite coordinates are
/// left out and counted; values that are not finite are grey. Some 12 bytes a point.
std::string scatter_svg(MatrixView<const double> coordinates, const PlotOptions& = {});

/// The same picture as a PNG, `scale` pixels for each of the options' (0.5 to 8; 2 suits print).
/// Letters are drawn by lines of our own, so that no font is needed.
std::string scatter_png(MatrixView<const double> coordinates, const PlotOptions& = {},
                        double scale = 2);

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

struct TerminalOptions {
  int columns = 80;  ///< characters, 4 to 2000
  int rows = 24;     ///< at the most; fewer where the map is flat
  bool has_colour = true;
};
std::vector<std::string> issues_with(const TerminalOptions&);

/// The same for a terminal: braille dots with ANSI colours (24 bits), UTF-8, both axes in one
/// scale. A character has the colour of most of its points. Of `PlotOptions` title and colours are
/// used.
std::string terminal_scatter(MatrixView<const double> coordinates, const PlotOptions& = {},
                             const TerminalOptions& = {});

}  // namespace geotherm
