// The table of options: every row is whole, and reads back what it wrote.
#include "geotherm/options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace geotherm {
namespace {

TEST(OptionTable, NamesAreUniqueAndEveryRowIsWhole) {
  std::set<std::string_view> names;
  for (const Option& option : options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_NE(option.get, nullptr) << option.name;
    EXPECT_NE(option.set, nullptr) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_TRUE(option.number != NumberKind::none || option.words.size() > 1) << option.name;
    EXPECT_TRUE(std::ranges::any_of(methods(), [&](const Method& m) { return reads(m, option); }))
        << option.name << " is read by no method";
    if (!option.only_with.empty()) {
      EXPECT_NE(option_named(option.only_with), nullptr) << option.name;
    }
  }
}

TEST(OptionTable, DefaultsFitAndComeBackAsTheyWere) {
  const MethodOptions defaults;
  for (const Option& option : options()) {
    const OptionValue value = option.get(defaults);
    EXPECT_EQ(fit_of(option, value), Fit::fits) << option.name;
    MethodOptions settings;
    set_option(settings, option, value);
    EXPECT_EQ(option.get(settings), value) << option.name;
  }
}

TEST(OptionTable, EveryWordReachesItsFieldAndIsReadBack) {
  for (const Option& option : options()) {
    for (const std::string_view word : option.words) {
      if (option.name == "metric" && word == "precomputed") continue;  // says what the input is
      MethodOptions settings;
      option.set(settings, parse_option(option, word));
      EXPECT_EQ(to_text(option, option.get(settings)), word) << option.name;
    }
  }
}

TEST(OptionTable, EveryNumberReachesItsFieldAndIsReadBack) {
  for (const Option& option : options()) {
    if (option.number == NumberKind::none) continue;
    const std::string text = option.number != NumberKind::real ? "7"
                             : option.range.most <= 1          ? "0.25"
                                                               : "3.5";
    MethodOptions settings;
    const OptionValue value = parse_option(option, text);
    option.set(settings, value);
    EXPECT_EQ(to_text(option, option.get(settings)), text) << option.name;
    EXPECT_NE(option.get(settings), option.get(MethodOptions{})) << option.name;
  }
}

TEST(OptionTable, WhatDoesNotFitIsRefusedByName) {
  for (const Option& option : options()) {
    for (const char* bad : {"", "nan", "1e999", "-1", "two words", "7x"}) {
      try {
        parse_option(option, bad);
        ADD_FAILURE() << option.name << " takes '" << bad << "'";
      } catch (const InvalidArgument& e) {
        EXPECT_NE(std::string(e.what()).find(option.name), std::string::npos);
      }
    }
  }
}

TEST(OptionTable, SizesCarryUnits) {
  const Option& memory = *option_named("max-memory");
  EXPECT_EQ(parse_option(memory, "4GB"), OptionValue(std::int64_t{4'000'000'000}));
  EXPECT_EQ(parse_option(memory, "1.5GiB"), OptionValue(std::int64_t{1'610'612'736}));
  EXPECT_EQ(parse_option(memory, "500 mb"), OptionValue(std::int64_t{500'000'000}));
  EXPECT_EQ(parse_option(memory, "auto"), OptionValue{});
  EXPECT_THROW(parse_option(memory, "4 apples"), InvalidArgument);
}

TEST(OptionsOfMethods, AnAliasMeansWhatTheMethodReads) {
  EXPECT_EQ(option_of(*method_named("heatgeo"), "max-iterations")->name, "max_iterations");
  EXPECT_EQ(option_of(*method_named("tsne"), "max-iterations")->name, "n_iterations");
  EXPECT_EQ(option_of(*method_named("umap"), "max-iterations")->name, "n_epochs");
  EXPECT_EQ(option_of(*method_named("pca"), "max-iterations"), nullptr);
  EXPECT_EQ(method_named("sne"), method_named("heatgeo-weighted"));
}

TEST(OptionsOfMethods, EachIsPassedWhatItReads) {
  const GivenOptions given = {{"harnack", 2.0}, {"knn", std::int64_t{7}}};
  EXPECT_EQ(options_for(*method_named("heatgeo"), given).dissimilarity.harnack, 2.0);
  const MethodOptions of_umap = options_for(*method_named("umap"), given);
  EXPECT_EQ(of_umap.dissimilarity.harnack, HeatGeodesicOptions{}.harnack);
  EXPECT_EQ(of_umap.neighbors.knn, 7u);
  const Method* umap_alone[] = {method_named("umap")};
  const auto complaints = unread_options(umap_alone, given);
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_TRUE(complaints[0].starts_with("`harnack` is not used by umap"));
  const Method* both[] = {method_named("umap"), method_named("heatgeo")};
  EXPECT_TRUE(unread_options(both, given).empty());
}

TEST(OptionsOfMethods, OneThatDoesNothingThroughAnotherIsNamed) {
  const Method& heatgeo = *method_named("heatgeo");
  EXPECT_EQ(idle_options(heatgeo, {{"order", std::int64_t{9}}}).size(), 1u);
  EXPECT_TRUE(idle_options(heatgeo, {{"order", std::int64_t{9}}, {"kernel", std::string("euler")}})
                  .empty());
  EXPECT_EQ(idle_options(heatgeo, {{"landmarks", std::string("none")}, {"pivots", std::int64_t{9}}})
                .size(),
            1u);
  EXPECT_TRUE(idle_options(heatgeo, {{"landmarks", std::int64_t{50}}, {"pivots", std::int64_t{9}}})
                  .empty());
}

}  // namespace
}  // namespace geotherm
