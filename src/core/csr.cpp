// Sparse matrix in compressed rows: building, transposing, looking up.
#include <algorithm>

#include "geotherm/core.hpp"

namespace geotherm {

std::size_t SparseMatrix::find(std::size_t i, Index j) const {
  const auto row = row_indices(i);
  const auto place = std::lower_bound(row.begin(), row.end(), j);
  if (place == row.end() || *place != j) return n_entries();
  return offsets[i] + static_cast<std::size_t>(place - row.begin());
}

SparseMatrix sparse_from_triplets(std::size_t rows, std::size_t cols,
                                  std::vector<Triplet> entries) {
  // Stable, so that duplicates are summed in the order given and the bits do not depend on luck.
  std::stable_sort(entries.begin(), entries.end(), [](const Triplet& a, const Triplet& b) {
    return a.row != b.row ? a.row < b.row : a.col < b.col;
  });
  SparseMatrix m;
  m.rows = rows;
  m.cols = cols;
  m.offsets.assign(rows + 1, 0);
  m.indices.reserve(entries.size());
  m.values.reserve(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Triplet& e = entries[k];
    if (k > 0 && e.row == entries[k - 1].row && e.col == entries[k - 1].col) {
      m.values.back() += e.value;
      continue;
    }
    m.indices.push_back(e.col);
    m.values.push_back(e.value);
    ++m.offsets[static_cast<std::size_t>(e.row) + 1];
  }
  for (std::size_t i = 0; i < rows; ++i) m.offsets[i + 1] += m.offsets[i];
  return m;
}

SparseMatrix transpose(const SparseMatrix& a) {
  SparseMatrix t;
  t.rows = a.cols;
  t.cols = a.rows;
  t.offsets.assign(a.cols + 1, 0);
  t.indices.resize(a.n_entries());
  t.values.resize(a.n_entries());
  for (const Index j : a.indices) ++t.offsets[static_cast<std::size_t>(j) + 1];
  for (std::size_t j = 0; j < a.cols; ++j) t.offsets[j + 1] += t.offsets[j];
  std::vector<std::size_t> next(t.offsets.begin(), t.offsets.end() - 1);
  for (std::size_t i = 0; i < a.rows; ++i) {
    const auto columns = a.row_indices(i);
    const auto values = a.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::size_t place = next[static_cast<std::size_t>(columns[k])]++;
      t.indices[place] = static_cast<Index>(i);
      t.values[place] = values[k];
    }
  }
  return t;
}

Matrix<double> to_dense(const SparseMatrix& a) {
  Matrix<double> dense(a.rows, a.cols);
  for (std::size_t i = 0; i < a.rows; ++i) {
    const auto columns = a.row_indices(i);
    const auto values = a.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      dense(i, static_cast<std::size_t>(columns[k])) = values[k];
    }
  }
  return dense;
}

}  // namespace geotherm
