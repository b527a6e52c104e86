#include "refine/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "geotherm/neighbors.hpp"
#include "geotherm/refine.hpp"

namespace geotherm::detail {
namespace {

TEST(NeighborFit, IsWholeForTheDataItselfAndThatOfChanceForPlacesDrawnAtRandom) {
  Rng rng(6, "refine.test");
  Matrix<double> points(500, 2), random(500, 2);
  for (double& x : std::span(points.data(), points.size())) x = rng.uniform();
  for (double& x : std::span(random.data(), random.size())) x = rng.uniform();
  // Directed lists: the ten strongest of a symmetric union may be others than the ten nearest.
  const SparseMatrix memberships = refine_memberships(find_neighbors(points, {.knn = 10}), 10);
  const NeighborFit of_itself = neighbor_fit(points, memberships);
  EXPECT_GT(of_itself.kept, 0.85);
  EXPECT_NEAR(neighbor_fit(random, memberships).kept, 10.0 / 499, 0.01);
  // 15 of n points in a disc of radius r of the unit square, whose deviation is 12^-1/2.
  EXPECT_NEAR(of_itself.spacing, std::sqrt(15 / (500 * 3.1416)) * std::sqrt(12.0), 0.05);
  Matrix<double> huge = points;
  for (double& x : std::span(huge.data(), huge.size())) x *= 1e200;
  EXPECT_NEAR(neighbor_fit(huge, memberships).spacing, of_itself.spacing, 1e-9);
}

TEST(ScaleOf, CompactGroupsIsLargerThanThatOfAnEvenSheet) {
  Rng rng(7, "refine.test");
  Matrix<double> sheet(800, 2), groups(800, 2);
  for (std::size_t i = 0; i < 800; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      sheet(i, k) = rng.uniform();
      groups(i, k) = 0.05 * rng.uniform() + static_cast<double>((i >> k) % 2);
    }
  }
  const auto scale = [](const Matrix<double>& points) {
    const SparseMatrix memberships = refine_memberships(find_neighbors(points, {.knn = 15}));
    return scale_of(neighbor_fit(points, memberships), points.rows(), points.cols());
  };
  EXPECT_LT(scale(sheet), 1.5);
  EXPECT_GT(scale(groups), 4);
}

}  // namespace
}  // namespace geotherm::detail
