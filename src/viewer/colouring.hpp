// The colours of a scatter plot and the legend that explains them. In: a category or a number a
// point. Out: one of a few colours per point, and the legend as SVG.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "geotherm/report.hpp"

namespace geotherm::detail {

struct Colouring {
  std::vector<std::string> colours = {};   ///< in order of drawing: the first lies lowest
  std::vector<std::size_t> of_point = {};  ///< index into colours
  std::vector<std::string> names = {};     ///< of categories, for the legend; same order as colours
  double low = 0, high = 0;                ///< ends of the scale
  bool has_scale = false;
  bool has_missing = false;
};

/// Categories win over values; neither: one colour.
Colouring choose_colours(std::size_t n_points, const PlotOptions& options);

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

/// Pixels; 0 where there is nothing to explain.
double legend_width(const Colouring& colouring, const PlotOptions& options);
std::string draw_legend(const Colouring& colouring, const PlotOptions& options, Box box);

}  // namespace geotherm::detail
