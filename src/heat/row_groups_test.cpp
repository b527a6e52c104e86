#include "heat/row_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>


namespace geotherm::detail {
namespace {

/// side x side points, each joined to itself and to the four beside it.
SparseMatrix grid(std::size_t side) {
  SparseMatrix a;
  a.rows = a.cols = side * side;
  a.offsets.assign(1, 0);
  for (std::size_t i = 0; i < a.rows; ++i) {
    const std::size_t x = i % side, y = i / side;
    const auto add = [&](std::size_t j) {
      a.indices.push_back(static_cast<Index>(j));
      a.values.push_back(1);
    };
    if (y > 0) add(i - side);
    if (x > 0) add(i - 1);
    add(i);
    if (x + 1 < side) add(i + 1);
    if (y + 1 < side) add(i + side);
    a.offsets.push_back(a.indices.size());
  }
  return a;
}

/// Distinct columns that groups read, by row.
double read_per_row(const SparseMatrix& a, const std::vector<Index>& order, std::size_t size) {
  std::size_t n_read = 0;
  for (std::size_t first = 0; first < order.size(); first += size) {
    std::set<Index> columns;
    for (std::size_t k = first; k < std::min(order.size(), first + size); ++k) {
      for (const Index j : a.row_indices(static_cast<std::size_t>(order[k]))) columns.insert(j);
    }
    n_read += columns.size();
  }
  return static_cast<double>(n_read) / static_cast<double>(a.rows);
}

TEST(RowGroups, HoldEveryRowOnce) {
  for (const std::size_t side : {1U, 2U, 9U, 40U}) {
    std::vector<Index> order = rows_in_groups(grid(side), 16);
    ASSERT_EQ(order.size(), side * side);
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(order[i]), i);
  }
}

TEST(RowGroups, AreCompact) {
  // A square of 8 x 8 reads 64 + 32 others, 1.5 a row; a line of 64 reads three.
  const SparseMatrix a = grid(80);
  EXPECT_LT(read_per_row(a, rows_in_groups(a, 64), 64), 1.75);
}

TEST(RowGroups, TakeARowWithoutEntries) {
  SparseMatrix a;
  a.rows = a.cols = 5;
  a.offsets.assign(6, 0);
  EXPECT_EQ(rows_in_groups(a, 2).size(), 5U);
  a.rows = a.cols = 0;
  a.offsets.assign(1, 0);
  EXPECT_TRUE(rows_in_groups(a, 2).empty());
}

}  // namespace
}  // namespace geotherm::detail
