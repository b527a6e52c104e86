#include "trajectory/order_branches.hpp"

#include "trajectory/shapes_for_tests.hpp"

namespace geotherm {
namespace {

/// Cells in a row, each joined to the next, and further edges.
SparseMatrix row_of(std::size_t n, const std::vector<std::pair<Index, Index>>& further = {}) {
  std::vector<std::vector<Index>> beside(n);
  const auto join = [&](Index a, Index b) {
    beside[static_cast<std::size_t>(a)].push_back(b);
    beside[static_cast<std::size_t>(b)].push_back(a);
  };
  for (std::size_t i = 0; i + 1 < n; ++i) join(static_cast<Index>(i), static_cast<Index>(i + 1));
  for (const auto& [a, b] : further) join(a, b);
  SparseMatrix graph;
  graph.rows = graph.cols = n;
  for (const auto& list : beside) {
    graph.indices.insert(graph.indices.end(), list.begin(), list.end());
    graph.offsets.push_back(graph.indices.size());
  }
  graph.values.assign(graph.indices.size(), 1);
  return graph;
}

TEST(OrderBranches, OfOneHillIsItself) {
  const std::vector<double> order = {0, 0.2, 0.5, 1, 0.7};
  const auto found = detail::branches_of(row_of(5), order, 0.1, 1);
  ASSERT_EQ(found.branches.size(), 1);
  EXPECT_EQ(found.branches[0].top_cell, 3);
  EXPECT_EQ(found.branches[0].parent, -1);
  EXPECT_EQ(found.branch_of, (std::vector<Index>{0, 0, 0, 0, 0}));
}

TEST(OrderBranches, OfTwoHillsJoinAtTheValleyBetweenThem) {
  const std::vector<double> order = {1, 0.8, 0.3, 0.5, 0.6};
  const auto found = detail::branches_of(row_of(5), order, 0.1, 1);
  ASSERT_EQ(found.branches.size(), 2);
  EXPECT_EQ(found.branches[1].top, 0.6);
  EXPECT_EQ(found.branches[1].saddle, 0.3);
  EXPECT_EQ(found.branches[1].parent, 0);
  EXPECT_EQ(found.branch_of, (std::vector<Index>{0, 0, 0, 1, 1}));
}

TEST(OrderBranches, OfHillsTooLowOrTooSmallArePartsOfOthers) {
  const std::vector<double> order = {1, 0.8, 0.3, 0.5, 0.6};
  EXPECT_EQ(detail::branches_of(row_of(5), order, 0.4, 1).branches.size(), 1);
  EXPECT_EQ(detail::branches_of(row_of(5), order, 0.1, 3).branches.size(), 1);
}

TEST(OrderBranches, OfFewCellsFarOutBelongToTheBranchBelow) {
  // One cell is highest, and hangs on the valley beside a hill of three.
  const std::vector<double> order = {1, 0.3, 0.7, 0.8, 0.9};
  const auto found = detail::branches_of(row_of(5), order, 0.1, 2);
  ASSERT_EQ(found.branches.size(), 1);
  EXPECT_EQ(found.branches[0].top, 0.9);
}

TEST(OrderBranches, OfARingAreOneAndOfOneCutOpenTwo) {
  std::vector<double> order;
  for (int i = 0; i < 20; ++i) order.push_back(std::min(i, 19 - i));
  EXPECT_EQ(detail::branches_of(row_of(20), order, 1, 1).branches.size(), 1);
  for (double& value : order) value = 9 - value;  // highest at both ends of the row
  EXPECT_EQ(detail::branches_of(row_of(20), order, 1, 1).branches.size(), 2);
  EXPECT_EQ(detail::branches_of(row_of(20, {{0, 19}}), order, 1, 1).branches.size(), 1);
}

TEST(EvenEnds, StretchBranchesFromTheirSaddleAndKeepTheirOrder) {
  const std::vector<double> order = {1, 0.8, 0.25, 0.36, 0.49};
  const auto found = detail::branches_of(row_of(5), order, 0.1, 1);
  EXPECT_EQ(detail::with_even_ends(order, found, 0), order);
  const std::vector<double> half = detail::with_even_ends(order, found, 0.5);
  const std::vector<double> all = detail::with_even_ends(order, found, 1);
  for (const std::size_t untouched : {0, 1, 2}) EXPECT_EQ(half[untouched], order[untouched]);
  EXPECT_NEAR(half[4], 0.7, 1e-12);
  EXPECT_NEAR(all[4], 1, 1e-12);
  EXPECT_NEAR(half[3], 0.25 + 0.45 * 0.11 / 0.24, 1e-12);
  EXPECT_LT(half[2], half[3]);
}

TEST(EvenEnds, OfBranchesOnBranchesAreNeverNearer) {
  // A hill of 1, one of .5 that joins it at .1, one of .45 that joins that at .3.
  const std::vector<double> order = {1, 0.1, 0.5, 0.3, 0.45};
  const auto found = detail::branches_of(row_of(5), order, 0.1, 1);
  ASSERT_EQ(found.branches.size(), 3);
  for (const double share : {0.25, 0.5, 1.0}) {
    const std::vector<double> even = detail::with_even_ends(order, found, share);
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_GE(even[i], order[i] - 1e-12);
    EXPECT_LT(even[3], even[4]);
  }
}

}  // namespace
}  // namespace geotherm
