// A column of texts by number and name: reads like the vector it stands for.
#include "geotherm/texts.hpp"

#include <gtest/gtest.h>

namespace geotherm {
namespace {

TEST(Texts, ReadLikeTheVectorTheyAreMadeFromAndKeepEachNameOnce) {
  std::vector<std::string> values;
  for (int i = 0; i < 5000; ++i) values.push_back("name " + std::to_string(i * i % 701));
  const Texts texts(values);
  EXPECT_EQ(texts.size(), values.size());
  EXPECT_EQ(texts.to_vector(), values);
  EXPECT_LE(texts.names().size(), 701U);
  EXPECT_TRUE(texts == Texts(values));
  EXPECT_TRUE(Texts(std::vector<std::string>{}).empty());
}

TEST(Texts, GiveRowsInAnyOrderAndReplaceSome) {
  Texts texts({2, 0, 1, 0}, {"a", "b", "c"});
  EXPECT_EQ(texts.rows(std::vector<Index>{3, 3, 0}).to_vector(),
            (std::vector<std::string>{"a", "a", "c"}));
  texts.replace(std::vector<std::int32_t>{0, 1, 0, 0}, "NA");
  EXPECT_EQ(texts.to_vector(), (std::vector<std::string>{"c", "NA", "b", "a"}));
  EXPECT_FALSE(texts == Texts({2, 0, 1, 0}, {"a", "b", "c"}));
}

}  // namespace
}  // namespace geotherm
