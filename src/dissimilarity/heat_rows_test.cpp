// Distances from chosen points where heat did not arrive, by paths over the other chosen points.
#include "dissimilarity/heat_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace geotherm::detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Points at the given places of a line; distances up to `reach` are known.
Matrix<double> rows_of(const std::vector<double>& places, const std::vector<Index>& points,
                       double reach) {
  Matrix<double> rows(points.size(), places.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double distance = std::abs(places[static_cast<std::size_t>(points[p])] - places[i]);
      rows(p, i) = distance <= reach ? distance : infinite;
    }
  }
  return rows;
}

TEST(FillByWaysOver, FindsTheDistancesOfALineFromPiecesOfIt) {
  std::vector<double> places;
  for (int i = 0; i <= 20; ++i) places.push_back(i);
  const std::vector<Index> points{0, 4, 8, 12, 16, 20};
  Matrix<double> rows = rows_of(places, points, 4);
  EXPECT_EQ(fill_by_paths_over(points, rows, {}), 0);
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      // There and back where a point lies before the last pivot on its way.
      const double least = std::abs(static_cast<double>(points[p]) - places[i]);
      EXPECT_GE(rows(p, i), least);
      EXPECT_LE(rows(p, i), least + 2 * 2) << p << " to " << i;
      if (i % 4 == 0) {
        EXPECT_EQ(rows(p, i), least);
      }
    }
  }
}

TEST(FillByWaysOver, LeavesWhatNoWayJoinsAndSaysHowMuch) {
  const std::vector<double> places{0, 1, 2, 100, 101, 102};
  const std::vector<Index> points{0, 5};
  Matrix<double> rows = rows_of(places, points, 3);
  EXPECT_DOUBLE_EQ(fill_by_paths_over(points, rows, {}), 0.5);
  EXPECT_EQ(rows(0, 2), 2);
  EXPECT_TRUE(std::isinf(rows(0, 3)) && std::isinf(rows(1, 2)));
}

}  // namespace
}  // namespace geotherm::detail
