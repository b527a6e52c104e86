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
  int width = 720;  ///< pixels of the whole picture
  int height = 600;
};
/// A scatter plot of the first two columns as a standalone SVG, equal aspect, with a legend.
std::string scatter_svg(MatrixView<const double> coordinates, const PlotOptions& = {});

}  // namespace geotherm
