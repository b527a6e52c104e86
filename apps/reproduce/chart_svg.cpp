// Charts of numbers measured over something. In: series of (x, y), perhaps with a spread. Out: one
// SVG with axes at round numbers, the lines and dots, and a legend.
#include "chart_svg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geotherm/core.hpp"
#include "viewer/colouring.hpp"
#include "viewer/palette.hpp"
#include "viewer/svg_text.hpp"

namespace geotherm {
namespace detail {
namespace {

constexpr double kMargin = kPictureMargin, kGap = 14, kKey = 26, kLine = 19;

struct Tick {
  double place = 0;  // on the axis, after the logarithm
  std::string label;
};

/// From values to pixels along one axis.
struct Axis {
  bool is_log = false;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double from = 0, to = 0;  // pixels of low and high
  std::vector<Tick> ticks = {};

  bool shows(double value) const { return std::isfinite(value) && (!is_log || value > 0); }
  double place(double value) const { return is_log ? std::log10(value) : value; }
  void reach(double value) {
    if (!shows(value)) return;
    low = std::min(low, place(value));
    high = std::max(high, place(value));
  }
  double at_place(double p) const { return from + (p - low) / (high - low) * (to - from); }
  double at(double value) const { return at_place(place(value)); }
};

/// "0.1", "20", "1e-6": as people write numbers on an axis.
std::string short_number(double value) {
  return number_in_words(value, value == 0 ? 0 : std::max(0, decimals_for(std::abs(value))));
}

void put_linear_ticks(Axis& axis, std::size_t most) {
  const double span = axis.high - axis.low;
  double step = nice_below(span / static_cast<double>(most));
  for (const double factor : {2.0, 2.5, 2.0}) {  // 1 -> 2 -> 5 -> 10 of the same power
    if (span / step > static_cast<double>(most)) step *= factor;
  }
  const int decimals = decimals_for(step);
  for (double k = std::ceil(axis.low / step - 1e-9); k * step <= axis.high + 1e-9 * span; ++k) {
    axis.ticks.push_back({k * step, number_in_words(k * step, decimals)});
  }
}

void put_log_ticks(Axis& axis) {
  const bool is_short = axis.high - axis.low < 2.5;
  for (double power = std::floor(axis.low); power <= axis.high; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && !is_short) continue;
      const double value = factor * std::pow(10.0, power), p = std::log10(value);
      if (p < axis.low - 1e-9 || p > axis.high + 1e-9) continue;
      axis.ticks.push_back({p, short_number(value)});
    }
  }
}

/// Gives the axis a range that is never empty, with a little air, and its ticks.
void settle(Axis& axis, std::size_t most_ticks) {
  if (!(axis.low <= axis.high)) axis.low = axis.high = 0;
  // Values so large that their range is not a number are drawn as if there were none.
  if (!std::isfinite(axis.high - axis.low)) axis.low = axis.high = 0;
  const double span = axis.high - axis.low;
  const double air =
      span > 1e-12 * std::max(std::abs(axis.low), std::abs(axis.high))
          ? 0.04 * span
          : std::max({1e-3 * std::abs(axis.high), axis.is_log ? 0.5 : 0.0,
                      axis.high == 0 ? 1.0 : 0.0, std::numeric_limits<double>::min() * 1e6});
  axis.low -= air;
  axis.high += air;
  if (axis.is_log) {
    put_log_ticks(axis);
  } else {
    put_linear_ticks(axis, most_ticks);
  }
}

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return "<path d=\"M" + px(x1) + " " + px(y1) + "L" + px(x2) + " " + px(y2) + "\" " +
         std::string(style) + "/>\n";
}

