// The colour tables and what lies between their entries.
#include "viewer/palette.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace geotherm::detail {
namespace {

// The palette of Okabe and Ito (without black, and yellow late: it is weak on white), then a second
// sequence of muted tones chosen to differ from it in lightness.
constexpr std::array<std::string_view, 20> kCategories = {
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#5e4fa2",
    "#a6761d", "#882255", "#999933", "#444444", "#f0e442", "#44aa99", "#b2182b",
    "#9fb8e8", "#117733", "#e7a6c5", "#6b4c3b", "#c5c35e", "#332288"};

using Rgb = std::array<double, 3>;

Rgb parsed(std::string_view colour) {
  Rgb rgb = {};
  for (std::size_t i = 0; i < 3; ++i) {
    int value = 0;
    std::from_chars(colour.data() + 1 + 2 * i, colour.data() + 3 + 2 * i, value, 16);
    rgb[i] = value;
  }
  return rgb;
}

std::string mixed(const Rgb& a, const Rgb& b, double share_of_b) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string colour = "#";
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = a[i] + (b[i] - a[i]) * share_of_b;
    const auto byte = static_cast<std::size_t>(std::lround(std::clamp(value, 0.0, 255.0)));
    colour += kDigits[byte / 16];
    colour += kDigits[byte % 16];
  }
  return colour;
}

}  // namespace

std::string category_colour(std::size_t category) {
  const Rgb colour = parsed(kCategories[category % kCategories.size()]);
  switch (category / kCategories.size() % 3) {
    case 0:
      return mixed(colour, colour, 0);
    case 1:
      return mixed(colour, {255, 255, 255}, 0.45);
    default:
      return mixed(colour, {0, 0, 0}, 0.4);
  }
}

std::string scale_colour(double place) {
  constexpr std::size_t n_steps = kScaleColours.size() - 1;
  const double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(n_steps);
  const std::size_t below = std::min(static_cast<std::size_t>(at), n_steps - 1);
  return mixed(parsed(kScaleColours[below]), parsed(kScaleColours[below + 1]),
               at - static_cast<double>(below));
}

}  // namespace geotherm::detail
