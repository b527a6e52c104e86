// Which point gets which colour, and the list of names or the bar that says so.
#include "viewer/colouring.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "viewer/palette.hpp"
#include "viewer/svg_text.hpp"

namespace geotherm::detail {
namespace {

constexpr double kRowHeight = 18;
constexpr std::size_t kMostRows = 30;
constexpr int kScaleSteps = 64;

Colouring by_category(const Texts& categories) {
  const std::vector<std::string> names = in_natural_order(categories);
  Colouring colouring;
  std::map<std::string_view, std::size_t> index;
  for (const std::string& name : names) {
    index[name] = colouring.names.size();
    colouring.colours.push_back(category_colour(colouring.names.size()));
    colouring.names.push_back(name.empty() ? "(no name)" : name);
  }
  for (const std::string& category : categories) colouring.of_point.push_back(index[category]);
  return colouring;
}

Colouring by_value(const std::vector<double>& values) {
  Colouring colouring;
  colouring.has_scale = true;
  colouring.low = std::numeric_limits<double>::infinity();
  colouring.high = -colouring.low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    colouring.low = std::min(colouring.low, value);
    colouring.high = std::max(colouring.high, value);
  }
  colouring.colours.emplace_back(kMissingColour);
  for (int i = 0; i < kScaleSteps; ++i) {
    colouring.colours.push_back(scale_colour((i + 0.5) / kScaleSteps));
  }
  // Halves, so that the range of the largest doubles does not overflow.
  const double range = colouring.high / 2 - colouring.low / 2;
  for (const double value : values) {
    const bool is_missing = !std::isfinite(value);
    colouring.has_missing = colouring.has_missing || is_missing;
    const double place = range > 0 ? (value / 2 - colouring.low / 2) / range : 0.5;
    const double step = is_missing ? -1 : std::min(place * kScaleSteps, kScaleSteps - 1.0);
    colouring.of_point.push_back(static_cast<std::size_t>(std::floor(step) + 1));
  }
  return colouring;
}

std::vector<double> ticks_of(const Colouring& colouring, double& step) {
  step = nice_below((colouring.high / 4 - colouring.low / 4));
  std::vector<double> ticks;
  if (!(step > 0)) return ticks;
  const double first = std::ceil(colouring.low / step - 1e-9);
  for (int i = 0; i < 12; ++i) {
    const double tick = (first + i) * step;
    if (!std::isfinite(tick) || tick > colouring.high + step * 1e-9) break;
    ticks.push_back(tick);
  }
  return ticks;
}

std::string draw_swatch(double x, double y, std::string_view colour_of, const std::string& label,
                        double width) {
  std::string svg = "<circle cx=\"" + px(x + 6) + "\" cy=\"" + px(y - 4) + "\" r=\"5\" fill=\"";
  svg.append(colour_of).append("\"/>\n");
  return svg + text_at(x + 18, y, shortened(label, width - 18, kFont), "");
}

std::string draw_names(const Colouring& colouring, const Box& box) {
  const auto n_fitting = static_cast<std::size_t>(std::max(1.0, box.height / kRowHeight));
  const std::size_t n_names = colouring.names.size();
  const std::size_t n_rows = std::min(kMostRows, n_fitting);
  const std::size_t n_shown = n_names <= n_rows ? n_names : n_rows - 1;
  std::string svg;
  for (std::size_t i = 0; i < n_shown; ++i) {
    svg += draw_swatch(box.x, box.y + kRowHeight * static_cast<double>(i) + 12,
                       colouring.colours[i], colouring.names[i], box.width);
  }
  if (n_shown < n_names) {
    const std::string rest = "\u2026 and " + std::to_string(n_names - n_shown) + " more";
    svg += text_at(box.x + 18, box.y + kRowHeight * static_cast<double>(n_shown) + 12, rest,
                   "fill=\"" + std::string(kFaint) + "\"");
  }
  return svg;
}

std::string draw_colour_bar(const Colouring& colouring, const Box& box) {
  std::string svg;
  const double range = colouring.high / 2 - colouring.low / 2;
  double bottom = box.y;
  if (range > 0) {
    constexpr double kBarWidth = 14;
    const double height = std::clamp(box.height - 2 * kRowHeight, 20.0, 220.0);
    const double top = box.y + 4;
    bottom = top + height;
    svg += "<defs><linearGradient id=\"geotherm-scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\n";
    for (std::size_t i = 0; i < kScaleColours.size(); ++i) {
      svg += "<stop offset=\"" + px(100.0 * static_cast<double>(i) / (kScaleColours.size() - 1));
      svg += "%\" stop-color=\"" + std::string(kScaleColours[i]) + "\"/>\n";
    }
    svg += "</linearGradient></defs>\n<rect x=\"" + px(box.x) + "\" y=\"" + px(top) +
           "\" width=\"" + px(kBarWidth) + "\" height=\"" + px(height) +
           "\" fill=\"url(#geotherm-scale)\"/>\n";
    double step = 0;
    for (const double tick : ticks_of(colouring, step)) {
      const double y = bottom - height * ((tick / 2 - colouring.low / 2) / range);
      svg += "<path d=\"M" + px(box.x + kBarWidth) + " " + px(y) + "h4\" stroke=\"" +
             std::string(kFaint) + "\"/>\n";
      const std::string label = number_in_words(tick, decimals_for(step));
      svg += text_at(box.x + kBarWidth + 8, y + 4,
                     shortened(label, box.width - kBarWidth - 8, kFont), "");
    }
    bottom += 10;
  } else if (std::isfinite(colouring.low)) {
    const double size = std::abs(colouring.low);
    const int n_decimals = size > 0 && size < 1000 ? decimals_for(size / 1000) : 0;
    svg += draw_swatch(box.x, box.y + 12, scale_colour(0.5),
                       number_in_words(colouring.low, n_decimals), box.width);
    bottom += kRowHeight;
  }
  if (colouring.has_missing) {
    svg += draw_swatch(box.x, bottom + 16, kMissingColour, "no value", box.width);
  }
  return svg;
}

}  // namespace

Colouring choose_colours(std::size_t n_points, const PlotOptions& options) {
  if (!options.categories.empty()) return by_category(options.categories);
  if (!options.values.empty()) return by_value(options.values);
  Colouring colouring;
  colouring.colours.push_back(category_colour(0));
  colouring.of_point.assign(n_points, 0);
  return colouring;
}

double legend_width(const Colouring& colouring, const PlotOptions& options) {
  if (colouring.names.empty() && !colouring.has_scale) return 0;
  double width = text_width(options.legend_title, kFont * 1.06);
  for (const std::string& name : colouring.names) {
    width = std::max(width, 20 + text_width(name, kFont));
  }
  if (colouring.has_scale) {
    double step = 0;
    for (const double tick : ticks_of(colouring, step)) {
      width = std::max(width, 26 + text_width(number_in_words(tick, decimals_for(step)), kFont));
    }
    width = std::max(width, colouring.has_missing ? 20 + text_width("no value", kFont) : 60.0);
  }
  return std::min(width + 4, 0.36 * options.width);
}

std::string draw_legend(const Colouring& colouring, const PlotOptions& options, Box box) {
  if (box.width <= 0) return "";
  std::string svg;
  if (!options.legend_title.empty()) {
    svg += text_at(box.x, box.y + 12, shortened(options.legend_title, box.width, kFont * 1.06),
                   "font-weight=\"600\"");
    box.y += kRowHeight + 4;
    box.height -= kRowHeight + 4;
  }
  return svg + (colouring.has_scale ? draw_colour_bar(colouring, box) : draw_names(colouring, box));
}

}  // namespace geotherm::detail
