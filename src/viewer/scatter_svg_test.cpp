// The picture: well-formed whatever the names, finite whatever the numbers, true to distances.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "geotherm/report.hpp"
#include "viewer/palette.hpp"
#include "viewer/svg_checks.hpp"
#include "viewer/svg_text.hpp"

namespace geotherm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Dot {
  double x, y;
};

// Places of the coloured dots, in pixels, in order of drawing.
std::vector<Dot> dots_of(const std::string& svg) {
  std::vector<Dot> dots;
  for (std::size_t at = svg.find("<path stroke="); at != std::string::npos;
       at = svg.find("<path stroke=", at + 1)) {
    if (svg.compare(at, 21, "<path stroke=\"#ffffff") == 0) continue;
    const std::size_t end = svg.find("/>", at);
    for (std::size_t m = svg.find('M', at); m < end; m = svg.find('M', m + 1)) {
      Dot dot = {};
      const char* last = svg.data() + end;
      const auto x = std::from_chars(svg.data() + m + 1, last, dot.x);
      const auto y = std::from_chars(x.ptr + 1, last, dot.y);
      EXPECT_EQ(std::string_view(y.ptr, 2), "h0");
      dots.push_back({dot.x / 10, dot.y / 10});
    }
  }
  return dots;
}

Matrix<double> cloud(std::size_t n, std::size_t cols = 2, double size = 1) {
  Rng rng(3, "scatter_svg_test.cloud");
  Matrix<double> points(n, cols);
  for (std::size_t i = 0; i < points.size(); ++i) points.data()[i] = size * rng.normal();
  return points;
}

TEST(ScatterSvg, EveryPointIsDrawnInsideThePicture) {
  for (const std::size_t n : {1u, 2u, 3u, 100u, 1500u, 1501u, 5000u}) {
    const std::string svg = scatter_svg(cloud(n));
    expect_sound(svg);
    const auto dots = dots_of(svg);
    EXPECT_EQ(dots.size(), n);
    for (const Dot& dot : dots) {
      EXPECT_TRUE(dot.x > 0 && dot.x < 720 && dot.y > 0 && dot.y < 600);
    }
  }
}

TEST(ScatterSvg, BothAxesShareOneScaleAndUpIsUp) {
  Matrix<double> square(3, 2, 0.0);
  square(1, 0) = 8;  // right of the first
  square(2, 1) = 2;  // above the first
  auto dots = dots_of(scatter_svg(square));
  ASSERT_EQ(dots.size(), 3u);
  std::sort(dots.begin(), dots.end(), [](Dot a, Dot b) { return a.x < b.x; });
  if (dots[0].y < dots[1].y) std::swap(dots[0], dots[1]);
  const double right = dots[2].x - dots[0].x, up = dots[0].y - dots[1].y;
  EXPECT_GT(up, 0);
  EXPECT_NEAR(right / up, 4, 0.01);  // places are rounded to a tenth of some 160 pixels
}

TEST(ScatterSvg, TheScaleBarIsAsLongAsItSays) {
  Matrix<double> pair(2, 2, 0.0);
  pair(1, 0) = 100;
  const std::string svg = scatter_svg(pair);
  const auto dots = dots_of(svg);
  const double pixels_a_unit = std::abs(dots[1].x - dots[0].x) / 100;
  const std::size_t at = svg.find("v8m0-4h") + 7;
  double bar = 0;
  std::from_chars(svg.data() + at, svg.data() + svg.size(), bar);
  EXPECT_TRUE(contains(svg, ">distance 20<"));
  EXPECT_NEAR(bar, 20 * pixels_a_unit, 0.11);  // both are rounded to tenths
}

TEST(ScatterSvg, NothingOneAndEqualPointsAreDrawnInTheMiddle) {
  expect_sound(scatter_svg(Matrix<double>(0, 2)));
  expect_sound(scatter_svg(Matrix<double>(0, 0)));
  expect_sound(scatter_svg(Matrix<double>(3, 0)));
  for (const std::size_t n : {1u, 4u}) {
    for (const double value : {0.0, -7.5, 1e300, 1e-310}) {
      const std::string svg = scatter_svg(Matrix<double>(n, 2, value));
      expect_sound(svg);
      const auto dots = dots_of(svg);
      ASSERT_EQ(dots.size(), n);
      EXPECT_NEAR(dots[0].x, 360, 0.1);
      EXPECT_FALSE(contains(svg, "distance"));  // there is no distance to show
    }
  }
}

