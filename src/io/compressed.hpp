// Compressed sparse arrays as files hold them, checked and brought into a SparseMatrix.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// What has to be known of all column indices before they are believed. Given piece by piece from
/// the front, so that a reader can look at them while they are in the processor's cache.
class IndexFacts {
 public:
  void look_at(std::span<const Index> piece);
  std::uint32_t largest() const { return largest_; }  ///< negative ones count as huge
  std::size_t n_falls() const { return n_falls_; }    ///< not above the one before
  std::size_t n_looked_at() const { return n_looked_at_; }

 private:
  std::uint32_t largest_ = 0;
  std::size_t n_falls_ = 0, n_looked_at_ = 0;
  Index last_ = -1;
};

/// Checks a matrix whose parts came straight from a file and puts its rows in order: columns in any
/// order are sorted, repeated ones summed. Throws IoError beginning with `where` for offsets or
/// indices that do not fit.
SparseMatrix checked_sparse(SparseMatrix matrix, const std::string& where);
/// The same where all indices have been looked at already.
SparseMatrix checked_sparse(SparseMatrix matrix, const IndexFacts& facts, const std::string& where);

/// Rows and columns that an Index can name and that a file of `n_bytes` (unpacked) may have in
/// good faith, empty ones included; throws IoError.
void require_plausible(std::size_t rows, std::size_t cols, std::size_t n_bytes,
                       const std::string& where);

/// Rows and columns in the order given; each index is valid and columns are named once.
SparseMatrix taken(const SparseMatrix& from, std::span<const Index> rows,
                   std::span<const Index> columns);

}  // namespace geotherm::detail
