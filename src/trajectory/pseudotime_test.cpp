#include "geotherm/trajectory.hpp"
#include "trajectory/shapes_for_tests.hpp"
#include "trajectory/slow_geometry.hpp"

namespace geotherm {
namespace {

std::string complaint_of(const Graph& graph, std::vector<Index> roots,
                         const PseudotimeOptions& options = {}) {
  try {
    pseudotime(graph, roots, options);
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "";
}

TEST(Pseudotime, FollowsAForkFromItsBeginning) {
  const test::Shape shape = test::fork(600, 2, 0.05);
  const std::vector<Index> roots = {0};
  const Pseudotime order = pseudotime(test::graph_of(shape.points), roots);
  EXPECT_GT(test::spearman(order.values, shape.time), 0.97);
  EXPECT_EQ(order.values[0], 0);
  EXPECT_EQ(*std::max_element(order.values.begin(), order.values.end()), 1);
  EXPECT_EQ(order.n_unreached, 0);
}

TEST(Pseudotime, BringsEndsTogetherAsFarAsAsked) {
  // Two arms, of which one is a third as long.
  test::Shape shape = test::fork(600, 2, 0.02);
  for (std::size_t i = 0; i < shape.time.size(); ++i) {
    if (shape.branch[i] != 2) continue;
    shape.points(i, 2) *= 0.4;
  }
  const Graph graph = test::graph_of(shape.points);
  const std::vector<Index> roots = {0};
  const auto end_of_arm = [&](double share) {
    const Pseudotime order = pseudotime(graph, roots, {.even_ends = share});
    double last = 0;
    for (std::size_t i = 0; i < shape.time.size(); ++i) {
      if (shape.branch[i] == 2) last = std::max(last, order.values[i]);
    }
    return last;
  };
  const double none = end_of_arm(0), half = end_of_arm(0.5), all = end_of_arm(1);
  EXPECT_LT(none, 0.9);
  EXPECT_GT(half, none + 0.02);
  EXPECT_NEAR(all, 1, 0.02);
  // Walks are directed by what distances say, however far the ends are brought together.
  const Pseudotime as_long = pseudotime(graph, roots, {.even_ends = 0});
  EXPECT_EQ(as_long.by_distance, as_long.values);
  EXPECT_EQ(pseudotime(graph, roots, {.even_ends = 1}).by_distance, as_long.values);
}

TEST(Pseudotime, HasTheSameBitsOnOneTwoAndEightThreads) {
  const test::Shape shape = test::fork(500, 2, 0.1);
  const Graph graph = test::graph_of(shape.points);
  const std::vector<Index> roots = {0, 5};
  const PseudotimeOptions options{.bootstrap = 3};
  const Pseudotime one = pseudotime(graph, roots, options);
  for (const std::size_t n_threads : {2, 8}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    const Pseudotime other = pseudotime(graph, roots, options, context);
    EXPECT_EQ(one.values, other.values);
    EXPECT_EQ(one.low, other.low);
    EXPECT_EQ(one.high, other.high);
  }
}

TEST(Pseudotime, OfManyCellsIsFoundInAnOrderInWhichNeighboursAreNear) {
  // A ring whose points come in any order: neighbours lie anywhere in memory.
  constexpr std::size_t n = 40000;
  std::vector<Index> name(n);
  for (std::size_t i = 0; i < n; ++i) name[i] = static_cast<Index>(i);
  Rng rng(3, "test.ring");
  for (std::size_t i = n; i-- > 1;) std::swap(name[i], name[rng.below(i + 1)]);
  std::vector<Triplet> edges;
  for (std::size_t i = 0; i < n; ++i) {
    edges.push_back({name[i], name[(i + 1) % n], 1.0});
    edges.push_back({name[(i + 1) % n], name[i], 1.0});
  }
  const Graph ring = graph_from_affinities(sparse_from_triplets(n, n, std::move(edges)));
  const std::vector<Index> near = detail::in_near_order(ring, detail::component_of(ring, 0));
  std::vector<Index> place(n, -1);
  for (std::size_t k = 0; k < n; ++k)
    place[static_cast<std::size_t>(near[k])] = static_cast<Index>(k);
  EXPECT_EQ(std::count(place.begin(), place.end(), -1), 0);  // every cell is there
  std::size_t far = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto a = static_cast<std::size_t>(name[i]),
               b = static_cast<std::size_t>(name[(i + 1) % n]);
    far += std::abs(place[a] - place[b]) > 2000 ? 1 : 0;
  }
  EXPECT_LT(far, 200);  // at boundaries between cells alone
  // The part of a graph is the same graph, whatever the order of its points.
  const Graph part = detail::part_of(ring, near);
  for (std::size_t k = 0; k < n; ++k) {
    const auto around = part.weights.row_indices(k);
    ASSERT_EQ(around.size(), 2);
    EXPECT_LT(around[0], around[1]);
    for (const Index j : around) {
      const auto beside = ring.weights.row_indices(static_cast<std::size_t>(near[k]));
      EXPECT_NE(std::ranges::find(beside, near[static_cast<std::size_t>(j)]), beside.end());
    }
  }
}

TEST(Pseudotime, OfAnotherSeedHasTheSameValuesAndOtherIntervals) {
  const test::Shape shape = test::fork(300, 2, 0.1);
  const Graph graph = test::graph_of(shape.points);
  const std::vector<Index> roots = {0};
  Context context;
  const Pseudotime first = pseudotime(graph, roots, {.bootstrap = 4}, context);
  context.seed = 7;
  const Pseudotime second = pseudotime(graph, roots, {.bootstrap = 4}, context);
  // Modes are found to 1e-7, from another start.
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    EXPECT_NEAR(first.values[i], second.values[i], 1e-5);
  }
  EXPECT_NE(first.low, second.low);
}

TEST(Pseudotime, IntervalsHoldMostOfTheirValues) {
  const test::Shape shape = test::fork(400, 2, 0.1);
  const std::vector<Index> roots = {0};
  const Pseudotime order =
      pseudotime(test::graph_of(shape.points), roots, {.bootstrap = 20, .level = 0.95});
  std::size_t n_inside = 0;
  for (std::size_t i = 0; i < order.values.size(); ++i) {
    EXPECT_LE(order.low[i], order.high[i]);
    n_inside += order.low[i] - 0.02 <= order.values[i] && order.values[i] <= order.high[i] + 0.02;
  }
  EXPECT_GT(n_inside, 320);
}

TEST(Pseudotime, OfCellsThatNoPathJoinsToTheRootIsNaN) {
  test::Shape shape = test::fork(300, 2, 0.05);
  for (std::size_t i = 250; i < 300; ++i) shape.points(i, 4) += 100;
  const Graph graph = test::graph_of(shape.points);
  std::vector<std::string> warnings;
  Context context;
  context.on_log = [&](LogLevel, std::string_view text) { warnings.emplace_back(text); };
  const std::vector<Index> roots = {0};
  const Pseudotime order = pseudotime(graph, roots, {}, context);
  EXPECT_EQ(order.n_unreached, 50);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(std::isnan(order.values[i]), i >= 250);
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_NE(warnings[0].find("50 of 300 cells"), std::string::npos);
  EXPECT_NE(complaint_of(graph, {0, 260}).find("different components"), std::string::npos);
}

TEST(Pseudotime, RefusesRootsThatDoNotExistAndBadOptionsByName) {
  const Graph graph = test::graph_of(test::fork(100, 2, 0.05).points);
  EXPECT_NE(complaint_of(graph, {100}).find("root 100 does not exist"), std::string::npos);
  EXPECT_NE(complaint_of(graph, {-1}).find("root -1 does not exist"), std::string::npos);
  EXPECT_NE(complaint_of(graph, {}).find("no root"), std::string::npos);
  EXPECT_NE(complaint_of(graph, {0}, {.resolutions = {0}}).find("resolutions"), std::string::npos);
  EXPECT_NE(complaint_of(graph, {0}, {.resolutions = {}}).find("resolutions"), std::string::npos);
  EXPECT_NE(complaint_of(graph, {0}, {.knn = 1}).find("knn"), std::string::npos);
  EXPECT_NE(complaint_of(graph, {0}, {.even_ends = 2}).find("even_ends"), std::string::npos);
  EXPECT_NE(complaint_of(graph, {0}, {.bootstrap = 1}).find("bootstrap"), std::string::npos);
  EXPECT_NE(complaint_of(graph, {0}, {.level = 1}).find("level"), std::string::npos);
  EXPECT_TRUE(issues_with(PseudotimeOptions{}).empty());
}

TEST(Pseudotime, WorksOnAsFewAsFourCells) {
  const Matrix<double> points = test::fork(4, 1, 0.01).points;
  const std::vector<Index> roots = {0};
  const Pseudotime order = pseudotime(test::graph_of(points, 2), roots);
  for (const double value : order.values) EXPECT_TRUE(std::isfinite(value));
}

TEST(RootCandidates, AreTheTipsOfAFork) {
  const test::Shape shape = test::fork(600, 2, 0.03);
  const std::vector<Index> found = root_candidates(test::graph_of(shape.points), 3);
  ASSERT_EQ(found.size(), 3);
  std::vector<char> tip(3, 0);
  for (const Index cell : found) {
    const auto i = static_cast<std::size_t>(cell);
    const double along = shape.branch[i] == 0 ? 1 - shape.time[i] : shape.time[i] - 1;
    EXPECT_GT(along, 0.8);
    tip[static_cast<std::size_t>(shape.branch[i])] = 1;
  }
  EXPECT_EQ(tip, std::vector<char>(3, 1));
}

}  // namespace
}  // namespace geotherm
