// Pictures of an embedding.
#pragma once

#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

struct PlotOptions {
  std::string title = {};
  /// One value a point: a number to shade by. Empty: one colour.
  std::vector<double> values = {};
  /// One category a point; wins over `values`.
  std::vector<std::string> categories = {};
  std::string legend_title = {};
  int width = 720;  ///< pixels of the whole picture, 120 to 20000
  int height = 600;
};
std::vector<std::string> issues_with(const PlotOptions&);

/// A scatter plot of the first two columns (of one: a strip) as a standalone SVG: both axes in the
/// same scale, shown as a bar, with a legend or colour bar. Points without finite coordinates are
/// left out and counted; values that are not finite are grey. Some 12 bytes a point.
std::string scatter_svg(MatrixView<const double> coordinates, const PlotOptions& = {});

}  // namespace geotherm