std::string draw_axes(const Axis& x, const Axis& y, const ChartOptions& options, const Box& frame) {
  const std::string faint = "fill=\"" + std::string(kFaint) + "\"";
  const double bottom = frame.y + frame.height;
  std::string svg;
  for (const Tick& tick : x.ticks) {
    const double at = x.at_place(tick.place);
    svg += line(at, frame.y, at, bottom, "stroke=\"#ececec\"");
    svg += text_at(at, bottom + 17, tick.label, faint + " text-anchor=\"middle\"");
  }
  for (const Tick& tick : y.ticks) {
    const double at = y.at_place(tick.place);
    svg += line(frame.x, at, frame.x + frame.width, at, "stroke=\"#ececec\"");
    svg += text_at(frame.x - 7, at + 4, tick.label, faint + " text-anchor=\"end\"");
  }
  svg += line(frame.x, bottom, frame.x + frame.width, bottom, "stroke=\"#999999\"");
  svg += line(frame.x, frame.y, frame.x, bottom, "stroke=\"#999999\"");
  if (!options.x_title.empty()) {
    svg += text_at(frame.x + frame.width / 2, bottom + 38,
                   shortened(options.x_title, frame.width, kFont), "text-anchor=\"middle\"");
  }
  if (!options.y_title.empty()) {
    const double middle = frame.y + frame.height / 2;
    svg += text_at(kMargin + kFont - 2, middle, shortened(options.y_title, frame.height, kFont),
                   "text-anchor=\"middle\" transform=\"rotate(-90 " + px(kMargin + kFont - 2) +
                       " " + px(middle) + ")\"");
  }
  return svg;
}

std::string draw_marks(const Axis& x, const ChartOptions& options, const Box& frame) {
  std::string svg;
  double row = 0;  // words of neighbouring marks one below the other
  for (const ChartMark& mark : options.marks) {
    if (!x.shows(mark.x)) continue;
    const double at = x.at(mark.x), y = frame.y + 13 + 14 * row;
    svg += line(at, frame.y, at, frame.y + frame.height,
                "stroke=\"#777777\" stroke-dasharray=\"2 3\"");
    const bool is_right = at > frame.x + frame.width - text_width(mark.label, kFont) - 8;
    svg += text_at(at + (is_right ? -5 : 5), y, mark.label,
                   std::string("fill=\"#555555\"") + (is_right ? " text-anchor=\"end\"" : ""));
    ++row;
  }
  return svg;
}

std::string stroke_of(const ChartSeries& series, std::size_t number) {
  std::string style = "stroke=\"" + category_colour(number) + "\" stroke-width=\"2\"";
  if (series.is_dashed) style += " stroke-dasharray=\"6 4\"";
  return style;
}

std::string draw_series(const ChartSeries& series, std::size_t number, const Axis& x,
                        const Axis& y) {
  std::string path, bars, dots;
  bool is_down = false;  // the pen
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!x.shows(series.x[i]) || !y.shows(series.y[i])) {
      is_down = false;
      continue;
    }
    const double at = x.at(series.x[i]), height = y.at(series.y[i]);
    const std::string place = px(at) + " " + px(height);
    path.append(is_down ? "L" : "M").append(place);
    is_down = true;
    if (!series.spread.empty() && std::isfinite(series.spread[i])) {
      const double low = y.at(series.y[i] - series.spread[i]);
      const double high = y.at(series.y[i] + series.spread[i]);
      bars.append("M").append(px(at)).append(" ").append(px(low));
      bars.append("V").append(px(high));
    }
    dots.append("M").append(place).append("h0");
  }
  const std::string colour = "stroke=\"" + category_colour(number) + "\"";
  std::string svg;
  if (!bars.empty()) {
    svg += "<path d=\"" + bars + "\" " + colour + " stroke-width=\"1.2\" stroke-opacity=\".6\"/>\n";
  }
  if (series.has_line && !path.empty()) {
    svg += "<path d=\"" + path + "\" " + stroke_of(series, number) + "/>\n";
  }
  if (series.has_dots && !dots.empty()) {
    svg +=
        "<path d=\"" + dots + "\" " + colour + " stroke-width=\"6\" stroke-linecap=\"round\"/>\n";
  }
  return svg;
}

double chart_legend_width(const std::vector<ChartSeries>& series, double most) {
  double widest = 0;
  for (const ChartSeries& s : series) {
    if (!s.name.empty()) widest = std::max(widest, kKey + 6 + text_width(s.name, kFont));
  }
  return std::min(widest, most);
}

