// Rows of a sparse matrix in compact groups: what a group reads is then read once.
#pragma once

#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

struct GroupLimits {
  std::size_t rows = 64;
  std::size_t columns = 1000000;  ///< distinct ones that a group reads
  std::size_t entries = 1000000;
};

struct RowGroups {
  std::vector<Index> rows;           ///< group by group
  std::vector<std::size_t> offsets;  ///< group g has rows[offsets[g]] ... rows[offsets[g + 1] - 1]

  std::size_t size() const { return offsets.size() - 1; }
};

/// Groups of rows that lie close together in the graph of a symmetric matrix and keep the limits,
/// but for single rows that exceed them by themselves; groups that follow each other are neighbours
/// too. O(entries log(rows)).
RowGroups rows_in_groups(const SparseMatrix& matrix, const GroupLimits& limits);

}  // namespace geotherm::detail
