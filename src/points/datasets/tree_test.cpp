// The tree of random walks: steps, joints, sizes of branches, and distances along it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "geotherm/points.hpp"

namespace geotherm {
namespace {

TEST(Tree, WalksInUniformStepsFromJointsOnTheFirstBranch) {
  const SynthOptions options{.n = 5003, .noise = 0, .dim = 10, .branches = 5, .geodesic_limit = 0};
  const Dataset tree = synthesize(Shape::tree, options);
  std::size_t sizes[5] = {};
  for (const Index label : tree.label) ++sizes[label];
  EXPECT_EQ(sizes[0], 1001U);  // the first three take the remainder
  EXPECT_EQ(sizes[2], 1001U);
  EXPECT_EQ(sizes[3], 1000U);

  double mean = 0, variance = 0, n_steps = 0;
  std::set<double> joints;
  for (std::size_t i = 1; i < tree.X.rows(); ++i) {
    std::size_t from = i - 1;
    if (tree.label[i] != tree.label[i - 1]) {
      // The step before the first point of a branch leads from the first branch.
      from = static_cast<std::size_t>(tree.t[i]) - 1;
      joints.insert(tree.t[i]);
      ASSERT_EQ(tree.label[from], 0);
    }
    EXPECT_EQ(tree.t[i], tree.t[from] + 1);
    for (std::size_t j = 0; j < 10; ++j) {
      const double step = tree.X(i, j) - tree.X(from, j);
      EXPECT_LE(std::abs(step), 1 + 1e-12);
      mean += step;
      variance += step * step;
      ++n_steps;
    }
  }
  EXPECT_EQ(joints.size(),
            4U);  // four draws out of 1001: equal ones are possible, not with this seed
  // Five standard errors; steps uniform on [-1, 1] have variance 1/3 and var(step^2) = 4/45.
  EXPECT_NEAR(mean / n_steps, 0, 5 * std::sqrt(1 / (3 * n_steps)));
  EXPECT_NEAR(variance / n_steps, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n_steps));
}

TEST(Tree, MeasuresDistancesAlongItself) {
  const Dataset tree = synthesize(Shape::tree, {.n = 1000, .noise = 5, .branches = 5});
  for (std::size_t i = 1; i < 1000; ++i) {
    if (tree.label[i] != tree.label[i - 1]) continue;
    // Neighbours on a branch are among the ten nearest of each other or nearly so.
    double straight = 0;
    for (std::size_t j = 0; j < 10; ++j) {
      straight += std::pow(tree.coordinates(i, j) - tree.coordinates(i - 1, j), 2);
    }
    EXPECT_LE(tree.geodesic(i, i - 1), 2 * std::sqrt(straight));
  }
  // Short cuts between walks in ten dimensions are rare: far along the first branch is far away.
  EXPECT_GT(tree.geodesic(0, 199), 3 * tree.geodesic(0, 20));
}

TEST(Tree, DoesNotDependOnNoiseBelow) {
  const Dataset quiet = synthesize(Shape::tree, {.n = 300, .noise = 0});
  const Dataset loud = synthesize(Shape::tree, {.n = 300, .noise = 10});
  EXPECT_TRUE(
      std::equal(quiet.geodesic.data(), quiet.geodesic.data() + 300 * 300, loud.geodesic.data()));
  EXPECT_TRUE(std::equal(quiet.X.data(), quiet.X.data() + 3000, loud.coordinates.data()));
}

}  // namespace
}  // namespace geotherm
