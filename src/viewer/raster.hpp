// A picture in pixels. In: shapes in pixels, with colours and opacities. Out: a PNG. Edges are
// smoothed by the share of a pixel they cover.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geotherm::detail {

using Rgb = std::array<double, 3>;  ///< 0 ... 255
/// "#rrggbb"; black for anything else.
Rgb colour_named(std::string_view name);

class Raster {
 public:
  Raster(int width, int height);

  /// Lines are added to a mask in which overlaps do not add up; `paint` puts it on the picture.
  void line(double x0, double y0, double x1, double y1, double width, bool has_round_ends);
  void box(double x, double y, double width, double height);
  void paint(const Rgb& colour, double opacity = 1);
  /// A box of colours from bottom to top, painted at once.
  void gradient(double x, double y, double width, double height, const std::vector<Rgb>& colours);

  /// RGB, 8 bits; the same picture gives the same bytes.
  std::string png(double pixels_per_inch) const;

 private:
  void cover(int x, int y, double share);

  int width_, height_;
  std::vector<std::uint8_t> pixels_;
  std::vector<float> mask_;
  std::vector<std::size_t> touched_;
};

}  // namespace geotherm::detail
