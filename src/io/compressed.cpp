#include "io/compressed.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/simd.hpp"
#include "io/input_file.hpp"

namespace geotherm::detail {

// The largest index and the number of those not above the one before, as vectors; `before` stands
// in front of the first. Blocks hold counts of 32 bits, which are quicker.
struct BlockFacts {
  std::uint32_t largest = 0, n_falls = 0;
};
GEOTHERM_WIDE BlockFacts block_facts(Index before, const Index* indices, std::size_t n) {
  std::uint32_t largest = static_cast<std::uint32_t>(indices[0]);
  std::uint32_t n_falls = indices[0] <= before;
  for (std::size_t k = 1; k < n; ++k) {
    largest = std::max(largest, static_cast<std::uint32_t>(indices[k]));
    n_falls += indices[k] <= indices[k - 1];
  }
  return {largest, n_falls};
}

void IndexFacts::look_at(std::span<const Index> piece) {
  constexpr std::size_t block = std::size_t{1} << 16;
  for (std::size_t begin = 0; begin < piece.size(); begin += block) {
    const auto part = piece.subspan(begin, std::min(block, piece.size() - begin));
    // Nothing comes before the very first: no index is at or below this one.
    const Index before = n_looked_at_ == 0 ? std::numeric_limits<Index>::min() : last_;
    const BlockFacts facts = block_facts(before, part.data(), part.size());
    largest_ = std::max(largest_, facts.largest);
    n_falls_ += facts.n_falls;
    n_looked_at_ += part.size();
    last_ = part.back();
  }
}

namespace {

// Sorts the entries of one row by column and adds up equal ones; gives the number left.
std::size_t tidy_row(Index* indices, double* values, std::size_t n,
                     std::vector<std::pair<Index, double>>& space) {
  space.clear();
  for (std::size_t k = 0; k < n; ++k) space.emplace_back(indices[k], values[k]);
  std::stable_sort(space.begin(), space.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t n_left = 0;
  for (const auto& [column, value] : space) {
    if (n_left > 0 && indices[n_left - 1] == column) {
      values[n_left - 1] += value;
    } else {
      indices[n_left] = column;
      values[n_left++] = value;
    }
  }
  return n_left;
}

[[noreturn]] void refuse_index(const SparseMatrix& matrix, const std::string& where) {
  std::size_t i = 0;
  Index column = 0;
  for (; i < matrix.rows; ++i) {
    const auto columns = matrix.row_indices(i);
    const auto bad = std::ranges::find_if(
        columns, [&](Index c) { return static_cast<std::uint32_t>(c) >= matrix.cols; });
    if (bad == columns.end()) continue;
    column = *bad;
    break;
  }
  throw IoError(where + ": row " + std::to_string(i) + " names column " + std::to_string(column) +
                " of " + std::to_string(matrix.cols) + " (the file is damaged)");
}

}  // namespace

void require_plausible(std::size_t rows, std::size_t cols, std::size_t n_bytes,
                       const std::string& where) {
  constexpr auto index_most = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  const std::size_t most = std::min(index_most, 16 * std::min(n_bytes, index_most) + 1'000'000);
  if (rows <= most && cols <= most) return;
  throw IoError(where + ": claims " + with_commas(rows) + " x " + with_commas(cols) +
                ", more than a file of its size can mean (it is damaged)");
}

SparseMatrix checked_sparse(SparseMatrix matrix, const std::string& where) {
  IndexFacts facts;
  facts.look_at(matrix.indices);
  return checked_sparse(std::move(matrix), facts, where);
}

SparseMatrix checked_sparse(SparseMatrix matrix, const IndexFacts& facts,
                            const std::string& where) {
  const std::size_t rows = matrix.rows, cols = matrix.cols, n_entries = matrix.indices.size();
  require_plausible(rows, cols, 16 * (n_entries + matrix.offsets.size()), where);
  if (matrix.offsets.size() != rows + 1 || matrix.offsets.front() != 0) {
    throw IoError(where + ": its row pointers do not fit its shape (the file is damaged)");
  }
  if (n_entries != matrix.values.size() || matrix.offsets.back() != n_entries) {
    throw IoError(where + ": its row pointers do not fit its entries (the file is damaged)");
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (matrix.offsets[i] > matrix.offsets[i + 1]) {
      throw IoError(where + ": its row pointers fall at row " + std::to_string(i) +
                    " (the file is damaged)");
    }
  }
  assert(facts.n_looked_at() == n_entries);
  if (n_entries > 0 && facts.largest() >= cols) refuse_index(matrix, where);
  // Columns may fall where one row ends and the next begins, and nowhere else.
  std::size_t n_expected = 0;
  for (std::size_t i = 1, last = 0; i < rows; ++i) {
    const std::size_t k = matrix.offsets[i];
    if (k == last || k == n_entries) continue;  // an empty row
    last = k;
    n_expected += matrix.indices[k] <= matrix.indices[k - 1];
  }
  const bool is_tidy = facts.n_falls() == n_expected;
  if (is_tidy) return matrix;
  std::vector<std::pair<Index, double>> space;
  std::size_t n = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t begin = matrix.offsets[i], end = matrix.offsets[i + 1];
    const std::size_t n_left =
        tidy_row(&matrix.indices[begin], &matrix.values[begin], end - begin, space);
    std::copy_n(matrix.indices.begin() + static_cast<std::ptrdiff_t>(begin), n_left,
                matrix.indices.begin() + static_cast<std::ptrdiff_t>(n));
    std::copy_n(matrix.values.begin() + static_cast<std::ptrdiff_t>(begin), n_left,
                matrix.values.begin() + static_cast<std::ptrdiff_t>(n));
    matrix.offsets[i] = n;
    n += n_left;
  }
  matrix.offsets[rows] = n;
  matrix.indices.resize(n);
  matrix.values.resize(n);
  return matrix;
}

SparseMatrix taken(const SparseMatrix& from, std::span<const Index> rows,
                   std::span<const Index> columns) {
  std::vector<Index> place(from.cols, -1);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    place[static_cast<std::size_t>(columns[j])] = static_cast<Index>(j);
  }
  const bool keeps_order = std::is_sorted(columns.begin(), columns.end());
  SparseMatrix matrix;
  matrix.rows = rows.size();
  matrix.cols = columns.size();
  matrix.offsets.resize(1);
  std::vector<std::pair<Index, double>> space;
  for (const Index row : rows) {
    const auto i = static_cast<std::size_t>(row);
    const std::size_t begin = matrix.indices.size();
    for (std::size_t k = from.offsets[i]; k < from.offsets[i + 1]; ++k) {
      const Index column = place[static_cast<std::size_t>(from.indices[k])];
      if (column < 0) continue;
      matrix.indices.push_back(column);
      matrix.values.push_back(from.values[k]);
    }
    const std::size_t n = matrix.indices.size() - begin;
    if (!keeps_order && n > 1) tidy_row(&matrix.indices[begin], &matrix.values[begin], n, space);
    matrix.offsets.push_back(matrix.indices.size());
  }
  return matrix;
}

}  // namespace geotherm::detail
