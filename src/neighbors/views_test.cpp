// Views that each resolve half of the groups: together they resolve all.
#include "geotherm/views.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

/// Groups 0 to 3: view 0 tells 0 and 1 apart and takes 2 and 3 for one, view 1 the other way round.
struct Halves {
  std::array<Matrix<double>, 2> views;
  std::vector<int> group;
};

Halves halves(std::size_t n, std::size_t dims) {
  constexpr double centre[2][4] = {{0, 12, 30, 30}, {30, 30, 0, 12}};
  Halves data{{Matrix<double>(n, dims), Matrix<double>(n, dims)}, {}};
  Rng rng(4, "test.views");
  for (std::size_t i = 0; i < n; ++i) {
    data.group.push_back(static_cast<int>(i % 4));
    for (std::size_t m = 0; m < 2; ++m) {
      for (std::size_t c = 0; c < dims; ++c) {
        data.views[m](i, c) = rng.normal() + (c == 0 ? centre[m][i % 4] : 0);
      }
    }
  }
  return data;
}

double share_of_own_group(const NeighborLists& lists, const std::vector<int>& group) {
  std::size_t n_own = 0;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    for (const Index j : lists.neighbors(i)) {
      n_own += group[i] == group[static_cast<std::size_t>(j)] ? 1 : 0;
    }
  }
  return static_cast<double>(n_own) / static_cast<double>(lists.indices.size());
}

TEST(Views, TogetherResolveWhatEachResolvesByHalf) {
  const Halves data = halves(800, 5);
  const std::array<MatrixView<const double>, 2> views = {data.views[0].view(), data.views[1].view()};
  const NeighborOptions options{.knn = 10};
  EXPECT_LT(share_of_own_group(find_neighbors(views[0], options), data.group), 0.8);
  EXPECT_LT(share_of_own_group(find_neighbors(views[1], options), data.group), 0.8);
  const JoinedViews joined = join_views(views, options);
  EXPECT_GT(share_of_own_group(joined.lists, data.group), 0.99);
  std::array<double, 2> first = {}, second = {};
  for (std::size_t i = 0; i < 800; ++i) {
    EXPECT_NEAR(joined.weights(i, 0) + joined.weights(i, 1), 1, 1e-12);
    (data.group[i] < 2 ? first : second)[0] += joined.weights(i, 0) / 400;
  }
  EXPECT_GT(first[0], 0.6);   // groups 0 and 1 are seen in view 0
  EXPECT_LT(second[0], 0.4);
  ThreadPool pool(3);
  const JoinedViews again = join_views(views, options, {.executor = &pool});
  testing::expect_same(again.lists, joined.lists);
}

TEST(Views, FindRowsThatAreNearInBothAndAmongTheNearestOfNeither) {
  // A torus, one angle in each view: the nearest in one are anywhere along the other.
  constexpr std::size_t n = 1000;
  std::array<Matrix<double>, 2> angles = {Matrix<double>(n, 2), Matrix<double>(n, 2)};
  Matrix<double> both(n, 4);
  Rng rng(5, "test.views.torus");
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < 2; ++m) {
      const double t = 6.283185307179586 * rng.uniform();
      both(i, 2 * m) = angles[m](i, 0) = std::cos(t);
      both(i, 2 * m + 1) = angles[m](i, 1) = std::sin(t);
    }
    for (double& x : angles[1].row(i)) x *= 20;  // units do not matter
  }
  const std::array<MatrixView<const double>, 2> views = {angles[0].view(), angles[1].view()};
  const NeighborLists joined = join_views(views, {.knn = 10}).lists;
  const NeighborLists near = find_neighbors(both.view(), {.knn = 30});
  std::size_t n_found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (const Index j : joined.neighbors(i).first(10)) {
      n_found += std::ranges::count(near.neighbors(i), j) > 0 ? 1U : 0U;
    }
  }
  // 0.2 by either view alone; a row's weights stretch its circle, so that not all are found.
  EXPECT_GT(static_cast<double>(n_found) / (10 * n), 0.95);
}

TEST(Views, OfDifferentRowsAreRefused) {
  const Matrix<double> a(5, 2), b(4, 2);
  const std::array<MatrixView<const double>, 2> views = {a.view(), b.view()};
  EXPECT_THROW(join_views(views, {.knn = 2}), InvalidData);
  EXPECT_THROW(join_views(std::span(views).first(1), {.knn = 2}), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
