#include "geotherm/clusters.hpp"

#include <gtest/gtest.h>

#include <set>

namespace geotherm {
namespace {

/// Groups of `size` points, each joined to all of its group, and a chain of single edges between.
SparseMatrix cliques(std::size_t n_groups, std::size_t size) {
  std::vector<Triplet> edges;
  const auto join = [&](std::size_t i, std::size_t j) {
    edges.push_back({static_cast<Index>(i), static_cast<Index>(j), 1.0});
    edges.push_back({static_cast<Index>(j), static_cast<Index>(i), 1.0});
  };
  for (std::size_t g = 0; g < n_groups; ++g) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < i; ++j) join(g * size + i, g * size + j);
    }
    if (g > 0) join(g * size, g * size - 1);
  }
  return sparse_from_triplets(n_groups * size, n_groups * size, std::move(edges));
}

TEST(Clusters, CliquesAreFound) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Clusters found = cluster_graph(cliques(6, 8), {}, {.seed = seed});
    ASSERT_EQ(found.n_clusters, 6U);
    for (std::size_t i = 0; i < 48; ++i) EXPECT_EQ(found.labels[i], found.labels[i / 8 * 8]);
    // 6 (28 + ...) edges inside of 6 * 28 + 5, and equal strengths but for the ends of the chain.
    EXPECT_NEAR(found.modularity, 168.0 / 173 - 1.0 / 6, 1e-3);
  }
}

TEST(Clusters, KarateClubReachesItsKnownModularity) {
  // Zachary's karate club: the best partition of modularity has 4 groups and 0.4198 (Brandes 2008).
  const int pairs[][2] = {
      {0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {0, 10},
      {0, 11},  {0, 12},  {0, 13},  {0, 17},  {0, 19},  {0, 21},  {0, 31},  {1, 2},   {1, 3},
      {1, 7},   {1, 13},  {1, 17},  {1, 19},  {1, 21},  {1, 30},  {2, 3},   {2, 7},   {2, 8},
      {2, 9},   {2, 13},  {2, 27},  {2, 28},  {2, 32},  {3, 7},   {3, 12},  {3, 13},  {4, 6},
      {4, 10},  {5, 6},   {5, 10},  {5, 16},  {6, 16},  {8, 30},  {8, 32},  {8, 33},  {9, 33},
      {13, 33}, {14, 32}, {14, 33}, {15, 32}, {15, 33}, {18, 32}, {18, 33}, {19, 33}, {20, 32},
      {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29}, {23, 32}, {23, 33}, {24, 25},
      {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31}, {28, 33}, {29, 32},
      {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33}};
  std::vector<Triplet> edges;
  for (const auto& [i, j] : pairs) {
    edges.push_back({i, j, 1.0});
    edges.push_back({j, i, 1.0});
  }
  const SparseMatrix club = sparse_from_triplets(34, 34, std::move(edges));
  double best = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Clusters found = cluster_graph(club, {}, {.seed = seed});
    EXPECT_GT(found.modularity, 0.40);
    best = std::max(best, found.modularity);
  }
  EXPECT_NEAR(best, 0.4198, 5e-4);
}

TEST(Clusters, ResolutionSplitsAndTheSameSeedRepeats) {
  const SparseMatrix graph = cliques(6, 8);
  EXPECT_LE(cluster_graph(graph, {.resolution = 0.05}).n_clusters, 3U);
  EXPECT_GE(cluster_graph(graph, {.resolution = 12}).n_clusters, 12U);
  EXPECT_EQ(cluster_graph(graph, {}, {.seed = 3}).labels,
            cluster_graph(graph, {}, {.seed = 3}).labels);
}

TEST(Clusters, ComponentsStayApartAndLonelyPointsAlone) {
  SparseMatrix graph = cliques(1, 5);
  graph.rows = graph.cols = 7;  // two points without edges
  graph.offsets.resize(8, graph.indices.size());
  const Clusters found = cluster_graph(graph);
  EXPECT_EQ(found.n_clusters, 3U);
  EXPECT_EQ(found.labels, (std::vector<Index>{0, 0, 0, 0, 0, 1, 2}));
  EXPECT_THROW(cluster_graph(graph, {.resolution = 0}), InvalidArgument);
  EXPECT_THROW(cluster_graph(SparseMatrix()), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
