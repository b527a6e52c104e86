// Lists of some points found anew are those of a search for all.
#include "neighbors/some_rows.hpp"

#include <gtest/gtest.h>

#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

template <class T>
void expect_those_of_all(const Matrix<T>& points, Metric metric) {
  const NeighborOptions far{
      .knn = 7, .metric = metric, .search = NeighborSearch::brute_force, .reach = 1.2};
  NeighborOptions near = far;
  near.reach = 1;
  const auto rows = std::as_const(points).view();
  const NeighborLists whole = find_neighbors(rows, far), cut = find_neighbors(rows, near);
  std::vector<Index> some;
  for (std::size_t i = 0; i < points.rows(); i += 3) some.push_back(static_cast<Index>(i));
  const NeighborLists found = detail::with_rows_found_again<T>(cut, some, rows, far, {});
  EXPECT_EQ(found.knn, 7U);
  EXPECT_EQ(found.reach, 1.2);
  EXPECT_EQ(found.search_used, NeighborSearch::brute_force);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const NeighborLists& wanted = i % 3 == 0 ? whole : cut;
    const auto same = [](const auto& a, const auto& b) { return std::ranges::equal(a, b); };
    EXPECT_TRUE(same(found.neighbors(i), wanted.neighbors(i))) << i;
    EXPECT_TRUE(same(found.lengths(i), wanted.lengths(i))) << i;
  }
}

TEST(SomeRows, AreFoundAsASearchForAllFindsThem) {
  expect_those_of_all(testing::gaussian_points<float>(300, 20), Metric::euclidean);
  expect_those_of_all(testing::grid_points<double>(300, 4, 5), Metric::euclidean);
  expect_those_of_all(testing::gaussian_points<double>(200, 6), Metric::cosine);
  expect_those_of_all(testing::grid_points<float>(200, 30, 2), Metric::jaccard);
}

}  // namespace
}  // namespace geotherm
