#include "geotherm/spelling.hpp"

#include <gtest/gtest.h>

namespace geotherm {
namespace {

const std::vector<std::string> options = {"knn",       "n-components", "seed",
                                          "--threads", "time",         "metric"};

TEST(Spelling, SlipsOfTheFingerAreFound) {
  EXPECT_EQ(nearest_name("emebd", {"synth", "embed", "score"}), "embed");
  EXPECT_EQ(nearest_name("n_component", options), "n-components");
  EXPECT_EQ(nearest_name("METRIC", options), "metric");
  EXPECT_EQ(nearest_name("CELL12", {"CELL1-1", "CELL12-1", "CELL121-1"}), "CELL12-1");
  EXPECT_EQ(nearest_name("cd3d", {"CD3E", "CD3D"}), "CD3D");
}

TEST(Spelling, NamesOfOtherProgramsAreKnown) {
  EXPECT_EQ(nearest_name("n_neighbors", options), "knn");
  EXPECT_EQ(nearest_name("random_state", options), "seed");
  EXPECT_EQ(nearest_name("n-jobs", options), "--threads");
  EXPECT_EQ(nearest_name("t", options), "time");
}

TEST(Spelling, WordsThatAreLikeNothingStayAlone) {
  EXPECT_EQ(nearest_name("elephant", options), "");
  EXPECT_EQ(nearest_name("x", options), "");
  EXPECT_EQ(nearest_name("", options), "");
  EXPECT_EQ(did_you_mean("elephant", options), "");
  EXPECT_EQ(did_you_mean("sed", options), "; did you mean 'seed'?");
}

}  // namespace
}  // namespace geotherm
