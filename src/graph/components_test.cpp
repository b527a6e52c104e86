// Components, bridges, given affinities and the random walk.
#include "graph/components.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "geotherm/graph.hpp"
#include "graph/bridges.hpp"
#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

using testing::gaussian_points;
using testing::grid_points;

/// Blobs of the given sizes on a line, 100 apart.
Matrix<double> blobs(const std::vector<std::size_t>& sizes, std::size_t d, std::uint64_t seed = 1) {
  std::size_t n = 0;
  for (const std::size_t s : sizes) n += s;
  Matrix<double> points = gaussian_points(n, d, seed);
  std::size_t i = 0;
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    for (const std::size_t end = i + sizes[b]; i < end; ++i) points(i, 0) += 100.0 * double(b);
  }
  return points;
}

Graph graph_of(const Matrix<double>& points, std::size_t knn, Metric metric = Metric::euclidean) {
  return build_graph(find_neighbors(points, {.knn = knn, .metric = metric, .reach = reach_of({})}));
}

void expect_well_formed(const Graph& graph) {
  const SparseMatrix& w = graph.weights;
  EXPECT_TRUE(graph.lengths.empty() || graph.has_lengths());
  for (std::size_t i = 0; i < w.rows; ++i) {
    for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
      if (k > w.offsets[i]) {
        EXPECT_LT(w.indices[k - 1], w.indices[k]);
      }
      const std::size_t mirrored =
          w.find(static_cast<std::size_t>(w.indices[k]), static_cast<Index>(i));
      ASSERT_LT(mirrored, w.n_entries());
      EXPECT_EQ(w.values[k], w.values[mirrored]);
      if (!graph.lengths.empty()) {
        EXPECT_EQ(graph.lengths[k], graph.lengths[mirrored]);
      }
    }
  }
}

std::size_t n_components(const SparseMatrix& weights) {
  const auto component = connected_components(weights);
  return std::set<Index>(component.begin(), component.end()).size();
}

/// Total length of the minimum spanning tree of the components, by looking at all pairs.
double shortest_total(const Graph& graph, const Matrix<double>& points) {
  std::vector<std::tuple<double, Index, Index>> pairs;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (graph.component[i] == graph.component[j]) continue;
      pairs.push_back(
          {testing::plain_distance<double>(points.row(i), points.row(j), Metric::euclidean),
           graph.component[i], graph.component[j]});
    }
  }
  std::sort(pairs.begin(), pairs.end());
  detail::Groups groups(graph.n_components);
  double total = 0;
  for (const auto& [length, a, b] : pairs) total += groups.join(a, b) ? length : 0;
  return total;
}

/// Total length of a minimum spanning tree of the components along the bridges.
double total_of_tree(const Graph& graph) {
  std::vector<std::tuple<double, Index, Index>> bridges;
  for (const Bridge& b : graph.bridges) {
    bridges.push_back(
        {b.length, graph.component[std::size_t(b.from)], graph.component[std::size_t(b.to)]});
  }
  std::sort(bridges.begin(), bridges.end());
  detail::Groups groups(graph.n_components);
  double total = 0;
  for (const auto& [length, a, b] : bridges) total += groups.join(a, b) ? length : 0;
  return total;
}

TEST(ConnectedComponents, AreNumberedByFallingSizeThenByFirstPoint) {
  // 0-5, 1-2-6, 3, 4-7: sizes 2, 3, 1, 2.
  const SparseMatrix w = sparse_from_triplets(8, 8,
                                              {{0, 5, 1.0},
                                               {5, 0, 1.0},
                                               {1, 2, 1.0},
                                               {2, 1, 1.0},
                                               {6, 2, 1.0},
                                               {2, 6, 1.0},
                                               {4, 7, 1.0},
                                               {7, 4, 1.0},
                                               {3, 0, 0.0}});
  EXPECT_EQ(connected_components(w), (std::vector<Index>{1, 0, 0, 3, 2, 1, 0, 2}));
  EXPECT_TRUE(connected_components(SparseMatrix{}).empty());
}

