#include "geotherm/blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace geotherm {
namespace {

Matrix<float> roll_of(std::size_t n) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = n, .noise = 0.05, .geodesic_limit = 0});
  auto single = Matrix<float>::uninitialized(n, roll.X.cols());
  std::copy(roll.X.data(), roll.X.data() + roll.X.size(), single.data());
  return single;
}

std::vector<Index> every(std::size_t step, std::size_t n) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < n; i += step) rows.push_back(static_cast<Index>(i));
  return rows;
}

TEST(BlockCells, OfAllPointsAreThoseOfTheGraph) {
  const Matrix<float> points = roll_of(600);
  const std::vector<Index> landmarks = every(12, 600);
  const std::vector<std::uint8_t> own(600, 1);
  const NeighborOptions neighbors{.knn = 10};
  const BlockCells block = block_cells(points.view(), own, landmarks, neighbors, {});
  NeighborOptions reaching = neighbors;
  reaching.reach = reach_of(AffinityOptions{});
  const Graph graph = build_graph(find_neighbors(points.view(), reaching));
  ASSERT_EQ(graph.n_components, 1U);
  const Cells cells = cells_around(graph, landmarks);
  EXPECT_EQ(block.graph.weights.values, graph.weights.values);
  EXPECT_EQ(block.cells.cell_of, cells.cell_of);
  EXPECT_EQ(block.cells.to_landmark, cells.to_landmark);
  EXPECT_EQ(block.cells.n_points, cells.n_points);
  const CellEdges edges = edges_of_cells(graph, cells.cell_of, landmarks.size());
  EXPECT_EQ(block.edges.total_length, edges.total_length);
  EXPECT_EQ(block.edges.count, edges.count);
  EXPECT_EQ(2 * block.crossings.size(), cells.touching.weights.n_entries());
  for (const Triplet& c : block.crossings) {
    const std::size_t at = cells.touching.weights.find(static_cast<std::size_t>(c.row), c.col);
    ASSERT_LT(at, cells.touching.weights.n_entries());
    EXPECT_EQ(c.value, cells.touching.lengths[at]);
  }
}

TEST(BlockCells, OfTwoBlocksWithWhatIsAroundThemCoverEveryBorder) {
  const Matrix<float> points = roll_of(600);
  const std::vector<Index> landmarks = every(12, 600);
  std::vector<std::uint8_t> first(600), second(600);
  for (std::size_t i = 0; i < 600; ++i) {
    first[i] = points(i, 1) < 2.5F ? 1 : 0;
    second[i] = 1 - first[i];
  }
  const auto borders = [&](const std::vector<std::uint8_t>& own) {
    return block_cells(points.view(), own, landmarks, {.knn = 10}, {}).crossings;
  };
  std::map<std::pair<Index, Index>, double> shortest;
  for (const auto& own : {first, second}) {
    for (const Triplet& c : borders(own)) {
      const auto [at, is_new] = shortest.try_emplace({c.row, c.col}, c.value);
      if (!is_new) at->second = std::min(at->second, c.value);
    }
  }
  const std::vector<Triplet> all = borders(std::vector<std::uint8_t>(600, 1));
  ASSERT_EQ(shortest.size(), all.size());
  for (const Triplet& c : all) EXPECT_EQ(shortest.at({c.row, c.col}), c.value);
}

TEST(BlockCells, PutPointsOutOfReachToTheNearestLandmarkInSpace) {
  Matrix<float> points(40, 1);
  for (std::size_t i = 0; i < 40; ++i) {
    points(i, 0) =
        static_cast<float>(i < 20 ? i : 1000 + i) + 0.01F * static_cast<float>(i * i % 7);
  }
  const std::vector<Index> landmarks = {3, 17};
  const BlockCells block =
      block_cells(points.view(), std::vector<std::uint8_t>(40, 1), landmarks, {.knn = 3}, {});
  for (std::size_t i = 20; i < 40; ++i) EXPECT_EQ(block.cells.cell_of[i], 1);
  EXPECT_THROW(block_cells(points.view(), std::vector<std::uint8_t>(40, 1), {}, {.knn = 3}, {}),
               InvalidArgument);
}

TEST(NearCenters, AreTheNearestInOrder) {
  const Matrix<float> points = roll_of(300);
  const Matrix<float> centers = cell_centers(points.view(), 20, {});
  const NearCenters near = near_centers(points.view(), centers.view(), 4);
  for (std::size_t i = 0; i < 300; ++i) {
    std::vector<std::pair<double, Index>> all;
    for (std::size_t c = 0; c < 20; ++c) {
      double squared = 0;
      for (std::size_t j = 0; j < points.cols(); ++j) {
        const double gap = static_cast<double>(points(i, j)) - static_cast<double>(centers(c, j));
        squared += gap * gap;
      }
      all.emplace_back(squared, static_cast<Index>(c));
    }
    std::sort(all.begin(), all.end());
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(near.cells(i, k), all[k].second);
    EXPECT_NEAR(near.distance[i], std::sqrt(all[0].first), 1e-9);
  }
}

}  // namespace
}  // namespace geotherm
