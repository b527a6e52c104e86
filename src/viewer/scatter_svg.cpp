// The scatter plot of an embedding. In: coordinates and, for the colours, a category or a number a
// point. Out: one SVG. Distances mean something here, so both axes share one scale, shown as a bar;
// the axes themselves mean nothing and are left out.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "geotherm/report.hpp"
#include "viewer/colouring.hpp"
#include "viewer/svg_text.hpp"

namespace geotherm {
namespace detail {
namespace {

constexpr double kMargin = kPictureMargin, kFooter = 34, kGap = 14;

struct Points {
  std::vector<std::size_t> shown;  // rows with finite coordinates
  std::vector<double> x, y;        // of those, divided by `unit`; below 2 in size
  double unit = 1;                 // a power of two, so that no range overflows
  std::size_t n_left_out = 0;
};

Points collect(MatrixView<const double> coordinates) {
  Points points;
  double largest = 0;
  for (std::size_t i = 0; i < coordinates.rows && coordinates.cols > 0; ++i) {
    const double x = coordinates(i, 0), y = coordinates.cols > 1 ? coordinates(i, 1) : 0;
    if (!std::isfinite(x) || !std::isfinite(y)) {
      ++points.n_left_out;
      continue;
    }
    points.shown.push_back(i);
    points.x.push_back(x);
    points.y.push_back(y);
    largest = std::max({largest, std::abs(x), std::abs(y)});
  }
  const int exponent = largest > 0 ? std::ilogb(largest) : 0;
  points.unit = std::ldexp(1.0, exponent);
  for (double& x : points.x) x = std::ldexp(x, -exponent);
  for (double& y : points.y) y = std::ldexp(y, -exponent);
  return points;
}

struct Scale {
  double pixels = 0;                  // a unit of the points; 0: all points coincide
  double x = 0, y = 0;                // middle of the points
  double middle_x = 0, middle_y = 0;  // where it lies in the picture
};

Scale fit(const Points& points, const Box& frame, double padding) {
  Scale scale = {.middle_x = frame.x + frame.width / 2, .middle_y = frame.y + frame.height / 2};
  if (points.shown.empty()) return scale;
  const auto [left, right] = std::minmax_element(points.x.begin(), points.x.end());
  const auto [bottom, top] = std::minmax_element(points.y.begin(), points.y.end());
  scale.x = *left + (*right - *left) / 2;
  scale.y = *bottom + (*top - *bottom) / 2;
  const double width = std::max(1.0, frame.width - 2 * padding);
  const double height = std::max(1.0, frame.height - 2 * padding);
  const double span = std::max((*right - *left) / width, (*top - *bottom) / height);
  if (span > 0) scale.pixels = 1 / span;
  if (!std::isfinite(scale.pixels)) scale.pixels = 0;
  return scale;
}

struct Dots {
  double radius = 0;
  double opacity = 1;
  bool has_halo = false;
  std::size_t n_layers = 1;
};

Dots dots_for(std::size_t n, const Box& frame) {
  const double count = static_cast<double>(std::max<std::size_t>(n, 1));
  const double side = std::sqrt(std::max(1.0, frame.width * frame.height)) / 520;
  Dots dots;
  dots.radius =
      std::clamp(4.4 * std::pow(100 / count, 0.23), 0.6, 5.0) * std::clamp(side, 0.5, 4.0);
  dots.opacity = std::clamp(0.9 - 0.2 * std::log10(count / 1000), 0.5, 0.9);
  dots.has_halo = n <= 1500;
  // Dots of one path do not add up where they overlap; layers of paths do, and they keep the last
  // colour from covering all others.
  dots.n_layers = dots.has_halo ? n / 40 + 1 : 12;
  return dots;
}

// Dots are lines of no length with round ends, in tenths of a pixel: some 11 bytes each.
std::string draw_points(const Points& points, const Colouring& colouring, const Scale& scale,
                        const Dots& dots) {
  const std::size_t n = points.shown.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng(0, "scatter_svg.order").shuffle(std::span<std::size_t>(order));

  std::string svg = "<g transform=\"scale(.1)\" fill=\"none\" stroke-linecap=\"round\">\n";
  const std::string style = " stroke-width=\"" + px(20 * dots.radius) + "\" stroke-opacity=\"" +
                            px(dots.opacity) + "\" d=\"";
  const std::string halo_width = " stroke-width=\"" + px(20 * dots.radius + 13) + "\"";
  std::vector<std::string> paths(colouring.colours.size());
  for (std::size_t layer = 0; layer < dots.n_layers; ++layer) {
    const std::size_t begin = n * layer / dots.n_layers, end = n * (layer + 1) / dots.n_layers;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t point = order[i];
      const double x = scale.middle_x + (points.x[point] - scale.x) * scale.pixels;
      const double y = scale.middle_y - (points.y[point] - scale.y) * scale.pixels;
      std::string& path = paths[colouring.of_point[points.shown[point]]];
      path += 'M';
      path += std::to_string(std::llround(10 * x));
      path += ' ';
      path += std::to_string(std::llround(10 * y));
      path += "h0";
    }
    for (std::size_t c = 0; c < paths.size(); ++c) {
      if (paths[c].empty()) continue;
      if (dots.has_halo) {
        svg += "<path stroke=\"#ffffff\"" + halo_width + " d=\"" + paths[c] + "\"/>\n";
      }
      svg += "<path stroke=\"" + colouring.colours[c] + "\"" + style + paths[c] + "\"/>\n";
      paths[c].clear();
    }
  }
  return svg + "</g>\n";
}

std::string draw_footer(const Points& points, const Scale& scale, const Box& frame) {
  const double y = frame.y + frame.height + 14;
  const std::string faint = "fill=\"" + std::string(kFaint) + "\"";
  std::string svg;
  double used = 0;
  const double longest = scale.pixels > 0 ? 0.22 * frame.width / scale.pixels * points.unit : 0;
  const double length = nice_below(longest);
  if (length > 0) {
    const double width = length / points.unit * scale.pixels;
    svg += "<path d=\"M" + px(frame.x + 1) + " " + px(y - 4) + "v8m0-4h" + px(width) +
           "m0-4v8\" fill=\"none\" stroke=\"" + std::string(kInk) + "\" stroke-width=\"1.3\"/>\n";
    const std::string label = "distance " + number_in_words(length, decimals_for(length));
    svg += text_at(frame.x + width + 10, y + 4, label, faint);
    used = width + 18 + text_width(label, kFont);
  }
  std::string count = "n = " + number_in_words(static_cast<double>(points.shown.size()), 0);
  if (points.n_left_out > 0) {
    count += " (" + number_in_words(static_cast<double>(points.n_left_out), 0) +
             " without finite coordinates left out)";
  }
  if (used + text_width(count, kFont) <= frame.width) {
    svg += text_at(frame.x + frame.width, y + 4, count, faint + " text-anchor=\"end\"");
  }
  return svg;
}

}  // namespace
}  // namespace detail