TEST(ConnectComponents, BridgesBlobsByTheShortestLinks) {
  for (const std::size_t d : {2, 12}) {
    const Matrix<double> points = blobs({60, 30, 45, 11}, d);
    const Graph before = graph_of(points, 5);
    ASSERT_GE(before.n_components, 4U);
    const Graph graph = connect_components(before, ComponentPolicy::bridge, points);
    expect_well_formed(graph);
    EXPECT_EQ(n_components(graph.weights), 1U);
    EXPECT_EQ(graph.bridges.size(), before.n_components * (before.n_components - 1) / 2);
    EXPECT_EQ(graph.component, before.component);
    EXPECT_EQ(graph.n_components, before.n_components);
    EXPECT_TRUE(graph.has_lengths());
    EXPECT_EQ(graph.weights.n_entries(), before.weights.n_entries() + 2 * graph.bridges.size());
    std::vector<double> lengths = before.lengths;
    std::nth_element(lengths.begin(), lengths.begin() + long(lengths.size() / 2), lengths.end());
    const double median = lengths[lengths.size() / 2];
    for (const Bridge& bridge : graph.bridges) {
      const std::size_t k = graph.weights.find(std::size_t(bridge.from), bridge.to);
      ASSERT_LT(k, graph.weights.n_entries());
      EXPECT_EQ(graph.lengths[k], bridge.length);
      EXPECT_NEAR(graph.weights.values[k], std::min(1.0, std::pow(median / bridge.length, 2)),
                  1e-12);
      EXPECT_TRUE(graph.is_bridge(std::size_t(bridge.from), bridge.to));
    }
    for (std::size_t i = 0; i < before.n_points(); ++i) {
      for (const Index j : before.weights.row_indices(i)) EXPECT_FALSE(graph.is_bridge(i, j));
    }
    const double least = shortest_total(before, points);
    EXPECT_GE(total_of_tree(graph), least * (1 - 1e-12));
    EXPECT_LE(total_of_tree(graph), least * (d <= 8 ? 1 + 1e-12 : 1.05));
  }
}

TEST(ConnectComponents, FindsTheSpanningTreeOfManySmallComponentsWithTies) {
  // On a grid with one neighbour each, most links have length 1.
  for (const std::uint64_t seed : {1, 2, 3}) {
    Matrix<double> points = grid_points(300, 2, 40, seed);
    Graph before = graph_of(points, 1);
    ASSERT_GT(before.n_components, 30U);
    const Graph graph = connect_components(before, ComponentPolicy::bridge, points);
    expect_well_formed(graph);
    EXPECT_EQ(n_components(graph.weights), 1U);
    const double least = shortest_total(before, points);
    EXPECT_NEAR(total_of_tree(graph), least, 1e-10 * least);
    for (const std::size_t n_threads : {2, 8}) {
      ThreadPool pool(n_threads);
      Context context;
      context.executor = &pool;
      const Graph again = connect_components(before, ComponentPolicy::bridge, points, context);
      EXPECT_EQ(again.weights.indices, graph.weights.indices);
      EXPECT_EQ(again.weights.values, graph.weights.values);
      EXPECT_EQ(again.lengths, graph.lengths);
    }
  }
}

