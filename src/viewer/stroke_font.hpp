// Letters as lines, for pictures in pixels that must not depend on fonts of the machine.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace geotherm::detail {

struct StrokePoint {
  double x = 0, y = 0;
};
/// The lines of one letter in a box of width 1 and height 1: y = 0 is the base line, 0.72 the
/// height of capitals. Letters outside ASCII, but for a few, are a box.
std::vector<std::vector<StrokePoint>> strokes_of(std::uint32_t code);

}  // namespace geotherm::detail
