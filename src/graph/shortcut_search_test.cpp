// A trial on graphs small enough to know the verdict: which links of outliers are kept.
#include "graph/shortcut_search.hpp"

#include <gtest/gtest.h>

namespace geotherm::detail {
namespace {

constexpr Index n_chain = 60;

/// A chain of 60 points a step of 1 apart, and outliers after them. Links are tried in the
/// order given.
class StrayTrial {
 public:
  struct Link {
    Index from, to;
    double weight;
    double length = 2;
  };

  StrayTrial(std::size_t n_strays, const std::vector<Link>& links,
             const std::vector<Link>& among_strays = {}) {
    const std::size_t n = n_chain + n_strays;
    std::vector<Triplet> weights, lengths;
    const auto add = [&](const Link& link) {
      for (const auto& [a, b] : {std::pair{link.from, link.to}, std::pair{link.to, link.from}}) {
        weights.push_back({a, b, link.weight});
        lengths.push_back({a, b, link.length});
      }
    };
    for (Index i = 0; i + 1 < n_chain; ++i) add({i, i + 1, 1.0, 1.0});
    for (const Link& link : among_strays) add(link);
    for (const Link& link : links) add(link);
    graph_.weights = sparse_from_triplets(n, n, std::move(weights));
    graph_.lengths = sparse_from_triplets(n, n, std::move(lengths)).values;
    wide_.n_points = n;
    wide_.offsets.assign(n + 1, 0);  // nothing is known of angles
    const SparseMatrix& w = graph_.weights;
    for (const Link& link : links) {
      candidates_.push_back({link.from, link.to, w.find(static_cast<std::size_t>(link.from), link.to),
                           w.find(static_cast<std::size_t>(link.to), link.from), 0});
    }
  }

  /// For each link, in the order given: whether it is a short circuit.
  std::vector<bool> verdicts() const {
    const ShortcutOptions options;  // a detour is long from 5 times the way through
    const Context context;
    const ShortcutSearch trial(graph_, wide_, candidates_, options, {}, context);
    std::vector<bool> found;
    for (const CandidateEdge& e : candidates_) found.push_back(trial.is_rejected(e));
    return found;
  }

 private:
  Graph graph_;
  NeighborLists wide_;
  std::vector<CandidateEdge> candidates_;
};

TEST(ShortcutSearch, AStrayPointKeepsTheSideThatHoldsItMostByTheSumOfItsLinks) {
  // Points 5 and 6 with 1.0 + 0.6 against 50 and 51 with 0.8 + 0.7: only together do the first two
  // win.
  const StrayTrial trial(1, {{5, 60, 1.0}, {50, 60, 0.8}, {51, 60, 0.7}, {6, 60, 0.6}});
  EXPECT_EQ(trial.verdicts(), (std::vector{false, true, true, false}));
  const StrayTrial other(1, {{5, 60, 1.0}, {50, 60, 0.8}, {51, 60, 0.9}, {6, 60, 0.6}});
  EXPECT_EQ(other.verdicts(), (std::vector{true, false, false, true}));
}

TEST(ShortcutSearch, LinksAreOnOneSideUpToADetourOfFiveTimesTheWayThroughTheStray) {
  // Through the outlier it is 2 + 2; along the chain 20 is just near enough, 21 is not.
  const StrayTrial near(1, {{10, 60, 1.0}, {30, 60, 0.5}});
  EXPECT_EQ(near.verdicts(), (std::vector{false, false}));
  const StrayTrial far(1, {{10, 60, 1.0}, {31, 60, 0.5}});
  EXPECT_EQ(far.verdicts(), (std::vector{false, true}));
}

TEST(ShortcutSearch, TheWayThroughAFewStraysCountsTheStepsBetweenThem) {
  // 2 + 3 + 2 through two small_parts: 35 along the chain is near enough, 36 is not.
  const std::vector<StrayTrial::Link> between{{60, 61, 1.0, 3}};
  const StrayTrial near(2, {{10, 60, 1.0}, {45, 61, 0.5}}, between);
  EXPECT_EQ(near.verdicts(), (std::vector{false, false}));
  const StrayTrial far(2, {{10, 60, 1.0}, {46, 61, 0.5}}, between);
  EXPECT_EQ(far.verdicts(), (std::vector{false, true}));
}

TEST(ShortcutSearch, AStarOfOneStrayPointIsNoSeamHoweverManyEdgesItHas) {
  std::vector<StrayTrial::Link> links{{0, 60, 100.0}};
  for (Index far = 24; far < n_chain; ++far) links.push_back({far, 60, 1.0});
  std::vector<bool> expected(links.size(), true);
  expected.front() = false;
  EXPECT_EQ(StrayTrial(1, links).verdicts(), expected);
}

TEST(ShortcutSearch, ManyLinksSideBySideAreASeam) {
  // Two ends of the chain face each other: 16 edges, no two at one point, are too many for noise.
  const auto facing = [](Index n_links) {
    std::vector<StrayTrial::Link> links;
    for (Index i = 0; i < n_links; ++i) links.push_back({i, n_chain - 1 - i, 0.5, 0.5});
    return StrayTrial(0, links).verdicts();
  };
  EXPECT_EQ(facing(15), std::vector<bool>(15, true));
  EXPECT_EQ(facing(16), std::vector<bool>(16, false));
}

TEST(ShortcutSearch, StraysThatReachNoPopulationKeepTheirLinks) {
  const StrayTrial trial(2, {{60, 61, 1.0}});
  EXPECT_EQ(trial.verdicts(), (std::vector{false}));
}

}  // namespace
}  // namespace geotherm::detail