TEST(ConnectComponents, BridgesOfEveryPairAreNearlyTheShortest) {
  // Clouds in many dimensions, and long bent curves that are nearest to each other far from their
  // centres.
  for (const bool is_curved : {false, true}) {
    const std::size_t n_parts = 7, n_each = 180, d = is_curved ? 3 : 20;
    Matrix<double> points = gaussian_points(n_parts * n_each, d, 5);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      const std::size_t part = i / n_each;
      if (is_curved) {
        const double t = 6.0 * double(i % n_each) / n_each;
        for (std::size_t c = 0; c < 3; ++c) points(i, c) *= 0.02;
        points(i, 0) += t * std::cos(t + 0.9 * double(part));
        points(i, 1) += t * std::sin(t + 0.9 * double(part));
        points(i, 2) += 0.5 * double(part % 2) + 3.0 * double(part);
      } else {
        points(i, part) += 40;
        points(i, 19) += 15 * double(part % 3);
      }
    }
    const Graph before = graph_of(points, 8);
    ASSERT_GE(before.n_components, n_parts);
    ASSERT_LE(before.n_components, 24U);
    const Graph graph = connect_components(before, ComponentPolicy::bridge, points);
    ASSERT_EQ(graph.bridges.size(), before.n_components * (before.n_components - 1) / 2);
    std::map<std::pair<Index, Index>, double> least;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      for (std::size_t j = 0; j < points.rows(); ++j) {
        const auto pair = std::pair(before.component[i], before.component[j]);
        if (pair.first >= pair.second) continue;
        const double length =
            testing::plain_distance<double>(points.row(i), points.row(j), Metric::euclidean);
        const auto [place, is_new] = least.insert({pair, length});
        if (!is_new) place->second = std::min(place->second, length);
      }
    }
    for (const Bridge& b : graph.bridges) {
      const auto pair =
          std::pair(graph.component[std::size_t(b.from)], graph.component[std::size_t(b.to)]);
      EXPECT_LE(b.length, 1.05 * least.at(pair)) << pair.first << "-" << pair.second;
    }
  }
}

TEST(ConnectComponents, ManyComponentsAreJoinedToTheirNearest) {
  // 60 pairs of points far from each other around a cloud of 600, in 12 dimensions.
  Matrix<double> points = gaussian_points(720, 12, 6);
  for (std::size_t i = 600; i < 720; ++i) {
    const std::size_t pair = (i - 600) / 2;
    for (std::size_t c = 0; c < 12; ++c) {
      points(i, c) = 0.01 * points(i, c) + (c == pair % 12 ? 15.0 + 5.0 * double(pair / 12) : 0) +
                     0.3 * double(pair % 5);
    }
  }
  const Graph before = build_graph(find_neighbors(points, {.knn = 1, .reach = reach_of({})}));
  ASSERT_GT(before.n_components, 61U);
  const Graph graph = connect_components(before, ComponentPolicy::bridge, points);
  expect_well_formed(graph);
  EXPECT_EQ(n_components(graph.weights), 1U);
  EXPECT_LE(graph.bridges.size(), 9 * before.n_components);
  const double least = shortest_total(before, points);
  EXPECT_LE(total_of_tree(graph), 1.05 * least);
  ThreadPool pool(4);
  const Graph again =
      connect_components(before, ComponentPolicy::bridge, points, {.executor = &pool});
  EXPECT_EQ(again.weights.indices, graph.weights.indices);
  EXPECT_EQ(again.weights.values, graph.weights.values);
}

TEST(ConnectComponents, CostGrowsAlmostInProportionToThePoints) {
  // 12 clouds in 20 dimensions. Eight times the points may take twenty times as long (their
  // logarithm and the memory they lie in); comparing all pairs would take 64 times as long.
  const auto seconds = [](std::size_t n_each) {
    Matrix<double> points = gaussian_points(12 * n_each, 20, 7);
    Graph graph;
    graph.weights.rows = graph.weights.cols = points.rows();
    graph.weights.offsets.assign(points.rows() + 1, 0);
    graph.component.resize(points.rows());
    graph.n_components = 12;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      graph.component[i] = Index(i / n_each);
      points(i, i / n_each) += 30;
    }
    const auto start = std::chrono::steady_clock::now();
    const auto links = detail::bridging_links(graph, points, {});
    EXPECT_EQ(links.size(), 66U);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double few = std::min(seconds(2000), seconds(2000));
  EXPECT_LT(seconds(16000), 20 * few + 0.05);
}

TEST(ConnectComponents, GivesBridgesTheUnitOfTheOtherLengths) {
  // Two bundles of directions: cosine lengths are about 1e-4, Euclidean ones about 1.
  Matrix<double> points = gaussian_points(80, 10, 3);
  for (std::size_t i = 0; i < 80; ++i) points(i, i % 2) += 100;
  const Graph before = graph_of(points, 6, Metric::cosine);
  ASSERT_EQ(before.n_components, 2U);
  const Graph graph = connect_components(before, ComponentPolicy::bridge, points);
  ASSERT_EQ(graph.bridges.size(), 1U);
  std::vector<double> sorted = before.lengths;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2];
  // Some 140 apart where neighbours are some 4 apart.
  EXPECT_GT(graph.bridges[0].length, 10 * median);
  EXPECT_LT(graph.bridges[0].length, 100 * median);
}

