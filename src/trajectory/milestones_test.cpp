#include "geotherm/trajectory.hpp"
#include "trajectory/shapes_for_tests.hpp"
#include "trajectory/skeleton.hpp"

namespace geotherm {
namespace {

struct Found {
  Graph graph;
  Pseudotime order;
  MilestoneNetwork network;
};

Found found_in(const Matrix<double>& points, const Context& context = {}) {
  Found found;
  found.graph = test::graph_of(points);
  const std::vector<Index> roots = {0};
  found.order = pseudotime(found.graph, roots, {}, context);
  found.network = milestone_network(found.graph, found.order, 0, {}, context);
  return found;
}

TEST(Milestones, OfALineAreItsTwoEnds) {
  const MilestoneNetwork network = found_in(test::fork(500, 1, 0.05).points).network;
  EXPECT_EQ(network.ends.size(), 1);
  EXPECT_TRUE(network.branchings.empty());
  EXPECT_EQ(network.n_loops, 0);
  EXPECT_TRUE(network.is_supported);
}

TEST(Milestones, OfAForkAreATrunkABranchingAndAnEndForEachArm) {
  for (const std::size_t n_arms : {2, 3, 4}) {
    const test::Shape shape = test::fork(300 * (n_arms + 1), n_arms, 0.05);
    const MilestoneNetwork network = found_in(shape.points).network;
    EXPECT_EQ(network.ends.size(), n_arms);
    EXPECT_EQ(network.branchings.size(), 1);
    EXPECT_EQ(network.n_loops, 0);
    EXPECT_TRUE(network.is_supported);
    // Cells away from the branching lie on the edge of their arm.
    std::vector<std::vector<std::size_t>> count(n_arms + 1,
                                                std::vector<std::size_t>(network.edges.size()));
    for (std::size_t i = 0; i < shape.time.size(); ++i) {
      if (shape.branch[i] > 0 && shape.time[i] > 1.3) {
        ++count[static_cast<std::size_t>(shape.branch[i])]
               [static_cast<std::size_t>(network.edge_of[i])];
      }
    }
    for (std::size_t arm = 1; arm <= n_arms; ++arm) {
      const auto most = *std::max_element(count[arm].begin(), count[arm].end());
      EXPECT_GT(static_cast<double>(most),
                0.95 * static_cast<double>(
                           std::accumulate(count[arm].begin(), count[arm].end(), std::size_t{0})));
    }
  }
}

TEST(Milestones, OfACircleAreALoopWithoutEnds) {
  const MilestoneNetwork network = found_in(test::circle(600, 0.05).points).network;
  EXPECT_EQ(network.n_loops, 1);
  EXPECT_TRUE(network.ends.empty());
  EXPECT_TRUE(network.is_supported);
  EXPECT_GE(network.milestones.size(), 3);
}

TEST(Milestones, BeginWherePseudotimeDoesWhateverTheFirstRoot) {
  // Several roots at the beginning of a fork, and the first of them at the tip of an arm.
  const test::Shape shape = test::fork(900, 2, 0.05);
  const auto nearest = [&](Index branch, double time) {
    Index found = 0;
    double least = 10;
    for (std::size_t i = 0; i < shape.time.size(); ++i) {
      if (shape.branch[i] != branch || std::abs(shape.time[i] - time) >= least) continue;
      least = std::abs(shape.time[i] - time);
      found = static_cast<Index>(i);
    }
    return found;
  };
  const Graph graph = test::graph_of(shape.points);
  std::vector<Index> roots = {nearest(1, 1.95)};
  for (const double time : {0.0, 0.02, 0.04, 0.06, 0.08}) roots.push_back(nearest(0, time));
  const Pseudotime order = pseudotime(graph, roots);
  const MilestoneNetwork network = milestone_network(graph, order, roots.front());
  EXPECT_LT(shape.time[static_cast<std::size_t>(network.milestones.front())], 0.3);
  EXPECT_EQ(network.ends.size(), 2);
}

TEST(Milestones, OfCirclesOfFewCellsAreLoopsToo) {
  // Cells at random: somewhere they are far fewer than elsewhere, and little heat flows there.
  for (const std::size_t n : {300, 400, 600}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const MilestoneNetwork network = found_in(test::circle(n, 0.05, seed).points).network;
      // One that hangs together by an edge or two is a line; all are explained.
      EXPECT_EQ(network.n_loops + network.ends.size() / 2, 1) << n << " cells, seed " << seed;
      EXPECT_TRUE(network.is_supported) << network.explained;
    }
  }
}

TEST(Milestones, OfATwigAreABranchOnlyWherePseudotimeGoesOn) {
  // A line with a twig in its middle. What leaves sideways is a branch if order rises along it.
  constexpr std::size_t n = 600;
  Matrix<double> places(n, 2);
  std::vector<double> rising(n), level(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_twig = i >= 450;
    const double along =
        is_twig ? static_cast<double>(i - 450) / 150 : static_cast<double>(i) / 450;
    places(i, 0) = is_twig ? 0.5 : along;
    places(i, 1) = is_twig ? 0.3 * along : 0;
    rising[i] = is_twig ? 0.5 + 0.3 * along : along;
    level[i] = is_twig ? 0.5 + 0.05 * along : along;
  }
  test::add_noise(places, 0.003, 2);
  const Graph graph = test::graph_of(places);
  const auto branchings = [&](const std::vector<double>& order) {
    const detail::Skeleton skeleton = detail::make_skeleton(graph, places, order, 0, 0.3, {}, {});
    return std::ranges::count_if(skeleton.links, [](const auto& list) { return list.size() > 2; });
  };
  EXPECT_EQ(branchings(rising), 1);
  EXPECT_EQ(branchings(level), 0);
}

TEST(Milestones, OfACloudAreNotSupported) {
  for (const std::size_t d : {2, 3, 5, 10}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const MilestoneNetwork network = found_in(test::cloud(800, d, seed).points).network;
      EXPECT_FALSE(network.is_supported) << d << " dimensions: " << network.explained;
    }
  }
}