std::vector<std::string> issues_with(const PlotOptions& options) {
  std::vector<std::string> issues;
  const auto check = [&](const char* field, int value) {
    if (value >= 120 && value <= 20000) return;
    issues.push_back(std::string(field) + " is " + std::to_string(value) +
                     "; a picture has between 120 and 20000 pixels a side");
  };
  check("width", options.width);
  check("height", options.height);
  return issues;
}

std::string scatter_svg(MatrixView<const double> coordinates, const PlotOptions& options) {
  using namespace detail;
  std::vector<std::string> issues = issues_with(options);
  const auto check = [&](const char* field, std::size_t n) {
    if (n == 0 || n == coordinates.rows) return;
    issues.push_back(std::string(field) + " has " + std::to_string(n) + " entries for " +
                     std::to_string(coordinates.rows) + " points (give one per point, or none)");
  };
  check("values", options.values.size());
  check("categories", options.categories.size());
  refuse_if_any(issues);

  const double width = options.width, height = options.height;
  const Colouring colouring = choose_colours(coordinates.rows, options);
  const Points points = collect(coordinates);
  const double top = below_title(options.title);
  const double legend = legend_width(colouring, options);
  const Box frame = {kMargin, top, width - 2 * kMargin - (legend > 0 ? legend + kGap : 0),
                     std::max(20.0, height - top - kFooter)};
  const Dots dots = dots_for(points.shown.size(), frame);
  const Scale scale = fit(points, frame, 10 + 1.5 * dots.radius);

  std::string svg = svg_opening(width, height, options.title, "Scatter plot");
  svg += "<rect x=\"" + px(frame.x) + "\" y=\"" + px(frame.y) + "\" width=\"" + px(frame.width) +
         "\" height=\"" + px(frame.height) + "\" rx=\"3\" fill=\"#ffffff\" stroke=\"#d6d6d6\"/>\n";
  svg += draw_points(points, colouring, scale, dots);
  svg += draw_legend(colouring, options,
                     {frame.x + frame.width + kGap, frame.y, legend, height - frame.y - kMargin});
  svg += draw_footer(points, scale, frame);
  return svg + "</svg>\n";
}

}  // namespace geotherm