std::string draw_chart_legend(const std::vector<ChartSeries>& series, double x, double y,
                              double width) {
  std::string svg;
  for (std::size_t s = 0; s < series.size(); ++s) {
    if (series[s].name.empty()) continue;
    if (series[s].has_line) svg += line(x, y, x + kKey - 4, y, stroke_of(series[s], s));
    if (series[s].has_dots) {
      svg += "<path d=\"M" + px(x + (kKey - 4) / 2) + " " + px(y) + "h0\" stroke=\"" +
             category_colour(s) + "\" stroke-width=\"6\" stroke-linecap=\"round\"/>\n";
    }
    svg += text_at(x + kKey + 2, y + 4, shortened(series[s].name, width - kKey, kFont), "");
    y += kLine;
  }
  return svg;
}

}  // namespace
}  // namespace detail

std::vector<std::string> issues_with(const ChartOptions& options) {
  return issues_with(PlotOptions{.width = options.width, .height = options.height});
}

std::string chart_svg(const std::vector<ChartSeries>& series, const ChartOptions& options) {
  using namespace detail;
  std::vector<std::string> issues = issues_with(options);
  for (const ChartSeries& s : series) {
    if (s.x.size() != s.y.size() || (!s.spread.empty() && s.spread.size() != s.y.size())) {
      issues.push_back("series '" + s.name + "' has " + std::to_string(s.x.size()) + " x, " +
                       std::to_string(s.y.size()) + " y and " + std::to_string(s.spread.size()) +
                       " spreads (give as many of each, or no spreads)");
    }
  }
  refuse_if_any(issues);

  Axis x = {.is_log = options.has_log_x}, y = {};
  for (const ChartSeries& s : series) {
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!x.shows(s.x[i]) || !y.shows(s.y[i])) continue;
      x.reach(s.x[i]);
      y.reach(s.y[i]);
      if (!s.spread.empty()) {
        y.reach(s.y[i] - s.spread[i]);
        y.reach(s.y[i] + s.spread[i]);
      }
    }
  }
  for (const ChartMark& mark : options.marks) x.reach(mark.x);
  for (std::size_t i = 0; i < options.x_names.size(); ++i) x.reach(static_cast<double>(i));
  const double width = options.width, height = options.height;
  settle(x, static_cast<std::size_t>(std::max(2.0, width / 90)));
  if (!options.x_names.empty()) x.ticks.clear();
  for (std::size_t i = 0; i < options.x_names.size(); ++i) {
    const auto value = static_cast<double>(i);
    if (x.shows(value)) x.ticks.push_back({x.place(value), options.x_names[i]});
  }
  settle(y, static_cast<std::size_t>(std::max(2.0, height / 60)));

  double labels = 0;
  for (const Tick& tick : y.ticks) labels = std::max(labels, text_width(tick.label, kFont));
  const double left = kMargin + labels + 10 + (options.y_title.empty() ? 0 : kFont + 10);
  const double top = below_title(options.title);
  const double legend = chart_legend_width(series, 0.4 * width);
  const double below = options.x_title.empty() ? 30 : 52;
  const Box frame = {left, top,
                     std::max(20.0, width - left - kMargin - (legend > 0 ? legend + kGap : 0)),
                     std::max(20.0, height - top - below)};
  x.from = frame.x;
  x.to = frame.x + frame.width;
  y.from = frame.y + frame.height;
  y.to = frame.y;

  std::string svg = svg_opening(width, height, options.title, "Chart");
  svg += draw_axes(x, y, options, frame);
  svg += "<g fill=\"none\" stroke-linejoin=\"round\">\n";
  for (std::size_t s = 0; s < series.size(); ++s) svg += draw_series(series[s], s, x, y);
  svg += "</g>\n";
  svg += draw_marks(x, options, frame);
  svg += draw_chart_legend(series, frame.x + frame.width + kGap, frame.y + 8, legend);
  return svg + "</svg>\n";
}

}  // namespace geotherm
