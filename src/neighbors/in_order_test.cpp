// Lists of points in an order of their own: the same lists under other numbers, near in memory.
#include "neighbors/in_order.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

/// Median of |i - j| over all entries.
double typical_step(const NeighborLists& lists) {
  std::vector<double> steps;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    for (const Index j : lists.neighbors(i)) {
      steps.push_back(std::abs(static_cast<double>(i) - static_cast<double>(j)));
    }
  }
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2),
                   steps.end());
  return steps[steps.size() / 2];
}

template <class T>
void expect_the_same_lists(std::size_t n, std::size_t dims, NeighborSearch search, double share) {
  const Matrix<T> points = testing::gaussian_points<T>(n, dims);
  const NeighborOptions options{.knn = 8, .search = search, .reach = 1.06};
  const NeighborLists plain = find_neighbors(std::as_const(points).view(), options);
  std::vector<Index> order;
  const NeighborLists found =
      detail::neighbors_in_order<T>(std::as_const(points).view(), options, order, {});
  ASSERT_EQ(order.size(), n);
  ASSERT_EQ(found.search_used, search);
  std::vector<Index> place(n, -1), inverse(n);
  for (std::size_t k = 0; k < n; ++k) {
    place[static_cast<std::size_t>(order[k])] = static_cast<Index>(k);
  }
  for (std::size_t i = 0; i < n; ++i) inverse[i] = static_cast<Index>(i);
  detail::renumber(inverse, order);
  EXPECT_EQ(inverse, place);
  for (std::size_t k = 0; k < n; ++k) {
    const auto i = static_cast<std::size_t>(order[k]);
    const auto neighbors = found.neighbors(k);
    ASSERT_EQ(neighbors.size(), plain.neighbors(i).size());
    for (std::size_t e = 0; e < neighbors.size(); ++e) {
      ASSERT_EQ(order[static_cast<std::size_t>(neighbors[e])], plain.neighbors(i)[e]);
      ASSERT_EQ(found.lengths(k)[e], plain.lengths(i)[e]);
    }
  }
  EXPECT_LT(typical_step(found), share * typical_step(plain));
}

TEST(NeighborsInOrder, AreTheListsOfTheTreeUnderOtherNumbers) {
  expect_the_same_lists<double>(3000, 2, NeighborSearch::tree, 0.2);
}

TEST(NeighborsInOrder, AreTheListsOfTheCellsUnderOtherNumbers) {
  // In nine dimensions most neighbours are in another cell.
  expect_the_same_lists<float>(6000, 9, NeighborSearch::approximate, 0.6);
}

}  // namespace
}  // namespace geotherm
