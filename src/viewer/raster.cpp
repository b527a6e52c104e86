#include "viewer/raster.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>

#include "viewer/deflate.hpp"

namespace geotherm::detail {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return 0;
}

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

std::uint32_t checksum(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

std::string chunk(std::string_view kind, std::string_view data) {
  std::string body = std::string(kind) + std::string(data);
  const std::uint32_t sum = checksum(body);
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(sum);
}

}  // namespace

Rgb colour_named(std::string_view name) {
  if (name.size() != 7 || name[0] != '#') return {0, 0, 0};
  Rgb colour{};
  for (std::size_t i = 0; i < 3; ++i) {
    colour[i] = 16 * digit(name[1 + 2 * i]) + digit(name[2 + 2 * i]);
  }
  return colour;
}

Raster::Raster(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3, 255),
      mask_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0) {}

void Raster::cover(int x, int y, double share) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_ || !(share > 0)) return;
  const std::size_t at =
      static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  if (mask_[at] == 0) touched_.push_back(at);
  mask_[at] = std::max(mask_[at], static_cast<float>(std::min(share, 1.0)));
}

void Raster::line(double x0, double y0, double x1, double y1, double width, bool has_round_ends) {
  const double length = std::hypot(x1 - x0, y1 - y0), radius = width / 2;
  const double ux = length > 0 ? (x1 - x0) / length : 1, uy = length > 0 ? (y1 - y0) / length : 0;
  const auto clamped = [](double value, int most) {
    return static_cast<int>(std::clamp(value, -1.0, static_cast<double>(most)));
  };
  const int left = clamped(std::floor(std::min(x0, x1) - radius - 1), width_);
  const int right = clamped(std::ceil(std::max(x0, x1) + radius + 1), width_);
  const int top = clamped(std::floor(std::min(y0, y1) - radius - 1), height_);
  const int bottom = clamped(std::ceil(std::max(y0, y1) + radius + 1), height_);
  for (int y = top; y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) {
      const double dx = x + 0.5 - x0, dy = y + 0.5 - y0;
      const double along = dx * ux + dy * uy, across = dx * uy - dy * ux;
      if (has_round_ends) {
        const double beyond = along - std::clamp(along, 0.0, length);
        cover(x, y, radius + 0.5 - std::hypot(beyond, across));
      } else {
        const double ends = std::min(along + 0.5, length - along + 0.5);
        cover(x, y, std::min(radius + 0.5 - std::abs(across), 1.0) * std::clamp(ends, 0.0, 1.0));
      }
    }
  }
}

void Raster::box(double x, double y, double width, double height) {
  const auto overlap = [](double low, double high, int pixel) {
    return std::min(high, pixel + 1.0) - std::max(low, static_cast<double>(pixel));
  };
  const int left = std::max(0, static_cast<int>(std::floor(x)));
  const int right = std::min(width_ - 1, static_cast<int>(std::ceil(x + width)));
  const int bottom = std::min(height_ - 1, static_cast<int>(std::ceil(y + height)));
  for (int j = std::max(0, static_cast<int>(std::floor(y))); j <= bottom; ++j) {
    const double share = overlap(y, y + height, j);
    if (share <= 0) continue;
    for (int i = left; i <= right; ++i) {
      cover(i, j, share * std::max(0.0, overlap(x, x + width, i)));
    }
  }
}

void Raster::paint(const Rgb& colour, double opacity) {
  for (const std::size_t at : touched_) {
    const double share = opacity * static_cast<double>(mask_[at]);
    for (std::size_t c = 0; c < 3; ++c) {
      std::uint8_t& pixel = pixels_[3 * at + c];
      pixel = static_cast<std::uint8_t>(std::lround(pixel + (colour[c] - pixel) * share));
    }
    mask_[at] = 0;
  }
  touched_.clear();
}

void Raster::gradient(double x, double y, double width, double height,
                      const std::vector<Rgb>& colours) {
  if (colours.size() < 2 || !(height > 0)) return;
  for (double row = std::floor(y); row < y + height; ++row) {
    const double place = std::clamp((y + height - row - 0.5) / height, 0.0, 1.0) *
                         static_cast<double>(colours.size() - 1);
    const std::size_t below = std::min(static_cast<std::size_t>(place), colours.size() - 2);
    const double share = place - static_cast<double>(below);
    Rgb colour{};
    for (std::size_t c = 0; c < 3; ++c) {
      colour[c] = colours[below][c] + (colours[below + 1][c] - colours[below][c]) * share;
    }
    const double top = std::max(row, y);
    box(x, top, width, std::min(row + 1, y + height) - top);
    paint(colour);
  }
}

std::string Raster::png(double pixels_per_inch) const {
  const auto width = static_cast<std::size_t>(width_) * 3;
  // Each row as the difference to the one above: empty areas become zeros.
  std::string rows;
  rows.reserve((width + 1) * static_cast<std::size_t>(height_));
  for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y) {
    rows += '\2';
    for (std::size_t k = 0; k < width; ++k) {
      const int above = y > 0 ? pixels_[(y - 1) * width + k] : 0;
      rows += static_cast<char>(pixels_[y * width + k] - above);
    }
  }
  std::string header = big_endian(static_cast<std::uint32_t>(width_)) +
                       big_endian(static_cast<std::uint32_t>(height_));
  header += std::string("\x08\x02\0\0\0", 5);  // 8 bits, RGB
  const auto per_metre = static_cast<std::uint32_t>(std::lround(pixels_per_inch / 0.0254));
  const std::string density = big_endian(per_metre) + big_endian(per_metre) + '\1';
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("pHYs", density) +
         chunk("IDAT", deflated(rows, 9)) + chunk("IEND", "");
}

}  // namespace geotherm::detail
