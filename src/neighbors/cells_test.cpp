// Cells around centres: points found in two steps beside all centres.
#include "neighbors/cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "neighbors/neighbors_testing.hpp"

namespace geotherm::detail {
namespace {

double squared(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    sum += (static_cast<double>(a[j]) - static_cast<double>(b[j])) *
           (static_cast<double>(a[j]) - static_cast<double>(b[j]));
  }
  return sum;
}

TEST(AssignInTwoSteps, FindsTheNearestCentreOrOneAboutAsNear) {
  // Groups and a cloud without any: where centres have no order, two steps miss most.
  for (const double apart : {0.0, 6.0}) {
    Matrix<float> points = testing::gaussian_points<float>(12000, 12);
    for (std::size_t i = 0; i < points.rows(); ++i) {
      points(i, i % 12) += static_cast<float>(apart);
    }
    const Centers centers = find_centers(points, 900, {}, 3);
    const CellMembers exact = assign_to(points, centers, {});
    const CellMembers found = assign_in_two_steps(points, centers, {});
    ASSERT_EQ(found.cell_of.size(), points.rows());
    double n_same = 0, of_found = 0, of_exact = 0;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      const auto a = static_cast<std::size_t>(found.cell_of[i]);
      const auto b = static_cast<std::size_t>(exact.cell_of[i]);
      ASSERT_LT(a, centers.size());
      n_same += a == b ? 1 : 0;
      of_found += squared(points.row(i), centers.rows.row(a));
      of_exact += squared(points.row(i), centers.rows.row(b));
    }
    // Where there is no order, a tenth in squares is a twentieth in distance. What it costs the
    // search is measured there with the probes.
    EXPECT_GT(n_same / 12000, apart > 0 ? 0.95 : 0.8) << apart;
    EXPECT_LT(of_found, (apart > 0 ? 1.02 : 1.1) * of_exact) << apart;
    EXPECT_LT(n_same, 12000) << "900 centres are all looked at: the test says nothing";
  }
}

TEST(AssignInTwoSteps, FindsTheNearestOfFewCentresExactly) {
  // Of 100 centres there are ten groups, fewer than are looked at.
  const Matrix<float> points = testing::gaussian_points<float>(4000, 12);
  const Centers centers = find_centers(points, 100, {});
  EXPECT_EQ(assign_in_two_steps(points, centers, {}).cell_of,
            assign_to(points, centers, {}).cell_of);
}

TEST(AssignInTwoSteps, HoldsEveryPointOnceWhateverTheThreads) {
  const Matrix<float> points = testing::gaussian_points<float>(6000, 10);
  const Centers centers = find_centers(points, 400, {}, 2);
  const CellMembers one = assign_in_two_steps(points, centers, {});
  std::vector<Index> all = one.members;
  std::ranges::sort(all);
  std::vector<Index> expected(points.rows());
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
  for (std::size_t c = 0; c < one.n_cells(); ++c) {
    for (const Index i : one.of(c)) {
      EXPECT_EQ(one.cell_of[static_cast<std::size_t>(i)], static_cast<Index>(c));
    }
  }
  ThreadPool threads(3);
  EXPECT_EQ(assign_in_two_steps(points, centers, {.executor = &threads}).cell_of, one.cell_of);
}

}  // namespace
}  // namespace geotherm::detail
