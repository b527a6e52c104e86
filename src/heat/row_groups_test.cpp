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

std::set<Index> columns_of(const SparseMatrix& a, const RowGroups& groups, std::size_t g) {
  std::set<Index> columns;
  for (std::size_t k = groups.offsets[g]; k < groups.offsets[g + 1]; ++k) {
    for (const Index j : a.row_indices(static_cast<std::size_t>(groups.rows[k]))) columns.insert(j);
  }
  return columns;
}

TEST(RowGroups, HoldEveryRowOnceAndAreNoLargerThanAsked) {
  for (const std::size_t side : {1U, 2U, 9U, 40U}) {
    RowGroups groups = rows_in_groups(grid(side), {.rows = 16});
    ASSERT_EQ(groups.rows.size(), side * side);
    EXPECT_EQ(groups.offsets.back(), side * side);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      EXPECT_LE(groups.offsets[g + 1] - groups.offsets[g], 16U);
      EXPECT_GT(groups.offsets[g + 1], groups.offsets[g]);
    }
    std::ranges::sort(groups.rows);
    for (std::size_t i = 0; i < groups.rows.size(); ++i) {
      EXPECT_EQ(static_cast<std::size_t>(groups.rows[i]), i);
    }
  }
}

TEST(RowGroups, AreCompact) {
  // A square of 8 x 8 reads 64 + 32 others, 1.5 a row; a line of 64 reads three.
  const SparseMatrix a = grid(80);
  const RowGroups groups = rows_in_groups(a, {.rows = 64});
  std::size_t n_read = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) n_read += columns_of(a, groups, g).size();
  EXPECT_LT(static_cast<double>(n_read), 1.75 * static_cast<double>(a.rows));
}

TEST(RowGroups, KeepTheLimitsOfWhatTheyRead) {
  const SparseMatrix a = grid(50);
  const RowGroups by_columns = rows_in_groups(a, {.rows = 64, .columns = 40});
  for (std::size_t g = 0; g < by_columns.size(); ++g) {
    EXPECT_LE(columns_of(a, by_columns, g).size(), 40U);
  }
  const RowGroups by_entries = rows_in_groups(a, {.rows = 64, .entries = 60});
  for (std::size_t g = 0; g < by_entries.size(); ++g) {
    std::size_t n_entries = 0;
    for (std::size_t k = by_entries.offsets[g]; k < by_entries.offsets[g + 1]; ++k) {
      n_entries += a.row_indices(static_cast<std::size_t>(by_entries.rows[k])).size();
    }
    EXPECT_LE(n_entries, 60U);
  }
  // A row that exceeds them by itself stands alone.
  EXPECT_EQ(rows_in_groups(a, {.rows = 64, .columns = 2}).size(), a.rows);
}

TEST(RowGroups, TakeRowsWithoutEntriesAndNone) {
  SparseMatrix a;
  a.rows = a.cols = 5;
  a.offsets.assign(6, 0);
  EXPECT_EQ(rows_in_groups(a, {.rows = 2}).rows.size(), 5U);
  a.rows = a.cols = 0;
  a.offsets.assign(1, 0);
  EXPECT_EQ(rows_in_groups(a, {.rows = 2}).size(), 0U);
}

}  // namespace
}  // namespace geotherm::detail
