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

TEST(PathSample, MapsAgreeWhereDistancesInsideOfComponentsAreInTheSameOrder) {
  const PathSample paths(two_lines());
  Matrix<double> map(120, 2), turned(120, 2), moved(120, 2), folded(120, 2);
  for (std::size_t i = 0; i < 120; ++i) {
    map(i, 0) = along_line(i);
    turned(i, 1) = -1e200 * along_line(i);
    moved(i, 0) = along_line(i) - (i < 60 ? 0 : 500);  // the second line alone
    folded(i, 0) = std::abs(along_line(i) - 30);
  }
  for (const Matrix<double>* same : {&map, &turned, &moved}) {
    EXPECT_NEAR(paths.agreement(map, *same), 1, 1e-12);  // rounding
  }
  EXPECT_LT(paths.agreement(map, folded), 0.9);
  EXPECT_EQ(paths.agreement(map, folded), paths.agreement(folded, map));
}

TEST(PathSample, OfAGraphWithoutLengthsIsZero) {
  Graph graph = two_lines();
  graph.lengths.clear();
  const Matrix<double> map(120, 2);
  EXPECT_EQ(PathSample(graph).correlation(map), 0);
  EXPECT_EQ(PathSample(graph).agreement(map, map), 0);
}

}  // namespace
}  // namespace geotherm::detail
