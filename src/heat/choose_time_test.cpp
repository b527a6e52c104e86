// The time from the entropy curve.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heat/test_graphs.hpp"

namespace geotherm {
namespace {

using namespace testing;

TEST(ChooseTime, MeasuresTheEntropyOfTheKernel) {
  const Graph graph = strip_graph(80, 8, 0.9);
  const std::vector<double> times = {0.05, 0.5, 3.0, 20.0};
  for (const auto kind : all_kinds) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    const TimeChoice choice = choose_time(laplacian, {.candidates = times});
    EXPECT_EQ(choice.times, times);
    for (std::size_t s = 0; s < times.size(); ++s) {
      const Matrix<double> heat = heat_kernel(laplacian, {.time = times[s]})->dense();
      double entropy = 0;
      for (std::size_t k = 0; k < heat.size(); ++k) {
        entropy -= heat.data()[k] * std::log(heat.data()[k] + 1e-10);
      }
      // 80 x 80 entries, each off by 1e-12 times a logarithm of up to 23.
      EXPECT_NEAR(choice.entropies[s] / entropy, 1.0, 1e-9) << to_string(kind);
    }
  }
}

TEST(ChooseTime, RisesFromLittleToTheLogarithmOfTheSize) {
  const Laplacian laplacian = build_laplacian(strip_graph(100, 4, 0.9));
  const TimeChoice choice = choose_time(laplacian, {.candidates = {1e-6, 1e6}});
  EXPECT_LT(choice.entropies[0], 0.02 * 100);
  EXPECT_NEAR(choice.entropies[1], 100 * std::log(100.0), 1e-4);
}

TEST(ChooseTime, SamplesRowsEvenlyAndScalesUp) {
  const Laplacian laplacian = build_laplacian(strip_graph(400, 30, 0.9));
  const TimeChoice all = choose_time(laplacian, {.max_rows = 400});
  const TimeChoice some = choose_time(laplacian, {.max_rows = 100});
  for (std::size_t s = 0; s < all.times.size(); ++s) {
    // A quarter of the rows: sampling error of a few per cent.
    EXPECT_NEAR(some.entropies[s] / all.entropies[s], 1.0, 0.1);
  }
  EXPECT_EQ(all.times, some.times);
}

TEST(ChooseTime, FollowsTheUnitOfTheWeights) {
  // Ten times the weights: a tenth of the time, the same entropies.
  Graph graph = strip_graph(120, 12, 0.9);
  const TimeChoice slow = choose_time(build_laplacian(graph), {.rule = TimeRule::knee});
  for (double& w : graph.weights.values) w *= 10;
  const TimeChoice fast = choose_time(build_laplacian(graph), {.rule = TimeRule::knee});
  EXPECT_EQ(slow.how, "knee");
  EXPECT_NEAR(slow.time / fast.time, 10.0, 1e-9);
  EXPECT_NEAR(slow.entropies[7] / fast.entropies[7], 1.0, 1e-9);
}

TEST(ChooseTime, SaysSoWhereThereIsNoKnee) {
  std::string warning;
  Context context;
  context.on_log = [&](LogLevel, std::string_view message) { warning = message; };
  const Laplacian laplacian = build_laplacian(strip_graph(60, 4, 0.9));
  const TimeChoice two =
      choose_time(laplacian, {.rule = TimeRule::knee, .candidates = {0.1, 10.0}}, context);
  EXPECT_NE(two.how, "knee");
  EXPECT_FALSE(warning.empty());
  EXPECT_GT(two.time, 0.1);
  EXPECT_LT(two.time, 10.0);
  // Nothing moves where there are no edges; a usable time comes back all the same.
  for (const std::size_t n : {1, 4}) {
    const TimeChoice still =
        choose_time(build_laplacian(graph_of(n, {})), {.rule = TimeRule::knee});
    EXPECT_NE(still.how, "knee");
    EXPECT_GT(still.time, 0.0);
  }
}

TEST(ChooseTime, StopsWhereHeatCoversItsShareOfThePoints) {
  // A strip is nearly a path: heat takes more than the fewest jumps to cover an eighth of it.
  const Laplacian laplacian = build_laplacian(strip_graph(400, 40, 0.9));
  const TimeChoice choice = choose_time(laplacian, {.share = 0.125, .most_jumps = 5000});
  EXPECT_EQ(choice.how, "heat covers its share of the points");
  const Matrix<double> heat = heat_kernel(laplacian, {.time = choice.time})->dense();
  double entropy = 0;
  for (std::size_t k = 0; k < heat.size(); ++k) {
    if (heat.data()[k] > 0) entropy -= heat.data()[k] * std::log(heat.data()[k]);
  }
  // Between candidates the curve is taken as straight in the logarithm of time: a few per cent.
  EXPECT_NEAR(std::exp(entropy / 400) / 400, 0.125, 0.01);
}

TEST(ChooseTime, KeepsTheJumpsWithinTheirBounds) {
  const auto jumps = [](const Graph& graph, const TimeOptions& options) {
    const Laplacian laplacian = build_laplacian(graph);
    std::vector<double> degree;
    for (std::size_t i = 0; i < graph.n_points(); ++i) {
      degree.push_back(laplacian.matrix.values[laplacian.matrix.find(i, static_cast<Index>(i))]);
    }
    std::nth_element(degree.begin(),
                     degree.begin() + static_cast<std::ptrdiff_t>(degree.size() / 2), degree.end());
    return choose_time(laplacian, options).time * degree[degree.size() / 2];
  };
  // Heat on a path crawls, and on a broad strip it covers its share before the fewest jumps.
  EXPECT_NEAR(jumps(path_graph(90), {.share = 0.9}), 200, 1e-9);
  EXPECT_NEAR(jumps(strip_graph(400, 8, 0.9), {.share = 0.2}), 28, 1e-9);
  // Where all see all it is everywhere at once: distances have to be read before.
  EXPECT_LT(jumps(strip_graph(60, 1, 1.0), {}), 10);
  EXPECT_LT(jumps(path_graph(2), {}), 1.5);
  EXPECT_NEAR(jumps(path_graph(500), {.fewest_jumps = 3, .most_jumps = 7, .jumps_a_hop = 0}), 7,
              1e-9);
  // A usable time where nothing moves.
  EXPECT_GT(choose_time(build_laplacian(graph_of(3, {}))).time, 0);
}

TEST(ChooseTime, LeavesOutTimesThatCannotBeChosen) {
  struct Case {
    Graph graph;
    TimeOptions options;
    bool is_shorter;
  };
  const Case cases[] = {{path_graph(500), {}, false},
                        {strip_graph(400, 40, 0.9), {.share = 0.125}, false},
                        {strip_graph(400, 8, 0.9), {.share = 0.2}, true},
                        {strip_graph(60, 1, 1.0), {}, true},
                        {path_graph(2), {}, true}};
  for (const Case& c : cases) {
    const Laplacian laplacian = build_laplacian(c.graph);
    TimeOptions all = c.options;  // the same times, given: each is looked at
    all.share = 1 - 1e-15;        // never reached
    all.candidates = choose_time(laplacian, all).times;
    all.share = c.options.share;
    const TimeChoice chosen = choose_time(laplacian, c.options),
                     whole = choose_time(laplacian, all);
    EXPECT_EQ(chosen.time, whole.time);
    EXPECT_EQ(chosen.short_time, whole.short_time);
    EXPECT_EQ(chosen.how, whole.how);
    EXPECT_EQ(chosen.times.size() < whole.times.size(), c.is_shorter);
    for (std::size_t k = 0; k < chosen.times.size(); ++k) {
      EXPECT_EQ(chosen.entropies[k], whole.entropies[k]);
    }
  }
}

TEST(ChooseTime, HasTheSameBitsForAnyNumberOfThreads) {
  const Laplacian laplacian = build_laplacian(strip_graph(150, 12, 0.9));
  const TimeChoice alone = choose_time(laplacian);
  for (const std::size_t n_threads : {2, 8}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    const TimeChoice together = choose_time(laplacian, {}, context);
    EXPECT_EQ(together.entropies, alone.entropies);
    EXPECT_EQ(together.time, alone.time);
  }
}

TEST(ChooseTime, GivesHeatMoreJumpsOnLongGraphsAlone) {
  const auto jumps_on_path = [](std::size_t n, double jumps_a_hop) {
    std::vector<Triplet> edges;
    for (std::size_t i = 1; i < n; ++i) {
      edges.push_back({static_cast<Index>(i - 1), static_cast<Index>(i), 1.0});
    }
    const Laplacian path = build_laplacian(graph_of(n, edges));
    return 2 * choose_time(path, {.jumps_a_hop = jumps_a_hop}).time;  // a point is left at rate 2
  };
  EXPECT_NEAR(jumps_on_path(101, 2.5), 200, 1e-9);
  EXPECT_NEAR(jumps_on_path(121, 2.5), 288, 1e-9);  // 200 (120 / 100)^2
  EXPECT_NEAR(jumps_on_path(301, 2.5), 750, 1e-9);  // 2.5 a hop
  EXPECT_NEAR(jumps_on_path(301, 0), 200, 1e-9);
  EXPECT_NEAR(jumps_on_path(1101, 2.5), 200, 1e-9);  // too long
  EXPECT_TRUE(choose_time(build_laplacian(path_graph(301))).sees_all);
  EXPECT_FALSE(choose_time(build_laplacian(path_graph(1101))).sees_all);
}

TEST(ChooseTime, LooksAtFewerRowsOfGraphsWithManyEdges) {
  const Laplacian dense = build_laplacian(strip_graph(700, 1, 0.9));  // 400,000 entries or so
  ASSERT_GT(dense.matrix.values.size(), 200000U);
  const std::size_t n_rows = 12'000'000 / dense.matrix.values.size();
  const TimeChoice some = choose_time(dense);
  const TimeChoice as_many = choose_time(dense, {.max_rows = n_rows});
  EXPECT_EQ(some.entropies, as_many.entropies);
  EXPECT_NE(some.entropies, choose_time(dense, {.max_rows = 128}).entropies);
}

TEST(ChooseTime, RefusesBadOptionsAllAtOnce) {
  EXPECT_TRUE(issues_with(TimeOptions{}).empty());
  const TimeOptions bad{.share = 1,
                        .fewest_jumps = 300,
                        .jumps_a_hop = -1,
                        .candidates = {1.0, 0.5, -1.0},
                        .sensitivity = 0,
                        .max_rows = 0};
  EXPECT_EQ(issues_with(bad).size(), 7U);
  EXPECT_THROW(choose_time(build_laplacian(path_graph(3)), bad), InvalidArgument);
  EXPECT_THROW(choose_time(build_laplacian(graph_of(0, {}))), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
