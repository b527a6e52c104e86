// Pictures of an embedding.
#pragma once

#include <string>
#include <vector>

#include "geotherm/core.hpp"
#include "geotherm/texts.hpp"

namespace geotherm {

struct PlotOptions {
  std::string title = {};
  /// One value per point: a number to shade by. Empty: one colour.
  std::vector<double> values = {};
  /// One category per point; wins over `values`.
  Texts categories = {};
  std::string legend_title = {};
  int width = 720;  ///< pixels of the whole picture, 120 to 20000
  int height = 600;
};
std::vector<std::string> issues_with(const PlotOptions&);

/// A scatter plot of the first two columns (of one: a strip) as a standalone SVG: both axes in the
/// same scale, shown as a bar, with a legend or colour bar. Points without finite coordinates are
/// left out and counted; values that are not finite are grey. Some 12 bytes per point.
std::string scatter_svg(MatrixView<const double> coordinates, const PlotOptions& = {});

/// The same picture as a PNG, `scale` pixels for each of the options' (0.5 to 8; 2 suits print).
/// Letters are drawn by lines of our own, so that no font is needed.
std::string scatter_png(MatrixView<const double> coordinates, const PlotOptions& = {},
                        double scale = 2);

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
