// Text for pictures. In: names and numbers as users have them. Out: text that is safe in XML, fits
// its place, and stands in an order people expect.
#pragma once

#include <string>
#include <string_view>

#include "geotherm/texts.hpp"

namespace geotherm::detail {

inline constexpr double kFont = 12;  ///< pixels
inline constexpr std::string_view kInk = "#333333";
inline constexpr std::string_view kFaint = "#777777";

/// A length in pixels with at most one decimal, and never "-0".
std::string px(double value);
/// A <text> element; `content` is escaped, `attributes` ("fill=...") is not.
std::string text_at(double x, double y, std::string_view content, std::string_view attributes);

/// For element content and attributes: markup is escaped; bytes that are not UTF-8 and characters
/// that XML forbids become U+FFFD, line breaks and tabs become spaces.
std::string xml_escaped(std::string_view text);

/// The opening of a picture, with its white ground and, where there is one, the title: the caller
/// closes </svg>. Where the title is empty, `what` names the picture to those who do not see it.
std::string svg_opening(double width, double height, const std::string& title,
                        std::string_view what);
inline constexpr double kPictureMargin = 16, kTitleFont = 17;
/// Where what lies below the title begins.
double below_title(const std::string& title);

/// Estimated width in pixels of text in a sans-serif font of this size.
double text_width(std::string_view text, double font_size);

/// `text`, or as much of its beginning as fits together with an ellipsis.
std::string shortened(const std::string& text, double width, double font_size);

/// Order of names: numbers by value before words; "B2" before "B10".
bool natural_less(const std::string& a, const std::string& b);
/// Every text that a row has, once.
std::vector<std::string> in_natural_order(const Texts& texts);

/// "1,000" or "0.25" with this many decimals, "2.5e-7" where that would be long; minus as U+2212.
std::string number_in_words(double value, int n_decimals);

/// Decimals needed to tell multiples of `step` apart; `step` > 0.
int decimals_for(double step);

/// The largest of 1, 2, 5 times a power of ten that is at most `value`; 0 where none can be held.
double nice_below(double value);

}  // namespace geotherm::detail
