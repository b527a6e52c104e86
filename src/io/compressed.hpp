// Compressed sparse arrays as files hold them, checked and brought into a SparseMatrix.
#pragma once

#include <span>
#include <string>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Rows by `pointers` (rows + 1 of them); columns in any order, repeated ones are summed. Throws
/// IoError beginning with `where` for pointers or indices that do not fit.
template <class I, class V>
SparseMatrix sparse_from_compressed(std::size_t rows, std::size_t cols,
                                    std::span<const std::int64_t> pointers,
                                    std::span<const I> indices, std::span<const V> values,
                                    const std::string& where);

/// Rows and columns that an Index can name and that a file of `n_bytes` (unpacked) may have in
/// good faith, empty ones included; throws IoError.
void require_plausible(std::size_t rows, std::size_t cols, std::size_t n_bytes,
                       const std::string& where);

/// Rows and columns in the order given; each index is valid and columns are named once.
SparseMatrix taken(const SparseMatrix& from, std::span<const Index> rows,
                   std::span<const Index> columns);

}  // namespace geotherm::detail
