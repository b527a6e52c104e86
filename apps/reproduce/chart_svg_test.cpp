// The chart: well-formed whatever the names, finite whatever the numbers, true to them.
#include "chart_svg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>

#include "geotherm/core.hpp"
#include "viewer/svg_checks.hpp"

namespace geotherm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Place {
  double x, y;
};
// Where the dots of the first series are, in pixels.
std::vector<Place> dots_of(const std::string& svg) {
  static const std::regex group("<path d=\"([^\"]*)\" stroke=\"[^\"]*\" stroke-width=\"6\"");
  std::smatch found;
  std::vector<Place> places;
  if (!std::regex_search(svg, found, group)) return places;
  const std::string path = found[1];
  static const std::regex dot("M(-?[0-9.]+) (-?[0-9.]+)h0");
  for (std::sregex_iterator it(path.begin(), path.end(), dot), end; it != end; ++it) {
    places.push_back({std::stod((*it)[1]), std::stod((*it)[2])});
  }
  return places;
}

TEST(ChartSvg, PlacesFollowTheNumbers) {
  const std::string svg = chart_svg({{.name = "a", .x = {0, 1, 3}, .y = {2, 4, 0}}});
  expect_sound(svg);
  const auto dots = dots_of(svg);
  ASSERT_EQ(dots.size(), 3u);
  // Pixels are written to a tenth.
  EXPECT_NEAR((dots[2].x - dots[0].x) / (dots[1].x - dots[0].x), 3, 0.01);
  EXPECT_NEAR((dots[1].y - dots[2].y) / (dots[0].y - dots[2].y), 2, 0.01);
  EXPECT_LT(dots[1].y, dots[0].y) << "up is up";
  for (const Place& dot : dots) EXPECT_TRUE(dot.x > 0 && dot.x < 720 && dot.y > 0 && dot.y < 440);
}

TEST(ChartSvg, ALogarithmicAxisSpacesPowersEvenlyAndLeavesOutWhatHasNone) {
  const std::string svg = chart_svg({{.name = "a", .x = {0, .1, 1, 10, -5}, .y = {1, 2, 3, 4, 5}}},
                                    {.has_log_x = true});
  expect_sound(svg);
  const auto dots = dots_of(svg);
  ASSERT_EQ(dots.size(), 3u);
  EXPECT_NEAR(dots[2].x - dots[1].x, dots[1].x - dots[0].x, 0.2);
  for (const char* label : {">0.1<", ">1<", ">10<"}) EXPECT_TRUE(contains(svg, label)) << label;
}

TEST(ChartSvg, NamesAreEscapedEverywhere) {
  const std::string evil = "<a href=\"x\">&'\x01\xff";
  const std::string svg = chart_svg(
      {{.name = evil, .x = {1, 2}, .y = {1, 2}}},
      {.title = evil, .x_title = evil, .y_title = evil, .marks = {{.x = 1.5, .label = evil}}});
  expect_sound(svg);
  EXPECT_FALSE(contains(svg, "<a "));
}

TEST(ChartSvg, ThingsThatAreCountedHaveTheirNames) {
  const std::string svg = chart_svg({{.name = "a", .x = {0, 1}, .y = {1, 2}, .has_line = false}},
                                    {.x_names = {"first & last", "second"}});
  expect_sound(svg);
  EXPECT_TRUE(contains(svg, ">first &amp; last<"));
  EXPECT_TRUE(contains(svg, ">second<"));
  EXPECT_FALSE(contains(svg, ">0.2<")) << "no numbers between names";
}

TEST(ChartSvg, NumbersOfAnyKindGiveASoundPicture) {
  const std::vector<std::vector<double>> odd = {{},
                                                {5},
                                                {5, 5},
                                                {kNan, kInfinity},
                                                {1, kNan, 2},
                                                {-1e308, 1e308},
                                                {1e-308, 2e-308},
                                                {1e17, 1e17 + 64},
                                                {0, 1e-300}};
  for (const auto& x : odd) {
    for (const auto& y : odd) {
      const std::size_t n = std::min(x.size(), y.size());
      ChartSeries s = {.name = "odd"};
      s.x.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
      s.y.assign(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n));
      s.spread.assign(n, kInfinity);
      for (const bool is_log : {false, true}) {
        const std::string svg = chart_svg({s}, {.has_log_x = is_log, .marks = {{.x = kNan}}});
        expect_sound(svg);
        EXPECT_LT(svg.size(), 20000u) << "a handful of ticks";
      }
    }
  }
  expect_sound(chart_svg({}));
}

TEST(ChartSvg, APointThatIsNotFiniteBreaksTheLine) {
  const std::string svg =
      chart_svg({{.name = "a", .x = {0, 1, 2, 3}, .y = {1, kNan, 1, 2}, .has_dots = false}});
  static const std::regex whole(
      "<path d=\"M[^\"ML]*M[^\"ML]*L[^\"ML]*\" stroke=\"[^\"]*\" stroke-width=\"2\"");
  EXPECT_TRUE(std::regex_search(svg, whole));
}

TEST(ChartSvg, RefusesSeriesWhoseListsDiffer) {
  EXPECT_THROW(chart_svg({{.name = "a", .x = {1, 2}, .y = {1}}}), InvalidArgument);
  EXPECT_THROW(chart_svg({{.name = "a", .x = {1}, .y = {1}, .spread = {1, 2}}}), InvalidArgument);
  EXPECT_THROW(chart_svg({}, {.width = 3}), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
