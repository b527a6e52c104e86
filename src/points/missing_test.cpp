#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "geotherm/columns.hpp"

namespace geotherm {
namespace {

const double gap = std::numeric_limits<double>::quiet_NaN();

/// A line: the second column is twice the first.
Matrix<double> line(std::size_t n) {
  Matrix<double> rows(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    rows(i, 0) = static_cast<double>(i);
    rows(i, 1) = 2 * static_cast<double>(i);
  }
  return rows;
}

MatrixView<double> all_of(Matrix<double>& rows) {
  return {rows.data(), rows.rows(), rows.cols(), rows.cols()};
}

TEST(Missing, TheMeanIsOfTheOtherValues) {
  Matrix<double> rows = line(5);
  rows(4, 1) = gap;
  EXPECT_EQ(fill_missing(all_of(rows), MissingValues::mean), 1U);
  EXPECT_EQ(rows(4, 1), (0 + 2 + 4 + 6) / 4.0);
}

TEST(Missing, NeighboursGiveBackWhatLiesOnALine) {
  Matrix<double> rows = line(101);
  rows(50, 1) = gap;
  rows(20, 0) = gap;
  ThreadPool pool(4);
  Matrix<double> threaded = rows;
  EXPECT_EQ(fill_missing(all_of(rows), MissingValues::knn), 2U);
  // The 5 nearest of point 50 are 48, 49, 51, 52 and, of two at the same distance, the first.
  EXPECT_NEAR(rows(50, 1), 2 * (48 + 49 + 51 + 52 + 47) / 5.0, 1e-12);
  EXPECT_NEAR(rows(20, 0), (18 + 19 + 21 + 22 + 17) / 5.0, 1e-12);
  fill_missing(all_of(threaded), MissingValues::knn, {.executor = &pool});
  for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(rows.data()[k], threaded.data()[k]);
}

TEST(Missing, WholeTablesStayAndEmptyColumnsAreRefused) {
  Matrix<double> rows = line(5);
  EXPECT_EQ(fill_missing(all_of(rows), MissingValues::refuse), 0U);
  rows(1, 1) = gap;
  EXPECT_THROW(fill_missing(all_of(rows), MissingValues::refuse), InvalidData);
  for (std::size_t i = 0; i < 5; ++i) rows(i, 1) = gap;
  EXPECT_THROW(fill_missing(all_of(rows), MissingValues::mean), InvalidData);
  EXPECT_THROW(fill_missing(all_of(rows), MissingValues::knn), InvalidData);
}

TEST(Missing, ARowWithoutAnyValueGetsTheMeans) {
  Matrix<double> rows = line(4);
  rows(3, 0) = rows(3, 1) = gap;
  fill_missing(all_of(rows), MissingValues::knn);
  EXPECT_EQ(rows(3, 0), 1);
  EXPECT_EQ(rows(3, 1), 2);
}

}  // namespace
}  // namespace geotherm
