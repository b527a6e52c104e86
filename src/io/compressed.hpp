// Compressed sparse arrays as files hold them, checked and brought into a SparseMatrix.
#pragma once

#include <span>
#include <string>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Checks a matrix whose parts came straight from a file and puts its rows in order: columns in any
/// order are sorted, repeated ones summed. Throws IoError beginning with `where` for offsets or
/// indices that do not fit.
SparseMatrix checked_sparse(SparseMatrix matrix, const std::string& where);

/// Rows and columns that an Index can name and that a file of `n_bytes` (unpacked) may have in
/// good faith, empty ones included; throws IoError.
void require_plausible(std::size_t rows, std::size_t cols, std::size_t n_bytes,
                       const std::string& where);

/// Rows and columns in the order given; each index is valid and columns are named once.
SparseMatrix taken(const SparseMatrix& from, std::span<const Index> rows,
                   std::span<const Index> columns);

}  // namespace geotherm::detail
