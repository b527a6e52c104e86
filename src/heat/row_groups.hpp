// Rows of a sparse matrix in compact groups: what a group reads is then read once.
#pragma once

#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// All rows, so that each run of `group_size` of them (the last may be shorter) lies close together
/// in the graph of a symmetric matrix, and runs that follow each other do too. O(entries log(rows)).
std::vector<Index> rows_in_groups(const SparseMatrix& matrix, std::size_t group_size);

}  // namespace geotherm::detail
