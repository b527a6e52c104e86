// Escaping, measuring, ordering and formatting the text of pictures.
#include "viewer/svg_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "core/utf8.hpp"

namespace geotherm::detail {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<double> as_number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || next != end || std::isnan(value)) return std::nullopt;
  return value;
}

// -1, 0, 1. Runs of digits count as whole numbers, letters without regard to case.
int compare_words(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto run = [](std::string_view text, std::size_t& at) {
        while (at < text.size() && text[at] == '0') ++at;
        const std::size_t start = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(start, at - start);
      };
      const std::string_view x = run(a, i), y = run(b, j);
      if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
      if (x != y) return x < y ? -1 : 1;
      continue;
    }
    const int x = std::tolower(static_cast<unsigned char>(a[i++]));
    const int y = std::tolower(static_cast<unsigned char>(b[j++]));
    if (x != y) return x < y ? -1 : 1;
  }
  if (i == a.size() && j == b.size()) return 0;
  return i == a.size() ? -1 : 1;
}

// Of the size of the font; close to Helvetica's, for a legend need not be exact.
double width_of(std::uint32_t code) {
  if (code >= 0x1100) return 1.0;
  if (code > 0x7F) return 0.6;
  const char c = static_cast<char>(code);
  if (std::string_view("ijl.,:;'|!ft()[] -").find(c) != std::string_view::npos) return 0.32;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 0.86;
  if (c >= 'A' && c <= 'Z') return 0.68;
  return 0.56;
}

}  // namespace

std::string px(double value) {
  // Whatever went before, no "nan" and no overflow can reach the file.
  const double bounded = std::isnan(value) ? 0 : std::clamp(value, -1e6, 1e6);
  const long long tenths = std::llround(bounded * 10);
  std::string text = tenths < 0 ? "-" : "";
  text += std::to_string(std::abs(tenths) / 10);
  if (tenths % 10 != 0) {
    text += '.';
    text += std::to_string(std::abs(tenths) % 10);
  }
  return text;
}

std::string text_at(double x, double y, std::string_view content, std::string_view attributes) {
  std::string element = "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\"";
  if (!attributes.empty()) element.append(" ").append(attributes);
  return element + ">" + xml_escaped(content) + "</text>\n";
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t code = next_code_point(text, at);
    switch (code) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '\t':
      case '\n':
      case '\r':
        result += ' ';
        break;
      default: {
        const bool is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
        const bool is_forbidden = code == 0xFFFE || code == 0xFFFF;
        append_utf8(result, is_control || is_forbidden ? kReplacement : code);
      }
    }
  }
  return result;
}

std::string svg_opening(double width, double height, const std::string& title,
                        std::string_view what) {
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + px(width) +
                    "\" height=\"" + px(height) + "\" viewBox=\"0 0 " + px(width) + " " +
                    px(height) + "\" role=\"img\" aria-label=\"";
  svg += xml_escaped(title.empty() ? what : title) +
         "\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"" +
         px(kFont) + "\" fill=\"" + std::string(kInk) + "\">\n";
  svg += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  if (!title.empty()) {
    svg += text_at(kPictureMargin, kPictureMargin + kTitleFont - 3,
                   shortened(title, width - 2 * kPictureMargin, kTitleFont * 1.05),
                   "font-size=\"" + px(kTitleFont) + "\" font-weight=\"600\"");
  }
  return svg;
}

double below_title(const std::string& title) {
  return kPictureMargin + (title.empty() ? 0 : kTitleFont + 12);
}

double text_width(std::string_view text, double font_size) {
  double width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(next_code_point(text, at));
  return width * font_size;
}

std::string shortened(const std::string& text, double width, double font_size) {
  if (text_width(text, font_size) <= width) return text;
  double used = font_size;  // the ellipsis
  std::size_t at = 0, end = 0;
  while (at < text.size()) {
    used += width_of(next_code_point(text, at)) * font_size;
    if (used > width) break;
    end = at;
  }
  return text.substr(0, end) + "\u2026";
}

bool natural_less(const std::string& a, const std::string& b) {
  const auto x = as_number(a), y = as_number(b);
  if (x.has_value() != y.has_value()) return x.has_value();
  if (x.has_value() && *x != *y) return *x < *y;
  const int order = compare_words(a, b);
  return order != 0 ? order < 0 : a < b;
}

std::vector<std::string> in_natural_order(const Texts& texts) {
  std::vector<char> is_used(texts.names().size(), 0);
  for (const Index code : texts.codes()) is_used[static_cast<std::size_t>(code)] = 1;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < is_used.size(); ++k) {
    if (is_used[k] != 0) names.push_back(texts.names()[k]);
  }
  std::sort(names.begin(), names.end(), natural_less);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string number_in_words(double value, int n_decimals) {
  char digits[64];
  const double size = std::abs(value);
  std::string text;
  if (size >= 1e7 || n_decimals > 5) {
    const auto end =
        std::to_chars(digits, digits + sizeof(digits), value, std::chars_format::scientific, 3).ptr;
    text.assign(digits, end);
    const std::size_t e = text.find('e');
    std::string mantissa = text.substr(0, e);
    int exponent = 0;
    std::from_chars(digits + e + (digits[e + 1] == '+' ? 2 : 1), end, exponent);
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.ends_with('.')) mantissa.pop_back();
    if (size == 0) return "0";
    text = mantissa;
    text += 'e';
    text += std::to_string(exponent);
  } else {
    text.assign(digits, std::to_chars(digits, digits + sizeof(digits), value,
                                      std::chars_format::fixed, n_decimals)
                            .ptr);
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    for (std::size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, 1, ',');
    if (text.find_first_of("123456789") == std::string::npos && first == 1) text.erase(0, 1);
  }
  std::string result;
  for (const char c : text) {
    if (c == '-') {
      result += "\u2212";
    } else {
      result += c;
    }
  }
  return result;
}

int decimals_for(double step) {
  return std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
}

double nice_below(double value) {
  if (!(value > 0) || !std::isfinite(value)) return 0;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  if (!(power > 0)) return 0;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power <= value) return factor * power;
  }
  return power / 2;  // log10 rounded up: 5 of the next lower power
}

}  // namespace geotherm::detail
