// Pictures in pixels and in the terminal: form, colours, equal scales.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>

#include "geotherm/report.hpp"
#include "viewer/palette.hpp"
#include "viewer/raster.hpp"
#include "viewer/stroke_font.hpp"

namespace geotherm {
namespace {

struct Png {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
  std::size_t count(const std::string& colour) const {
    const detail::Rgb wanted = detail::colour_named(colour);
    std::size_t n = 0;
    for (std::size_t k = 0; k < rgb.size(); k += 3) {
      n += rgb[k] == wanted[0] && rgb[k + 1] == wanted[1] && rgb[k + 2] == wanted[2];
    }
    return n;
  }
};

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Chunks with their checksums; rows are differences to the one above.
Png decoded(const std::string& bytes) {
  Png png;
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string packed;
  for (std::size_t at = 8; at < bytes.size();) {
    const std::uint32_t n = big_endian(bytes, at);
    const std::string kind = bytes.substr(at + 4, 4);
    EXPECT_EQ(big_endian(bytes, at + 8 + n),
              crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + at + 4), n + 4));
    if (kind == "IHDR") {
      png.width = big_endian(bytes, at + 8);
      png.height = big_endian(bytes, at + 12);
    }
    if (kind == "IDAT") packed += bytes.substr(at + 8, n);
    at += 12 + n;
  }
  std::vector<std::uint8_t> rows(png.height * (3 * png.width + 1));
  uLongf n_rows = rows.size();
  EXPECT_EQ(uncompress(rows.data(), &n_rows, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  EXPECT_EQ(n_rows, rows.size());
  for (std::size_t y = 0; y < png.height; ++y) {
    for (std::size_t k = 0; k < 3 * png.width; ++k) {
      const int above = y == 0 ? 0 : png.rgb[(y - 1) * 3 * png.width + k];
      png.rgb.push_back(static_cast<std::uint8_t>(above + rows[y * (3 * png.width + 1) + 1 + k]));
    }
  }
  return png;
}

Matrix<double> corners() {
  Matrix<double> map(4, 2);
  map(1, 0) = map(2, 1) = map(3, 0) = map(3, 1) = 1;
  return map;
}

TEST(ScatterPng, HasTheSizeAndTheColoursOfTheCategories) {
  const PlotOptions options{.categories = {"a", "b", "a", "b"}, .width = 300, .height = 200};
  const Png png = decoded(scatter_png(corners(), options, 2));
  EXPECT_EQ(png.width, 600U);
  EXPECT_EQ(png.height, 400U);
  // The swatches of the legend are of the plain colour; the dots are mixed with the ground.
  for (const std::size_t category : {0, 1}) {
    EXPECT_GT(png.count(detail::category_colour(category)), 100U);
  }
  EXPECT_GT(png.count("#ffffff"), png.width * png.height * 8 / 10);
}

TEST(ScatterPng, IsTheSameEveryTimeAndDiffersWithThePoints) {
  Matrix<double> moved = corners();
  moved(3, 0) = 0.5;
  EXPECT_EQ(scatter_png(corners()), scatter_png(corners()));
  EXPECT_NE(scatter_png(corners()), scatter_png(moved));
}

TEST(ScatterPng, NumbersGetABarOfColoursFromLowToHigh) {
  const PlotOptions options{.values = {0, 1, 2, 3}, .width = 300, .height = 300};
  const Png png = decoded(scatter_png(corners(), options, 1));
  // The brightest colour of the scale lies above the darkest.
  std::size_t first_bright = 0, first_dark = 0;
  for (std::size_t k = 0; k < png.rgb.size() / 3; ++k) {
    const std::uint8_t* p = &png.rgb[3 * k];
    const bool is_in_bar = k % png.width > 230;
    if (is_in_bar && first_bright == 0 && p[0] > 220 && p[1] > 210 && p[2] < 60) first_bright = k;
    if (is_in_bar && first_dark == 0 && p[0] < 80 && p[1] < 20 && p[2] > 60) first_dark = k;
  }
  EXPECT_GT(first_bright, 0U);
  EXPECT_GT(first_dark, first_bright);
}

TEST(ScatterPng, ImpossibleSizesAreRefused) {
  EXPECT_THROW(scatter_png(corners(), {}, 0.1), InvalidArgument);
  EXPECT_THROW(scatter_png(corners(), {.width = 20000, .height = 20000}, 8), InvalidArgument);
}

TEST(StrokeFont, EveryLetterStaysInItsBoxAndNoTwoAreAlike) {
  std::vector<std::vector<std::vector<detail::StrokePoint>>> seen;
  for (std::uint32_t code = '!'; code <= '~'; ++code) {
    const auto strokes = detail::strokes_of(code);
    ASSERT_FALSE(strokes.empty()) << code;
    for (const auto& stroke : strokes) {
      ASSERT_FALSE(stroke.empty());
      for (const detail::StrokePoint& point : stroke) {
        ASSERT_TRUE(point.x > 0 && point.x < 1 && point.y >= -0.25 && point.y <= 0.75) << code;
      }
    }
    for (std::uint32_t other = '!'; other < code; ++other) {
      if ((other == '0' && code == 'O') || (other == 'I' && code == 'l')) continue;
      const auto theirs = detail::strokes_of(other);
      bool is_same = theirs.size() == strokes.size();
      for (std::size_t s = 0; is_same && s < strokes.size(); ++s) {
        is_same = theirs[s].size() == strokes[s].size();
        for (std::size_t p = 0; is_same && p < strokes[s].size(); ++p) {
          is_same = theirs[s][p].x == strokes[s][p].x && theirs[s][p].y == strokes[s][p].y;
        }
      }
      ASSERT_FALSE(is_same) << static_cast<char>(other) << static_cast<char>(code);
    }
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  lines.pop_back();
  return lines;
}

TEST(TerminalScatter, DrawsASquareAsASquare) {
  const std::string text =
      terminal_scatter(corners(), {}, {.columns = 20, .rows = 5, .has_colour = false});
  const auto lines = lines_of(text);
  // Five rows of four dots; as many dots across are ten columns, in the middle of twenty.
  ASSERT_EQ(lines.size(), 6U);
  const std::string blank(5, ' ');
  EXPECT_EQ(lines[0], blank + "\u2801" + std::string(8, ' ') + "\u2808");
  EXPECT_EQ(lines[4], blank + "\u2840" + std::string(8, ' ') + "\u2880");
  EXPECT_EQ(lines[5], "n = 4");
}

TEST(TerminalScatter, TakesOnlyTheRowsAFlatMapNeeds) {
  Matrix<double> map(50, 2);
  for (std::size_t i = 0; i < 50; ++i) map(i, 0) = static_cast<double>(i);
  const auto lines = lines_of(terminal_scatter(map, {}, {.columns = 30, .rows = 20}));
  EXPECT_EQ(lines.size(), 2U);
}

TEST(TerminalScatter, ColoursAndNamesAreThereAndCannotHarmTheTerminal) {
  const PlotOptions plot{.title = "a\x1b[2Jb", .categories = {"x", "y", "x", "e\x1b[31m"}};
  const std::string text = terminal_scatter(corners(), plot, {.columns = 20, .rows = 5});
  EXPECT_NE(text.find("\x1b[38;2;"), std::string::npos);
  EXPECT_NE(text.find("\u25cf"), std::string::npos);
  EXPECT_EQ(text.find("\x1b[2J"), std::string::npos);
  EXPECT_EQ(text.find("\x1b[31m"), std::string::npos);
  const std::string plain =
      terminal_scatter(corners(), plot, {.columns = 20, .rows = 5, .has_colour = false});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
}

TEST(TerminalScatter, OddMapsAreNoObstacle) {
  Matrix<double> map(3, 2, 1e308);
  map(1, 0) = -1e308;
  map(2, 1) = NAN;
  EXPECT_NE(terminal_scatter(map).find("(1 without finite"), std::string::npos);
  EXPECT_NE(terminal_scatter(Matrix<double>(4, 1)).find("n = 4"), std::string::npos);
  EXPECT_NE(terminal_scatter(Matrix<double>(0, 2)).find("n = 0"), std::string::npos);
  EXPECT_THROW(terminal_scatter(map, {}, {.columns = 1}), InvalidArgument);
  EXPECT_THROW(terminal_scatter(map, {.values = {1}}), InvalidArgument);
  EXPECT_NE(terminal_scatter(map, {.values = {NAN, NAN, NAN}}).find("no values"),
            std::string::npos);
}

}  // namespace
}  // namespace geotherm
