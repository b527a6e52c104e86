// The scatter plot in pixels. In: as for scatter_svg. Out: a PNG of the same picture: the SVG is
// made first and its few kinds of elements are drawn here, so that there is one design and not two.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "core/utf8.hpp"
#include "geotherm/report.hpp"
#include "viewer/raster.hpp"
#include "viewer/stroke_font.hpp"
#include "viewer/svg_text.hpp"

namespace geotherm {
namespace detail {
namespace {

using Attributes = std::map<std::string, std::string, std::less<>>;

struct Element {
  std::string name;
  Attributes attributes;
  std::string content;  // of <text>

  double number(std::string_view key, double otherwise = 0) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
  }
  std::string word(std::string_view key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? std::string() : found->second;
  }
};

std::string unescaped(std::string_view text) {
  static const std::map<std::string_view, char> kNames = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '&' ? text.find(';', at) : std::string_view::npos;
    const auto found =
        end == std::string_view::npos ? kNames.end() : kNames.find(text.substr(at, end + 1 - at));
    if (found == kNames.end()) {
      result += text[at];
    } else {
      result += found->second;
      at = end;
    }
  }
  return result;
}

// Elements in order, as scatter_svg writes them: no comments, every value in double quotes.
class SvgReader {
 public:
  explicit SvgReader(std::string_view svg) : rest_(svg) {}

  bool next(Element& element) {
    const std::size_t open = rest_.find('<');
    if (open == std::string_view::npos) return false;
    const std::size_t close = rest_.find('>', open);
    std::string_view tag = rest_.substr(open + 1, close - open - 1);
    rest_.remove_prefix(close + 1);
    const std::size_t end = std::min(tag.find(' '), tag.size());
    element.name = std::string(tag.substr(0, end));
    element.attributes.clear();
    element.content.clear();
    tag.remove_prefix(end);
    for (std::size_t equals = tag.find("=\""); equals != std::string_view::npos;
         equals = tag.find("=\"")) {
      const std::size_t quote = tag.find('"', equals + 2);
      std::string_view key = tag.substr(0, equals);
      key.remove_prefix(std::min(key.find_first_not_of(' '), key.size()));
      element.attributes[std::string(key)] =
          std::string(tag.substr(equals + 2, quote - equals - 2));
      tag.remove_prefix(quote + 1);
    }
    if (element.name == "text") {
      const std::size_t content_end = rest_.find('<');
      element.content = unescaped(rest_.substr(0, content_end));
      rest_.remove_prefix(content_end);
    }
    return true;
  }

 private:
  std::string_view rest_;
};

class Painter {
 public:
  Painter(int width, int height, double scale)
      : scale_(scale),
        raster_(static_cast<int>(std::lround(width * scale)),
                static_cast<int>(std::lround(height * scale))) {}

  void draw(const Element& element) {
    if (element.name == "g") {
      // Dots are in tenths of a pixel, with round ends.
      unit_ = 0.1;
      has_round_ends_ = true;
    } else if (element.name == "/g") {
      unit_ = 1;
      has_round_ends_ = false;
    } else if (element.name == "stop") {
      stops_.push_back(colour_named(element.word("stop-color")));
    } else if (element.name == "rect") {
      draw_box(element);
    } else if (element.name == "circle") {
      const double x = element.number("cx") * scale_, y = element.number("cy") * scale_;
      raster_.line(x, y, x, y, 2 * element.number("r") * scale_, true);
      raster_.paint(colour_named(element.word("fill")));
    } else if (element.name == "path") {
      draw_path(element);
    } else if (element.name == "text") {
      draw_text(element);
    }
  }
  std::string png() const { return raster_.png(96 * scale_); }

 private:
  void draw_box(const Element& element) {
    if (element.word("width") == "100%") return;  // the ground is white already
    const double x = element.number("x") * scale_, y = element.number("y") * scale_;
    const double width = element.number("width") * scale_;
    const double height = element.number("height") * scale_;
    if (element.word("fill").starts_with("url")) {
      raster_.gradient(x, y, width, height, stops_);
      return;
    }
    if (element.word("stroke").empty()) return;
    raster_.line(x, y, x + width, y, scale_, true);
    raster_.line(x + width, y, x + width, y + height, scale_, true);
    raster_.line(x + width, y + height, x, y + height, scale_, true);
    raster_.line(x, y + height, x, y, scale_, true);
    raster_.paint(colour_named(element.word("stroke")));
  }

  void draw_path(const Element& element) {
    const double factor = unit_ * scale_;
    const double width = element.number("stroke-width", 1) * factor;
    const std::string path = element.word("d");
    const char* at = path.c_str();
    double x = 0, y = 0;
    const auto number = [&] {
      char* end = nullptr;
      const double value = std::strtod(at, &end);
      at = end == at ? at + 1 : end;
      return value * factor;
    };
    while (*at != '\0') {
      const char command = *at++;
      const double from_x = x, from_y = y;
      if (command == 'M') {
        x = number();
        y = number();
      } else if (command == 'm') {
        x += number();
        y += number();
      } else if (command == 'h' || command == 'v') {
        (command == 'h' ? x : y) += number();
        raster_.line(from_x, from_y, x, y, width, has_round_ends_);
      }
    }
    raster_.paint(colour_named(element.word("stroke")), element.number("stroke-opacity", 1));
  }

  void draw_text(const Element& element) {
    const double size = element.number("font-size", kFont);
    const bool is_bold = !element.word("font-weight").empty();
    double x = element.number("x");
    if (element.word("text-anchor") == "end") x -= text_width(element.content, size);
    const double y = element.number("y");
    for (std::size_t at = 0; at < element.content.size();) {
      const std::size_t begin = at;
      const std::uint32_t code = next_code_point(element.content, at);
      const double width =
          text_width(std::string_view(element.content).substr(begin, at - begin), size);
      for (const auto& stroke : strokes_of(code)) {
        for (std::size_t k = 0; k < std::max<std::size_t>(stroke.size() - 1, 1); ++k) {
          const StrokePoint from = stroke[k], to = stroke[std::min(k + 1, stroke.size() - 1)];
          raster_.line((x + from.x * width) * scale_, (y - from.y * size) * scale_,
                       (x + to.x * width) * scale_, (y - to.y * size) * scale_,
                       size * (is_bold ? 0.12 : 0.085) * scale_, true);
        }
      }
      x += width;
    }
    const std::string fill = element.word("fill");
    raster_.paint(colour_named(fill.empty() ? kInk : fill));
  }

  double scale_;
  double unit_ = 1;
  bool has_round_ends_ = false;
  Raster raster_;
  std::vector<Rgb> stops_;
};

}  // namespace
}  // namespace detail

std::string scatter_png(MatrixView<const double> coordinates, const PlotOptions& options,
                        double scale) {
  std::vector<std::string> issues = issues_with(options);
  if (!(scale >= 0.5 && scale <= 8)) {
    issues.push_back("scale is " + std::to_string(scale) + "; it lies between 0.5 and 8");
  } else if (options.width * scale * options.height * scale > 1e8) {
    issues.push_back("the picture has more than 100,000,000 pixels; take a smaller width or scale");
  }
  refuse_if_any(issues);
  const std::string svg = scatter_svg(coordinates, options);
  detail::Painter painter(options.width, options.height, scale);
  detail::SvgReader reader(svg);
  detail::Element element;
  while (reader.next(element)) painter.draw(element);
  return painter.png();
}

}  // namespace geotherm
