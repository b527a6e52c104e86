// The search on graphs small enough to know the answer: which links of outliers are kept.
#include "graph/shortcut_search.hpp"

#include <gtest/gtest.h>

namespace geotherm::detail {
namespace {

constexpr Index n_chain = 60;

/// A chain of 60 points a step of 1 apart, and outliers after them. Links are candidates in
/// the order given.
class OutlierGraph {
 public:
  struct Link {
    Index from, to;
    double weight;
    double length = 2;
  };

  OutlierGraph(std::size_t n_outliers, const std::vector<Link>& links,
               const std::vector<Link>& among_outliers = {}) {
    const std::size_t n = n_chain + n_outliers;
    std::vector<Triplet> weights, lengths;
    const auto add = [&](const Link& link) {
      for (const auto& [a, b] : {std::pair{link.from, link.to}, std::pair{link.to, link.from}}) {
        weights.push_back({a, b, link.weight});
        lengths.push_back({a, b, link.length});
      }
    };
    for (Index i = 0; i + 1 < n_chain; ++i) add({i, i + 1, 1.0, 1.0});
    for (const Link& link : among_outliers) add(link);
    for (const Link& link : links) add(link);
    graph_.weights = sparse_from_triplets(n, n, std::move(weights));
    graph_.lengths = sparse_from_triplets(n, n, std::move(lengths)).values;
    const SparseMatrix& w = graph_.weights;
    for (const Link& link : links) {
      candidates_.push_back({link.from, link.to,
                             w.find(static_cast<std::size_t>(link.from), link.to),
                             w.find(static_cast<std::size_t>(link.to), link.from), 0});
    }
  }

  /// For each link, in the order given: whether it is rejected.
  std::vector<bool> rejected() const {
    const ShortcutOptions options;  // a detour is long from 5 times the way through
    const Context context;
    const ShortcutSearch search(graph_, candidates_, options, {}, context);
    std::vector<bool> found;
    for (const CandidateEdge& e : candidates_) found.push_back(search.is_rejected(e));
    return found;
  }

 private:
  Graph graph_;
  std::vector<CandidateEdge> candidates_;
};

TEST(ShortcutSearch, AnOutlierKeepsTheSideWithTheLargestSumOfWeights) {
  // Points 5 and 6 with 1.0 + 0.6 against 50 and 51 with 0.8 + 0.7: only together do the first two
  // win.
  const OutlierGraph graph(1, {{5, 60, 1.0}, {50, 60, 0.8}, {51, 60, 0.7}, {6, 60, 0.6}});
  EXPECT_EQ(graph.rejected(), (std::vector{false, true, true, false}));
  const OutlierGraph other(1, {{5, 60, 1.0}, {50, 60, 0.8}, {51, 60, 0.9}, {6, 60, 0.6}});
  EXPECT_EQ(other.rejected(), (std::vector{true, false, false, true}));
}

TEST(ShortcutSearch, LinksAreOnOneSideUpToADetourOfFiveTimesTheWayThroughTheOutlier) {
  // Through the outlier it is 2 + 2; along the chain 20 is just near enough, 21 is not.
  const OutlierGraph near(1, {{10, 60, 1.0}, {30, 60, 0.5}});
  EXPECT_EQ(near.rejected(), (std::vector{false, false}));
  const OutlierGraph far(1, {{10, 60, 1.0}, {31, 60, 0.5}});
  EXPECT_EQ(far.rejected(), (std::vector{false, true}));
}

TEST(ShortcutSearch, TheWayThroughAFewOutliersCountsTheStepsBetweenThem) {
  // 2 + 3 + 2 through two outliers: 35 along the chain is near enough, 36 is not.
  const std::vector<OutlierGraph::Link> between{{60, 61, 1.0, 3}};
  const OutlierGraph near(2, {{10, 60, 1.0}, {45, 61, 0.5}}, between);
  EXPECT_EQ(near.rejected(), (std::vector{false, false}));
  const OutlierGraph far(2, {{10, 60, 1.0}, {46, 61, 0.5}}, between);
  EXPECT_EQ(far.rejected(), (std::vector{false, true}));
}

TEST(ShortcutSearch, AStarOfOneOutlierIsNoBoundaryHoweverManyEdgesItHas) {
  std::vector<OutlierGraph::Link> links{{10, 60, 100.0}};
  for (Index far = 34; far < n_chain; ++far) links.push_back({far, 60, 1.0});
  std::vector<bool> expected(links.size(), true);
  expected.front() = false;
  EXPECT_EQ(OutlierGraph(1, links).rejected(), expected);
}

TEST(ShortcutSearch, ManyLinksSideBySideAreABoundary) {
  // Two stretches of the chain face each other: 16 edges, no two at one point, are too many for
  // noise.
  const auto facing = [](Index n_links) {
    std::vector<OutlierGraph::Link> links;
    for (Index i = 0; i < n_links; ++i) links.push_back({10 + i, n_chain - 11 - i, 0.5, 0.5});
    return OutlierGraph(0, links).rejected();
  };
  EXPECT_EQ(facing(15), std::vector<bool>(15, true));
  EXPECT_EQ(facing(16), std::vector<bool>(16, false));
}

TEST(ShortcutSearch, ALinkBetweenTheEndsOfAChainClosesALoop) {
  // Nothing lies beyond the ends: they are the two sides of a gap. An end inside the chain has
  // as many points beyond it as on the way round.
  EXPECT_EQ(OutlierGraph(0, {{0, n_chain - 1, 1.0}}).rejected(), std::vector{false});
  EXPECT_EQ(OutlierGraph(0, {{1, n_chain - 2, 1.0}}).rejected(), std::vector{false});
  EXPECT_EQ(OutlierGraph(0, {{20, n_chain - 1, 1.0}}).rejected(), std::vector{true});
  EXPECT_EQ(OutlierGraph(0, {{10, n_chain - 11, 1.0}}).rejected(), std::vector{true});
}

TEST(ShortcutSearch, ALinkThatSavesFewLengthsIsRestoredInTheEnd) {
  // Inside the chain, so that it is no gap: 22 steps round a link of 2 are as many lengths as the
  // sides of an outlier are apart, 23 are more.
  EXPECT_EQ(OutlierGraph(0, {{15, 37, 1.0}}).rejected(), std::vector{false});
  EXPECT_EQ(OutlierGraph(0, {{15, 38, 1.0}}).rejected(), std::vector{true});
}

TEST(ShortcutSearch, OutliersThatReachNoPopulationKeepTheirLinks) {
  const OutlierGraph graph(2, {{60, 61, 1.0}});
  EXPECT_EQ(graph.rejected(), (std::vector{false}));
}

}  // namespace
}  // namespace geotherm::detail
