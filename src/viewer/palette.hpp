// Colours that colour-blind readers can tell apart. In: the number of a category, or a place on a
// scale. Out: "#rrggbb".
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace geotherm::detail {

inline constexpr std::string_view kMissingColour = "#b5b5b5";

/// From dark blue over green to yellow, evenly spaced in lightness; the first is 0, the last 1.
inline constexpr std::array<std::string_view, 16> kScaleColours = {
    "#440154", "#481a6c", "#472f7d", "#414487", "#39568c", "#31688e", "#2a788e", "#23888e",
    "#1f988b", "#22a884", "#35b779", "#54c568", "#7ad151", "#a5db36", "#d2e21b", "#fde725"};

/// Twenty distinct colours; further categories get them again, lighter, then darker.
std::string category_colour(std::size_t category);
/// `place` in [0, 1], between the colours of the scale.
std::string scale_colour(double place);

}  // namespace geotherm::detail
