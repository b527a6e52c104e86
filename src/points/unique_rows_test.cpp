// Duplicates are found, and only duplicates.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "geotherm/points.hpp"
#include "points/points_testing.hpp"

namespace geotherm {
namespace {

TEST(UniqueRows, AgreeWithASearchThroughAllRows) {
  // Small integers in three columns: about half of the rows repeat an earlier one.
  Matrix<double> points(2000, 3);
  Matrix<float> points32(2000, 3);
  Rng rng(5, "test.duplicates");
  for (std::size_t i = 0; i < 2000; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      points(i, j) = static_cast<double>(rng.below(12)) - 5;
      points32(i, j) = static_cast<float>(points(i, j));
    }
  }
  std::map<std::vector<double>, Index> seen;
  std::vector<Index> first, unique_inverse;
  for (std::size_t i = 0; i < 2000; ++i) {
    const std::vector<double> row(points.row(i).begin(), points.row(i).end());
    const auto [where, is_new] = seen.emplace(row, static_cast<Index>(first.size()));
    if (is_new) first.push_back(static_cast<Index>(i));
    unique_inverse.push_back(where->second);
  }
  const UniqueRows unique = find_unique_rows(MatrixView<const double>(points));
  EXPECT_EQ(unique.first, first);
  EXPECT_EQ(unique.unique_inverse, unique_inverse);
  EXPECT_FALSE(unique.all_distinct());
  const UniqueRows unique32 = find_unique_rows(MatrixView<const float>(points32));
  EXPECT_EQ(unique32.first, first);
  EXPECT_EQ(unique32.unique_inverse, unique_inverse);
}

TEST(UniqueRows, TellApartRowsThatDifferInTheLastBit) {
  Matrix<double> points(3, 2, 1.0);
  points(1, 1) = std::nextafter(1.0, 2.0);
  const UniqueRows unique = find_unique_rows(MatrixView<const double>(points));
  EXPECT_EQ(unique.first, (std::vector<Index>{0, 1}));
  EXPECT_EQ(unique.unique_inverse, (std::vector<Index>{0, 1, 0}));
}

TEST(UniqueRows, TakeBothZerosForOnePlace) {
  Matrix<double> points(2, 2);
  points(1, 0) = -0.0;
  EXPECT_EQ(find_unique_rows(MatrixView<const double>(points)).first.size(), 1U);
}

TEST(UniqueRows, ManageDistinctEqualAndNoRows) {
  const Matrix<double> distinct = testing::gaussian_table(1000, 2, 6);
  EXPECT_TRUE(find_unique_rows(MatrixView<const double>(distinct)).all_distinct());
  const Matrix<double> equal(500, 4, 3.5);
  EXPECT_EQ(find_unique_rows(MatrixView<const double>(equal)).first, std::vector<Index>{0});
  EXPECT_TRUE(find_unique_rows(MatrixView<const double>{}).first.empty());
  EXPECT_EQ(find_unique_rows(MatrixView<const double>(Matrix<double>(1, 1))).first.size(), 1U);
}

}  // namespace
}  // namespace geotherm
