// Dijkstra along edge lengths against Floyd and Warshall.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "dissimilarity/test_kernels.hpp"

namespace geotherm {
namespace {

using namespace geotherm::testing;

constexpr double infinite = std::numeric_limits<double>::infinity();

Graph graph_of(std::size_t n, const std::vector<Triplet>& edges) {
  std::vector<Triplet> both;
  for (const Triplet& e : edges) {
    both.push_back(e);
    both.push_back({e.col, e.row, e.value});
  }
  Graph graph;
  graph.weights = sparse_from_triplets(n, n, both);
  graph.lengths = graph.weights.values;
  return graph;
}

Graph random_graph(std::size_t n, std::size_t n_edges, std::uint64_t seed) {
  Rng rng(seed, "shortest_path.test");
  Matrix<double> seen(n, n);
  std::vector<Triplet> edges;
  for (std::size_t e = 0; e < n_edges; ++e) {
    const std::size_t i = rng.below(n), j = rng.below(n);
    if (i == j || seen(i, j) != 0) continue;
    seen(i, j) = seen(j, i) = 1;
    edges.push_back({static_cast<Index>(i), static_cast<Index>(j), rng.uniform()});
  }
  return graph_of(n, edges);
}

Matrix<double> brute_force(const Graph& graph) {
  const std::size_t n = graph.n_points();
  Matrix<double> d(n, n, infinite);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
      d(i, static_cast<std::size_t>(graph.weights.indices[e])) = graph.lengths[e];
    }
  }
  return all_shortest(d);
}

TEST(ShortestPaths, AreThoseOfBruteForceAlsoWhereTheGraphFallsApart) {
  for (const std::size_t n_edges : {60u, 150u, 1500u}) {
    const Graph graph = random_graph(100, n_edges, n_edges);
    const Matrix<double> expected = brute_force(graph);
    const Matrix<double> result = shortest_paths(graph);
    for (std::size_t i = 0; i < 100; ++i) {
      for (std::size_t j = 0; j < 100; ++j) {
        EXPECT_EQ(result(i, j), result(j, i));
        if (std::isinf(expected(i, j))) {
          EXPECT_EQ(result(i, j), infinite);
        } else {
          EXPECT_NEAR(result(i, j), expected(i, j), 1e-13);  // sums of at most 100 lengths < 1
        }
      }
    }
  }
}

TEST(ShortestPathDistance, SaysWhichShareOfThePairsNoPathJoins) {
  // A path of three points beside one of two: 6 of the 10 pairs are apart.
  const Graph graph = graph_of(5, {{0, 1, 1.0}, {1, 2, 2.0}, {3, 4, 1.5}});
  const Dissimilarity found = shortest_path_distance(graph);
  EXPECT_DOUBLE_EQ(found.unresolved_share, 0.6);
  EXPECT_EQ(found.unresolved_treatment, "constant");
  EXPECT_EQ(found.values(0, 2), 3.0);
  EXPECT_EQ(found.values(3, 4), 1.5);
  EXPECT_GT(found.values(0, 3), 3.0);
  EXPECT_EQ(found.values(0, 3), found.values(4, 2));
  const Graph whole = graph_of(3, {{0, 1, 1.0}, {1, 2, 2.0}});
  EXPECT_EQ(shortest_path_distance(whole).unresolved_share, 0.0);
}

TEST(ShortestPaths, FromChosenPointsAreTheRowsOfAllPairs) {
  const Graph graph = random_graph(80, 200, 1);
  const std::vector<Index> from = {79, 0, 33, 33};
  const Matrix<double> all = shortest_paths(graph), some = shortest_paths(graph, from);
  ASSERT_EQ(some.rows(), 4u);
  for (std::size_t r = 0; r < from.size(); ++r) {
    for (std::size_t j = 0; j < 80; ++j) {
      const double whole = all(static_cast<std::size_t>(from[r]), j);
      if (std::isinf(whole)) {
        EXPECT_EQ(some(r, j), whole);
      } else {
        EXPECT_NEAR(some(r, j), whole, 1e-13);
      }
    }
  }
  EXPECT_EQ(shortest_paths(graph, std::span<const Index>{}).rows(), 0u);
}

TEST(ShortestPaths, FollowLengthsAndNotWeights) {
  Graph graph = graph_of(3, {{0, 1, 1.0}, {1, 2, 1.0}, {0, 2, 1.0}});
  graph.lengths[graph.weights.find(0, 2)] = graph.lengths[graph.weights.find(2, 0)] = 5.0;
  EXPECT_EQ(shortest_paths(graph)(0, 2), 2.0);
}

TEST(ShortestPaths, AcceptZeroLengthsAndTiedPaths) {
  const Graph graph = graph_of(4, {{0, 1, 0.0}, {1, 2, 1.0}, {0, 2, 1.0}, {2, 3, 0.0}});
  const Matrix<double> d = shortest_paths(graph);
  EXPECT_EQ(d(0, 1), 0.0);
  EXPECT_EQ(d(0, 3), 1.0);
  EXPECT_EQ(d(1, 3), 1.0);
}

TEST(ShortestPaths, OfLoneAndOfNoPoints) {
  EXPECT_TRUE(shortest_paths(graph_of(0, {})).empty());
  EXPECT_EQ(shortest_paths(graph_of(1, {}))(0, 0), 0.0);
  const Matrix<double> two = shortest_paths(graph_of(2, {}));
  EXPECT_EQ(two(0, 1), infinite);
  EXPECT_EQ(two(1, 1), 0.0);
}

TEST(ShortestPaths, RefuseGraphsWithoutUsableLengthsAndForeignPoints) {
  Graph graph = random_graph(10, 20, 2);
  const std::vector<Index> outside = {10}, negative = {-1};
  EXPECT_THROW(shortest_paths(graph, outside), InvalidArgument);
  EXPECT_THROW(shortest_paths(graph, negative), InvalidArgument);
  graph.lengths[3] = -1;
  EXPECT_THROW(shortest_paths(graph), InvalidArgument);
  graph.lengths[3] = std::nan("");
  EXPECT_THROW(shortest_paths(graph), InvalidArgument);
  graph.lengths.clear();
  try {
    shortest_paths(graph);
    FAIL() << "a graph without lengths was accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("no edge lengths"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("Graph::lengths"), std::string::npos);
  }
}

TEST(ShortestPaths, HaveTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = random_graph(700, 3000, 3);
  const Matrix<double> alone = shortest_paths(graph);
  for (const std::size_t n_threads : {2u, 8u}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    EXPECT_TRUE(same_bits(shortest_paths(graph, context), alone));
  }
}

TEST(ShortestPaths, StopWhereTheUserSaysSo) {
  std::atomic<bool> stop = true;
  Context context;
  context.stop = &stop;
  EXPECT_THROW(shortest_paths(random_graph(20, 40, 4), context), Stopped);
}

}  // namespace
}  // namespace geotherm