TEST(Milestones, AreTheSameOnOneAndFourThreads) {
  const test::Shape shape = test::fork(500, 2, 0.1);
  const MilestoneNetwork one = found_in(shape.points).network;
  ThreadPool pool(4);
  Context context;
  context.executor = &pool;
  const MilestoneNetwork four = found_in(shape.points, context).network;
  EXPECT_EQ(one.milestones, four.milestones);
  EXPECT_EQ(one.edge_of, four.edge_of);
  EXPECT_EQ(one.fraction, four.fraction);
  EXPECT_EQ(one.explained, four.explained);
}

TEST(Milestones, RefuseBadOptionsByName) {
  EXPECT_TRUE(issues_with(MilestoneOptions{}).empty());
  const auto issues = issues_with(MilestoneOptions{
      .n_modes = 1, .n_groups = 2, .min_branch = 2, .min_cells = -1, .min_explained = 3});
  ASSERT_EQ(issues.size(), 5);
  for (const char* name : {"n_modes", "n_groups", "min_branch", "min_cells", "min_explained"}) {
    EXPECT_TRUE(std::any_of(issues.begin(), issues.end(), [&](const std::string& text) {
      return text.find(name) == 0;
    })) << name;
  }
}

TEST(Fates, LeadEachArmToItsOwnEnd) {
  const test::Shape shape = test::fork(900, 2, 0.05);
  const Found found = found_in(shape.points);
  const SparseMatrix walk = directed_walk(found.graph, found.order.values);
  for (std::size_t i = 0; i < walk.rows; ++i) {
    double sum = 0;
    for (const double value : walk.row_values(i)) sum += value;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  const auto ends = cells_at_ends(found.network);
  ASSERT_EQ(ends.size(), 2);
  const Matrix<double> fate = fate_probabilities(walk, found.order.values, ends);
  std::size_t right = 0, judged = 0;
  const auto own = shape.branch[static_cast<std::size_t>(ends[0][0])];
  for (std::size_t i = 0; i < fate.rows(); ++i) {
    EXPECT_NEAR(fate(i, 0) + fate(i, 1), 1, 1e-12);
    if (shape.branch[i] == 0 && shape.time[i] < 0.5) {
      EXPECT_GT(fate(i, 0), 0.1);
      EXPECT_LT(fate(i, 0), 0.9);
    }
    if (shape.branch[i] == 0 || shape.time[i] < 1.3) continue;
    ++judged;
    right += (fate(i, 0) > 0.5) == (shape.branch[i] == own);
  }
  EXPECT_GT(static_cast<double>(right), 0.97 * static_cast<double>(judged));
}

TEST(Fates, OfAWalkToOneEndAreCertain) {
  const Found found = found_in(test::fork(300, 1, 0.05).points);
  const SparseMatrix walk = directed_walk(found.graph, found.order.values);
  const Matrix<double> fate =
      fate_probabilities(walk, found.order.values, cells_at_ends(found.network));
  ASSERT_EQ(fate.cols(), 1);
  for (std::size_t i = 0; i < fate.rows(); ++i) EXPECT_EQ(fate(i, 0), 1);
}

TEST(Fates, OfAnEvenWalkOnALineAreTheSharesOfTheWay) {
  // The gambler's ruin: from place i of 0 to 40 the walk reaches 40 before 0 with probability i
  // / 40.
  constexpr std::size_t last = 40, n = last + 3;
  std::vector<Triplet> steps;
  const auto step = [&](std::size_t from, std::size_t to, double share) {
    steps.push_back({static_cast<Index>(from), static_cast<Index>(to), share});
  };
  for (std::size_t i = 1; i < last; ++i) {
    step(i, i - 1, 0.5);
    step(i, i + 1, 0.5);
  }
  step(0, 0, 1);
  step(last, last, 1);
  // Two cells that only lead to each other reach neither end: nothing speaks for one of them.
  step(last + 1, last + 2, 1);
  step(last + 2, last + 1, 1);
  const SparseMatrix walk = sparse_from_triplets(n, n, steps);
  std::vector<double> time(n);
  for (std::size_t i = 0; i < n; ++i) time[i] = static_cast<double>(i) / n;
  const Matrix<double> fate = fate_probabilities(walk, time, {{0}, {static_cast<Index>(last)}});
  for (std::size_t i = 0; i <= last; ++i) {
    EXPECT_NEAR(fate(i, 1), static_cast<double>(i) / last, 1e-8);
    EXPECT_NEAR(fate(i, 0) + fate(i, 1), 1, 1e-12);
  }
  EXPECT_EQ(fate(last + 1, 0), 0.5);
}

TEST(DirectedWalk, GoesBackAsOftenAsAsked) {
  const Found found = found_in(test::fork(300, 1, 0.05).points);
  const auto share_back = [&](double backward) {
    const SparseMatrix walk = directed_walk(found.graph, found.order.values, {backward});
    double back = 0;
    for (std::size_t i = 0; i < walk.rows; ++i) {
      for (std::size_t e = walk.offsets[i]; e < walk.offsets[i + 1]; ++e) {
        const auto j = static_cast<std::size_t>(walk.indices[e]);
        if (found.order.values[j] < found.order.values[i]) back += walk.values[e];
      }
    }
    return back / static_cast<double>(walk.rows);
  };
  EXPECT_LT(share_back(0), 0.05);  // only what has nowhere else to go
  EXPECT_LT(share_back(0.1), share_back(0.5));
  EXPECT_NEAR(share_back(1), 0.5, 0.05);
  EXPECT_FALSE(issues_with(DirectionOptions{.backward = 2}).empty());
}

TEST(GroupFlow, JoinsNeighbouringStretchesOfALineAndNoOthers) {
  const test::Shape shape = test::fork(600, 1, 0.02);
  std::vector<Index> groups;
  for (const double time : shape.time)
    groups.push_back(std::min<Index>(3, static_cast<Index>(2 * time)));
  const Matrix<double> flow = group_flow(test::graph_of(shape.points), groups, 4);
  for (std::size_t a = 0; a < 4; ++a) {
    EXPECT_EQ(flow(a, a), 0);
    for (std::size_t b = 0; b < 4; ++b) {
      EXPECT_EQ(flow(a, b), flow(b, a));
      if (a + 1 == b) {
        EXPECT_GT(flow(a, b), 0.005);
      } else if (a + 1 < b) {
        EXPECT_EQ(flow(a, b), 0);
      }
    }
  }
}

}  // namespace
}  // namespace geotherm