TEST(ScatterSvg, ScalesFromTheSmallestToTheLargestNumbersWork) {
  const auto usual = dots_of(scatter_svg(cloud(50)));
  for (const double size : {1e-300, 1e-8, 1e8, 1e300}) {
    const std::string svg = scatter_svg(cloud(50, 2, size));
    expect_sound(svg);
    const auto dots = dots_of(svg);
    ASSERT_EQ(dots.size(), 50u);
    for (std::size_t i = 0; i < 50; ++i) EXPECT_NEAR(dots[i].x, usual[i].x, 0.11);
  }
  Matrix<double> extremes(2, 2, std::numeric_limits<double>::max());
  extremes(0, 0) = extremes(0, 1) = std::numeric_limits<double>::lowest();
  expect_sound(scatter_svg(extremes));
  Matrix<double> smallest(2, 2, 0.0);
  smallest(0, 0) = std::numeric_limits<double>::denorm_min();
  expect_sound(scatter_svg(smallest));
  const std::vector<double> wide = {std::numeric_limits<double>::lowest(),
                                    std::numeric_limits<double>::max()};
  expect_sound(scatter_svg(extremes, {.values = wide}));
  expect_sound(scatter_svg(extremes, {.values = {0, std::numeric_limits<double>::denorm_min()}}));
}

TEST(ScatterSvg, OneColumnIsAStripAndFurtherColumnsAreIgnored) {
  const auto strip = dots_of(scatter_svg(cloud(20, 1)));
  ASSERT_EQ(strip.size(), 20u);
  for (const Dot& dot : strip) EXPECT_EQ(dot.y, strip[0].y);
  const Matrix<double> wide = cloud(20, 5);
  const MatrixView<const double> first_two{wide.data(), 20, 2, 5};
  EXPECT_EQ(scatter_svg(wide), scatter_svg(first_two));
}

TEST(ScatterSvg, PointsWithoutAPlaceAreLeftOutAndCounted) {
  Matrix<double> points = cloud(10);
  points(2, 0) = kNan;
  points(5, 1) = -kInfinity;
  std::vector<double> values(10, 1.0);
  values[0] = kInfinity;
  values[1] = 3;
  const std::string svg = scatter_svg(points, {.values = values});
  EXPECT_EQ(fault_in_xml(svg), "");
  EXPECT_EQ(dots_of(svg).size(), 8u);
  EXPECT_TRUE(contains(svg, "n = 8 (2 without finite coordinates left out)"));
  EXPECT_TRUE(contains(svg, "stroke=\"#b5b5b5\""));
  EXPECT_TRUE(contains(svg, ">no value<"));
}

TEST(ScatterSvg, TextCannotBreakThePicture) {
  const std::string evil = "<script>&\"'</text>\x01\x1F\x7F\xFF\xC3(\xED\xA0\x80]]>\t\n";
  PlotOptions options = {.title = evil, .categories = {evil, "b", ""}, .legend_title = evil};
  const std::string svg = scatter_svg(cloud(3), options);
  expect_sound(svg);
  EXPECT_FALSE(contains(svg, "<script"));
  EXPECT_TRUE(contains(svg, "&lt;script&gt;"));
  EXPECT_TRUE(contains(svg, "(no name)"));
  EXPECT_EQ(detail::xml_escaped("a\xFFz\xC3\xA9"), "a\uFFFDz\u00E9");
  EXPECT_EQ(detail::xml_escaped("\x02<\xEF\xBF\xBF"), "\uFFFD&lt;\uFFFD");
}

TEST(ScatterSvg, TheLegendIsInNaturalOrderAndCapped) {
  std::vector<std::string> names;
  for (int i = 0; i < 45; ++i) names.push_back(std::string("c").append(std::to_string(44 - i)));
  PlotOptions options{.categories = names};
  const std::string svg = scatter_svg(cloud(45), options);
  expect_sound(svg);
  EXPECT_LT(svg.find(">c2<"), svg.find(">c10<"));
  EXPECT_TRUE(contains(svg, ">c28<"));
  EXPECT_FALSE(contains(svg, ">c29<"));
  EXPECT_TRUE(contains(svg, ">\u2026 and 16 more<"));
  options.height = 240;
  EXPECT_TRUE(contains(scatter_svg(cloud(45), options), " more<"));
}

