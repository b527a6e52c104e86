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

/// Uneven, so that no two points are equally far from a third: ranks without ties.
double along_line(std::size_t i) {
  const double x = static_cast<double>(i);
  return x + 0.3 * std::sin(x);
}

/// Two lines of 60 points each with a bridge between them.
Graph two_lines() {
  std::vector<Triplet> edges;
  const auto join = [&](Index i, Index j, double length) {
    edges.push_back({i, j, length});
    edges.push_back({j, i, length});
  };
  for (Index i = 1; i < 120; ++i) {
    const auto to = static_cast<std::size_t>(i);
    join(i - 1, i, i == 60 ? 1000.0 : along_line(to) - along_line(to - 1));
  }
  Graph graph;
  graph.weights = sparse_from_triplets(120, 120, edges);
  graph.lengths = graph.weights.values;
  for (std::size_t i = 0; i < 120; ++i) graph.component.push_back(static_cast<Index>(i / 60));
  graph.bridges.resize(1);
  return graph;
}

TEST(PathSample, IsOneWherePathsAreStraightAndFallsWhereAMapFoldsThem) {
  const PathSample paths(two_lines());
  Matrix<double> straight(120, 2), folded(120, 2);
  for (std::size_t i = 0; i < 120; ++i) {
    // Across the bridge nothing is asked: the second line may lie on the first.
    straight(i, 0) = along_line(i) - (i < 60 ? 0 : along_line(60));
    folded(i, 0) = std::abs(straight(i, 0) - 30);
  }
  EXPECT_NEAR(paths.correlation(straight), 1, 1e-12);  // rounding
  EXPECT_LT(paths.correlation(folded), 0.8);
  Matrix<double> huge = straight;
  for (double& x : std::span(huge.data(), huge.size())) x *= 1e200;
  EXPECT_NEAR(paths.correlation(huge), paths.correlation(straight), 1e-12);  // rounding
}

TEST(PathSample, NearestOfTheMapAreNearByPathUnlessPlacesAreDrawnAtRandom) {
  const PathSample paths(two_lines());
  Matrix<double> straight(120, 2), folded(120, 2), random(120, 2);
  Rng rng(9, "refine.test");
  for (std::size_t i = 0; i < 120; ++i) {
    straight(i, 0) = along_line(i);
    folded(i, 0) = std::abs(along_line(i % 60) - 30);
    random(i, 0) = rng.uniform();
  }
  EXPECT_EQ(paths.rank_of_nearest(straight), 0);
  EXPECT_GT(paths.rank_of_nearest(folded), 0.1);
  // Of 32 starts one end each: a standard deviation of .05.
  EXPECT_NEAR(paths.rank_of_nearest(random), 0.5, 0.2);
}

TEST(PathSample, OfAGraphWithoutLengthsIsZero) {
  Graph graph = two_lines();
  graph.lengths.clear();
  EXPECT_EQ(PathSample(graph).correlation(Matrix<double>(120, 2)), 0);
  EXPECT_EQ(PathSample(graph).rank_of_nearest(Matrix<double>(120, 2)), 0);
}

}  // namespace
}  // namespace geotherm::detail