TEST(ConnectComponents, WithoutPointsJoinsTheBestConnectedMembers) {
  const SparseMatrix w = sparse_from_triplets(7, 7,
                                              {{0, 1, 2.0},
                                               {1, 0, 2.0},
                                               {1, 2, 2.0},
                                               {2, 1, 2.0},
                                               {3, 4, 1.0},
                                               {4, 3, 1.0},
                                               {4, 5, 5.0},
                                               {5, 4, 5.0}});
  const Graph given = graph_from_affinities(w);
  ASSERT_EQ(given.n_components, 3U);
  const Graph graph = connect_components(given, ComponentPolicy::bridge, {});
  expect_well_formed(graph);
  EXPECT_TRUE(graph.lengths.empty());
  ASSERT_EQ(graph.bridges.size(), 2U);
  EXPECT_EQ(graph.bridges[0].from, 4);
  EXPECT_EQ(graph.bridges[0].to, 1);
  EXPECT_EQ(graph.bridges[1].from, 6);
  EXPECT_EQ(graph.bridges[0].length, 0);
  EXPECT_NEAR(graph.weights.values[graph.weights.find(4, 1)], 0.02, 1e-15);

  const Graph known =
      connect_components(graph_of(blobs({20, 15}, 2), 4), ComponentPolicy::bridge, {});
  EXPECT_TRUE(known.has_lengths());
  EXPECT_GT(known.bridges[0].length, 0);
  EXPECT_NEAR(
      known.weights
          .values[known.weights.find(std::size_t(known.bridges[0].from), known.bridges[0].to)],
      0.01, 1e-15);
}

TEST(ConnectComponents, JoinsPointsThatHaveNoEdgeAtAll) {
  const Graph none = graph_from_affinities(sparse_from_triplets(5, 5, {}));
  ASSERT_EQ(none.n_components, 5U);
  for (const bool has_points : {true, false}) {
    const Matrix<double> points = has_points ? gaussian_points(5, 3) : Matrix<double>();
    const Graph graph = connect_components(none, ComponentPolicy::bridge, points);
    expect_well_formed(graph);
    EXPECT_EQ(n_components(graph.weights), 1U);
  }
  // Equal points: links of length 0 have weight 1.
  const Graph equal = connect_components(none, ComponentPolicy::bridge, Matrix<double>(5, 2, 1.0));
  for (const double value : equal.weights.values) EXPECT_EQ(value, 1);
}

TEST(ConnectComponents, SurvivesHugeAndTinyScales) {
  const Matrix<double> points = blobs({20, 15, 9}, 3);
  const Graph truth = connect_components(graph_of(points, 4), ComponentPolicy::bridge, points);
  for (const int exponent : {-500, 500}) {
    Matrix<double> scaled = points;
    for (std::size_t k = 0; k < scaled.size(); ++k) {
      scaled.data()[k] = std::ldexp(scaled.data()[k], exponent);
    }
    const Graph graph = connect_components(graph_of(scaled, 4), ComponentPolicy::bridge, scaled);
    EXPECT_EQ(graph.weights.indices, truth.weights.indices);
    for (std::size_t k = 0; k < truth.weights.n_entries(); ++k) {
      EXPECT_NEAR(graph.weights.values[k], truth.weights.values[k], 1e-14);
    }
  }
}

TEST(ConnectComponents, LeavesWhatIsConnectedOrMeantToBeSeparate) {
  const Matrix<double> points = blobs({20, 15}, 2);
  const Graph before = graph_of(points, 4);
  const Graph separate = connect_components(before, ComponentPolicy::separate, points);
  EXPECT_EQ(separate.weights.indices, before.weights.indices);
  EXPECT_TRUE(separate.bridges.empty());
  const Matrix<double> one = blobs({40}, 2);
  for (const ComponentPolicy policy :
       {ComponentPolicy::bridge, ComponentPolicy::separate, ComponentPolicy::error}) {
    EXPECT_EQ(component_policy_named(to_string(policy)), policy);
    const Graph graph = connect_components(graph_of(one, 10), policy, one);
    EXPECT_TRUE(graph.bridges.empty());
  }
}