TEST(ScatterSvg, ValuesGetABarWithRoundTicks) {
  std::vector<double> values(100);
  for (std::size_t i = 0; i < 100; ++i) values[i] = static_cast<double>(i) / 99;
  const std::string svg = scatter_svg(cloud(100), {.values = values, .legend_title = "time"});
  expect_sound(svg);
  for (const char* label : {">0.0<", ">0.2<", ">0.4<", ">0.6<", ">0.8<", ">1.0<", ">time<"}) {
    EXPECT_TRUE(contains(svg, label)) << label;
  }
  const std::string constant = scatter_svg(cloud(3), {.values = {2.5, 2.5, 2.5}});
  expect_sound(constant);
  EXPECT_TRUE(contains(constant, ">2.500<"));
  expect_sound(scatter_svg(cloud(2), {.values = {kNan, kNan}}));
}

TEST(ScatterSvg, CategoriesWinOverValues) {
  const PlotOptions options = {.values = {1, 2}, .categories = {"a", "b"}};
  const std::string svg = scatter_svg(cloud(2), options);
  EXPECT_TRUE(contains(svg, ">a<"));
  EXPECT_FALSE(contains(svg, "linearGradient"));
}

TEST(ScatterSvg, TenThousandPointsTakeSomeTwelveBytesEach) {
  std::vector<std::string> names;
  for (int i = 0; i < 10'000; ++i) names.push_back(std::to_string(i % 12));
  PlotOptions options{.categories = names};
  const std::string svg = scatter_svg(cloud(10'000), options);
  EXPECT_LT(svg.size(), 150'000u);
  EXPECT_EQ(svg, scatter_svg(cloud(10'000), options));
}

TEST(ScatterSvg, ImpossibleOptionsAreRefusedAllAtOnce) {
  EXPECT_TRUE(issues_with(PlotOptions{}).empty());
  PlotOptions options = {.values = {1}, .categories = {"a", "b"}, .width = 0, .height = 99'999};
  try {
    scatter_svg(cloud(3), options);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_TRUE(contains(message, "width is 0"));
    EXPECT_TRUE(contains(message, "height is 99999"));
    EXPECT_TRUE(contains(message, "values has 1 entries for 3 points"));
    EXPECT_TRUE(contains(message, "categories has 2 entries for 3 points"));
  }
  for (const int side : {120, 20'000}) {
    options = {.title = "A title", .categories = {"a long name", "b", "c"}};
    options.width = options.height = side;
    expect_sound(scatter_svg(cloud(3), options));
  }
}

TEST(Palette, ColoursAreDistinctAndTheScaleEndsWhereItShould) {
  std::set<std::string> colours;
  for (std::size_t i = 0; i < 60; ++i) {
    colours.insert(detail::category_colour(i));
    EXPECT_EQ(detail::category_colour(i).size(), 7u);
  }
  EXPECT_EQ(colours.size(), 60u);
  EXPECT_EQ(detail::scale_colour(-1), "#440154");
  EXPECT_EQ(detail::scale_colour(0), "#440154");
  EXPECT_EQ(detail::scale_colour(1), "#fde725");
  EXPECT_EQ(detail::scale_colour(1.0 / 15), "#481a6c");
}

TEST(SvgText, NamesAreOrderedAsPeopleExpect) {
  std::vector<std::string> names = {"b10", "B2", "10", "a", "-1", "9", "b2", "1.5", "b02", ""};
  std::sort(names.begin(), names.end(), detail::natural_less);
  EXPECT_EQ(names,
            (std::vector<std::string>{"-1", "1.5", "9", "10", "", "a", "B2", "b02", "b2", "b10"}));
}

TEST(SvgText, NumbersAreShortAndReadable) {
  EXPECT_EQ(detail::number_in_words(1234567, 0), "1,234,567");
  EXPECT_EQ(detail::number_in_words(-1234.5, 1), "\u22121,234.5");
  EXPECT_EQ(detail::number_in_words(-0.0, 2), "0.00");
  EXPECT_EQ(detail::number_in_words(2.5e-7, 8), "2.5e\u22127");
  EXPECT_EQ(detail::number_in_words(2e30, 0), "2e30");
  EXPECT_EQ(detail::nice_below(99), 50);
  EXPECT_EQ(detail::nice_below(1000), 1000);
  EXPECT_EQ(detail::nice_below(0.0299), 0.02);
  EXPECT_EQ(detail::nice_below(0), 0);
  EXPECT_EQ(detail::decimals_for(0.2), 1);
  EXPECT_EQ(detail::decimals_for(0.001), 3);
  EXPECT_EQ(detail::decimals_for(50), 0);
  EXPECT_EQ(detail::shortened("short", 100, 12), "short");
  EXPECT_LT(detail::text_width(detail::shortened(std::string(100, 'x'), 100, 12), 12), 100.01);
}

}  // namespace
}  // namespace geotherm
