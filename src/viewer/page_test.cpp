#include "geotherm/page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "viewer/page_text.hpp"

namespace geotherm {
namespace {

using detail::json_in_script;
using detail::json_number;
using detail::json_string;

TEST(PageText, NoTextCanEndItsElementOrBeginAnother) {
  const std::string text = json_string("</script><script>alert(\"x\")</script><!-- & \\");
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(text.find('>'), std::string::npos);
  EXPECT_EQ(text.find('&'), std::string::npos);
  EXPECT_EQ(text,
            "\"\\u003c/script\\u003e\\u003cscript\\u003ealert(\\\"x\\\")\\u003c/script\\u003e"
            "\\u003c!-- \\u0026 \\\\\"");
}

TEST(PageText, LineSeparatorsControlsAndBrokenUtf8AreMadeSafe) {
  EXPECT_EQ(json_string("a\xE2\x80\xA8"
                        "b\xE2\x80\xA9"),
            "\"a\\u2028b\\u2029\"");
  EXPECT_EQ(json_string("a\nb\x01\x7F"), "\"a\\u000ab\\u0001\\u007f\"");
  EXPECT_EQ(json_string("\xFF\xC3"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
  EXPECT_EQ(json_string("T\xC3\xBC r\xE2\x82\xAC"), "\"T\xC3\xBC r\xE2\x82\xAC\"");
  EXPECT_EQ(json_in_script("{\"a\": \"</script>\"}"), "{\"a\": \"\\u003c/script\\u003e\"}");
}

TEST(PageText, NumbersAreJson) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(json_number(-std::numeric_limits<double>::infinity()), "null");
}

Matrix<double> line(std::size_t n, std::size_t dims) {
  Matrix<double> map(n, dims);
  for (std::size_t i = 0; i < map.size(); ++i) map.data()[i] = static_cast<double>(i);
  return map;
}

TEST(PageIssues, EveryMisfitIsNamed) {
  const Matrix<double> map = line(5, 2), other = line(4, 2);
  EXPECT_FALSE(issues_with(PageData{}).empty());
  PageData data{.panels = {{"a", map.view()}, {"b", other.view()}}};
  ASSERT_EQ(issues_with(data).size(), 1u);
  EXPECT_NE(issues_with(data)[0].find("'b' has 4 points"), std::string::npos);
  data.panels.pop_back();
  EXPECT_TRUE(issues_with(data).empty());

  data.names = {"one"};
  data.columns = {{.name = "short", .numbers = {1, 2}},
                  {.name = "none"},
                  {.name = "far", .rows = {7}, .values = {1}, .is_sparse = true},
                  {.name = "lost", .numbers = {1, 2, 3, 4, 5}, .panel = 3}};
  data.entropy = PageCurve{.times = {1, 2}, .values = {1}};
  data.links = {{"away", "https://example.org"},
                {"up", "/etc"},
                {"run", "javascript:alert(1)"},
                {"fine", "tree page.html"}};
  EXPECT_EQ(issues_with(data).size(), 1u + 4u + 1u + 3u);
}

TEST(PageIssues, ATrajectoryFitsItsPointsAndMilestones) {
  const Matrix<double> map = line(3, 2);
  PageData data{.panels = {{"a", map.view()}}};
  data.columns = {{.name = "order", .numbers = {0, 0.5, 1}}};
  data.trajectory = PageTrajectory{.pseudotime = "order",
                                   .milestones = {"M0", "M1"},
                                   .edges = {{0, 1}},
                                   .ends = {1},
                                   .edge_of = {0, -1, 0},
                                   .fraction = {0, 0, 1}};
  EXPECT_TRUE(issues_with(data).empty());
  data.trajectory->ends = {2};
  data.trajectory->edge_of = {0, 1};
  data.trajectory->pseudotime = "time";
  EXPECT_EQ(issues_with(data).size(), 4u);
}

TEST(PageIssues, OptionsHaveBounds) {
  EXPECT_TRUE(issues_with(PageOptions{}).empty());
  EXPECT_FALSE(issues_with(PageOptions{.max_points = 1}).empty());
}

class Page : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_page()) GTEST_SKIP() << "this build has no page (GEOTHERM_WITH_VIEWER)";
  }
};

TEST_F(Page, HoldsNothingOfTheDataAsMarkup) {
  const std::string nasty = "</script><img src=x onerror=alert(1)>\xE2\x80\xA8'\"";
  const Matrix<double> map = line(3, 2);
  const PageData data{.title = nasty,
                      .panels = {{nasty, map.view()}},
                      .names = {nasty, std::string(100'000, 'x'), ""},
                      .columns = {{.name = nasty, .texts = {nasty, "b", "c"}}},
                      .manifest = "{\"note\":\"</script><b>\"}"};
  const std::string html = html_page(data);
  EXPECT_EQ(html.find("onerror=alert(1)>"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
}

TEST_F(Page, AsksForNothingFromTheNetwork) {
  const Matrix<double> map = line(3, 2);
  const std::string html = html_page({.panels = {{"a", map.view()}}});
  EXPECT_EQ(html.find("https:"), std::string::npos);
  for (std::size_t at = html.find("http:"); at != std::string::npos;
       at = html.find("http:", at + 1)) {
    // Names of XML's kinds of elements, which are never fetched.
    EXPECT_EQ(html.substr(at, 18), "http://www.w3.org/");
  }
  EXPECT_EQ(html.find("<script src"), std::string::npos);
  EXPECT_EQ(html.find("<link"), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
}

TEST_F(Page, SaysThatItIsASampleAndIsTheSameEachTime) {
  const Matrix<double> map = line(2000, 2);
  const PageData data{.panels = {{"a", map.view()}}};
  std::vector<std::string> warnings;
  const Context context{.seed = 3, .on_log = [&](LogLevel, std::string_view message) {
                          warnings.emplace_back(message);
                        }};
  const std::string html = html_page(data, {.max_points = 100}, context);
  EXPECT_NE(html.find("\"n\":100,\"total\":2000"), std::string::npos);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(html, html_page(data, {.max_points = 100}, context));
}

TEST_F(Page, IsCompact) {
  constexpr std::size_t n = 20'000;
  Matrix<double> map(n, 2);
  Rng rng(1, "page_test");
  for (std::size_t i = 0; i < map.size(); ++i) map.data()[i] = rng.normal();
  const std::string empty = html_page({.panels = {{"a", line(2, 2).view()}}});
  const std::string html = html_page({.panels = {{"a", map.view()}}});
  // 2 x 16 bits in base64, which deflate can hardly shorten for random numbers.
  EXPECT_LT(static_cast<double>(html.size() - empty.size()) / n, 5.5);
}

TEST_F(Page, RefusesCoordinatesThatAreNotFinite) {
  Matrix<double> map = line(3, 2);
  map(1, 1) = std::nan("");
  try {
    html_page({.panels = {{"a", map.view()}}});
    FAIL();
  } catch (const InvalidData& e) {
    EXPECT_NE(std::string(e.what()).find("row 1"), std::string::npos);
  }
}

}  // namespace
}  // namespace geotherm
