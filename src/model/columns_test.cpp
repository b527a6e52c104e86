#include <gtest/gtest.h>

#include "geotherm/model.hpp"

namespace geotherm {
namespace {

using Names = std::vector<std::string>;

Model model_with(Names names) {
  Model model;
  model.preparation.n_columns = names.size();
  model.column_names = std::move(names);
  return model;
}

TEST(Columns, NamesMadeUniqueDoNotMeetOtherNames) {
  EXPECT_EQ(made_unique({"A", "A", "A-1", "A", "B"}), (Names{"A", "A-2", "A-1", "A-3", "B"}));
}

TEST(Columns, AreFoundByNameWhateverTheirOrder) {
  const Model model = model_with({"a", "b", "c"});
  const ColumnMatch same = match_columns(model, {"a", "b", "c"});
  EXPECT_EQ(same.places, (std::vector<Index>{0, 1, 2}));
  EXPECT_FALSE(same.is_reordered);
  const ColumnMatch turned = match_columns(model, {"c", "x", "a", "b"});
  EXPECT_EQ(turned.places, (std::vector<Index>{2, 3, 0}));
  EXPECT_TRUE(turned.is_reordered);
  EXPECT_EQ(turned.n_extra, 1U);
  EXPECT_TRUE(turned.absent.empty());
  EXPECT_THROW(match_columns(model, {}), InvalidArgument);
}

TEST(Columns, OnlyThoseThatTheModelReadsAreMissed) {
  Model model = model_with({"a", "b", "c", "d"});
  EXPECT_EQ(match_columns(model, {"a", "c"}).absent, (Names{"b", "d"}));
  model.preparation.columns = {0};
  EXPECT_EQ(match_columns(model, {"c"}).absent, (Names{"a"}));
  model.preparation.target_sum = 1e4;
  EXPECT_EQ(match_columns(model, {"c"}).absent, (Names{"a", "b", "d"}));  // all are counted
  model.preparation.counted = {0, 1};
  EXPECT_EQ(match_columns(model, {"c"}).absent, (Names{"a", "b"}));
}

TEST(Columns, RemotenessIsSaidWhereMoreThanATenthIsFar) {
  std::vector<double> remoteness(10, 0.5);
  EXPECT_TRUE(remoteness_in_words({}).empty());
  EXPECT_TRUE(remoteness_in_words(remoteness).empty());
  remoteness[3] = 5;
  EXPECT_TRUE(remoteness_in_words(remoteness).empty());
  remoteness[4] = 5;
  EXPECT_TRUE(remoteness_in_words(remoteness).starts_with("2 of 10 new points"));
}

}  // namespace
}  // namespace geotherm