TEST(ConnectComponents, SaysHowManyAndHowLargeWhereThatIsAnError) {
  const Matrix<double> points = blobs({20, 15, 9}, 2);
  const Graph graph = graph_of(points, 6);
  ASSERT_EQ(graph.n_components, 3U);
  try {
    connect_components(graph, ComponentPolicy::error, points);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& e) {
    const std::string said = e.what();
    EXPECT_NE(said.find("3 components of 20, 15 and 9 points"), std::string::npos) << said;
    EXPECT_NE(said.find("raise knn"), std::string::npos) << said;
    EXPECT_NE(said.find("`components` bridge"), std::string::npos) << said;
  }
  EXPECT_THROW(connect_components(graph, ComponentPolicy::bridge, gaussian_points(5, 2)),
               InvalidArgument);
  // The caller says how many there are.
  Context context;
  context.on_log = [](LogLevel, std::string_view text) { ADD_FAILURE() << text; };
  connect_components(graph, ComponentPolicy::bridge, points, context);
}

TEST(GraphFromAffinities, SymmetrisesWithAWarningAndDropsDiagonalAndZeros) {
  std::vector<std::string> warnings;
  Context context;
  context.on_log = [&](LogLevel, std::string_view text) { warnings.emplace_back(text); };
  const SparseMatrix symmetric =
      sparse_from_triplets(3, 3, {{0, 0, 1.0}, {0, 1, 0.5}, {1, 0, 0.5}, {1, 2, 0.0}});
  const Graph graph = graph_from_affinities(symmetric, context);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(graph.weights.n_entries(), 2U);
  EXPECT_EQ(graph.n_components, 2U);
  EXPECT_TRUE(graph.lengths.empty());
  const SparseMatrix one_sided = sparse_from_triplets(3, 3, {{0, 1, 0.5}, {2, 1, 1.0}});
  const Matrix<double> w = to_dense(graph_from_affinities(one_sided, context).weights);
  EXPECT_EQ(warnings.size(), 1U);
  EXPECT_EQ(w(0, 1), 0.25);
  EXPECT_EQ(w(1, 0), 0.25);
  EXPECT_EQ(w(1, 2), 0.5);
  EXPECT_THROW(graph_from_affinities(sparse_from_triplets(2, 2, {{0, 1, -1.0}})), InvalidArgument);
  EXPECT_THROW(graph_from_affinities(sparse_from_triplets(2, 2, {{0, 1, INFINITY}})),
               InvalidArgument);
  EXPECT_THROW(graph_from_affinities(sparse_from_triplets(2, 3, {})), InvalidArgument);
}

TEST(RandomWalk, KeepsSelfAffinityOneAndHasRowsOfSumOne) {
  const Graph graph = graph_of(gaussian_points(200, 3), 6);
  const SparseMatrix walk = random_walk(graph);
  EXPECT_EQ(walk.n_entries(), graph.weights.n_entries() + 200);
  for (std::size_t i = 0; i < 200; ++i) {
    double degree = 0, sum = 0;
    for (const double value : graph.weights.row_values(i)) degree += value;
    for (const double value : walk.row_values(i)) sum += value;
    EXPECT_NEAR(sum, 1, 1e-14);
    for (std::size_t k = walk.offsets[i]; k < walk.offsets[i + 1]; ++k) {
      const Index j = walk.indices[k];
      if (k > walk.offsets[i]) {
        EXPECT_LT(walk.indices[k - 1], j);
      }
      const double w =
          static_cast<std::size_t>(j) == i ? 1 : graph.weights.values[graph.weights.find(i, j)];
      EXPECT_NEAR(walk.values[k], w / (1 + degree), 1e-15);
    }
  }
}

}  // namespace
}  // namespace geotherm
