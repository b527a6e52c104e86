// The scatter plot in a terminal. In: coordinates and colours. Out: lines of text: braille
// patterns, two by four dots a character (dots are square, so both axes share one scale), with ANSI
// colours.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/utf8.hpp"
#include "geotherm/report.hpp"
#include "viewer/colouring.hpp"
#include "viewer/palette.hpp"
#include "viewer/raster.hpp"
#include "viewer/svg_text.hpp"

namespace geotherm {
namespace detail {
namespace {

struct Cell {
  unsigned dots = 0;
  std::map<std::size_t, int> n_of_colour;
};

// The bit of a dot within a braille character, by row and column.
constexpr unsigned kBits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

std::string painted(const std::string& text, const std::string& colour, bool is_coloured) {
  if (!is_coloured) return text;
  const Rgb rgb = colour_named(colour);
  std::string code = "\x1b[38;2";
  for (const double part : rgb) code.append(";").append(std::to_string(static_cast<int>(part)));
  return code.append("m").append(text).append("\x1b[0m");
}

// Without control characters: a name must not move the cursor.
std::string plain(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t code = next_code_point(text, at);
    append_utf8(result, code < 0x20 || (code >= 0x7F && code < 0xA0) ? ' ' : code);
  }
  return result;
}

std::size_t n_letters(std::string_view text) {
  std::size_t n = 0;
  for (std::size_t at = 0; at < text.size(); ++n) next_code_point(text, at);
  return n;
}

std::string legend_line(const Colouring& colouring, const PlotOptions& plot,
                        const TerminalOptions& options) {
  std::string text = plot.legend_title.empty() ? "" : plain(plot.legend_title) + ": ";
  std::size_t used = n_letters(text);
  if (colouring.has_scale) {
    if (!(colouring.low <= colouring.high)) return text + "no values";
    const int n_decimals =
        decimals_for(std::max(nice_below((colouring.high - colouring.low) / 4), 1e-12));
    text += number_in_words(colouring.low, n_decimals) + " ";
    for (int i = 0; i < 24; ++i) {
      text += painted("\u2588", scale_colour((i + 0.5) / 24), options.has_colour);
    }
    return text + " " + number_in_words(colouring.high, n_decimals);
  }
  for (std::size_t i = 0; i < colouring.names.size(); ++i) {
    const std::string name = plain(colouring.names[i]);
    const std::size_t n = n_letters(name) + 4;
    if (used > 0 && used + n > static_cast<std::size_t>(options.columns)) {
      text += "\n";
      used = 0;
    } else if (i > 0) {
      text += "  ";
    }
    text += painted("\u25cf", colouring.colours[i], options.has_colour) + " " + name;
    used += n;
  }
  return text;
}

}  // namespace
}  // namespace detail

std::vector<std::string> issues_with(const TerminalOptions& options) {
  std::vector<std::string> issues;
  const auto check = [&](const char* field, int value) {
    if (value >= 4 && value <= 2000) return;
    issues.push_back(std::string(field) + " is " + std::to_string(value) +
                     "; a picture has between 4 and 2000 characters a side");
  };
  check("columns", options.columns);
  check("rows", options.rows);
  return issues;
}

std::string terminal_scatter(MatrixView<const double> coordinates, const PlotOptions& plot,
                             const TerminalOptions& options) {
  using namespace detail;
  std::vector<std::string> issues = issues_with(options);
  for (const std::size_t n : {plot.values.size(), plot.categories.size()}) {
    if (n != 0 && n != coordinates.rows) {
      issues.push_back("there are " + std::to_string(n) + " colours for " +
                       std::to_string(coordinates.rows) + " points (give one per point, or none)");
    }
  }
  refuse_if_any(issues);
  const Colouring colouring = choose_colours(coordinates.rows, plot);

  std::vector<std::size_t> shown;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  const auto at = [&](std::size_t i, std::size_t j) {
    return j < coordinates.cols ? coordinates(i, j) : 0.0;
  };
  for (std::size_t i = 0; i < coordinates.rows; ++i) {
    if (!std::isfinite(at(i, 0)) || !std::isfinite(at(i, 1))) continue;
    shown.push_back(i);
    for (std::size_t j = 0; j < 2; ++j) {
      low[j] = std::min(low[j], at(i, j));
      high[j] = std::max(high[j], at(i, j));
    }
  }
  const int n_x = 2 * options.columns, n_y = 4 * options.rows;
  // Halves, so that the range of the largest doubles does not overflow.
  const double half_x = high[0] / 2 - low[0] / 2, half_y = high[1] / 2 - low[1] / 2;
  const double step = std::max(half_x / (n_x - 1), half_y / (n_y - 1));
  // As many rows as the points take, in the middle of the columns.
  const int used_y =
      step > 0 ? static_cast<int>(std::ceil((half_y / step + 1) / 4)) * 4 : std::min(n_y, 4);
  std::vector<Cell> cells(static_cast<std::size_t>(options.columns) *
                          static_cast<std::size_t>(used_y / 4));
  for (const std::size_t i : shown) {
    const auto place = [&](std::size_t j, double half, int n) {
      const double from_middle = (at(i, j) / 2 - low[j] / 2) - half / 2;
      const double dots = step > 0 ? from_middle / step : 0;
      return std::clamp(static_cast<int>(std::lround(dots + (n - 1) / 2.0)), 0, n - 1);
    };
    const int x = place(0, half_x, n_x), y = used_y - 1 - place(1, half_y, used_y);
    Cell& cell = cells[static_cast<std::size_t>(y / 4) * static_cast<std::size_t>(options.columns) +
                       static_cast<std::size_t>(x / 2)];
    cell.dots |= kBits[y % 4][x % 2];
    ++cell.n_of_colour[colouring.of_point[i]];
  }

  std::string text = plot.title.empty() ? "" : plain(plot.title) + "\n";
  for (std::size_t row = 0; row < static_cast<std::size_t>(used_y / 4); ++row) {
    std::string line;
    std::size_t n_blank = 0;  // blanks at the end of a line are left out
    for (std::size_t column = 0; column < static_cast<std::size_t>(options.columns); ++column) {
      const Cell& cell = cells[row * static_cast<std::size_t>(options.columns) + column];
      if (cell.dots == 0) {
        ++n_blank;
        continue;
      }
      line.append(n_blank, ' ');
      n_blank = 0;
      std::string letter;
      append_utf8(letter, 0x2800 + cell.dots);
      const auto most =
          std::max_element(cell.n_of_colour.begin(), cell.n_of_colour.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      line += painted(letter, colouring.colours[most->first], options.has_colour);
    }
    text += line + "\n";
  }
  const std::string legend = legend_line(colouring, plot, options);
  if (!legend.empty()) text += legend + "\n";
  text += "n = " + number_in_words(static_cast<double>(shown.size()), 0);
  if (shown.size() < coordinates.rows) {
    text += " (" + number_in_words(static_cast<double>(coordinates.rows - shown.size()), 0) +
            " without finite coordinates left out)";
  }
  return text + "\n";
}

}  // namespace geotherm
