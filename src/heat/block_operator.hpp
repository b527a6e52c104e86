// Sparse matrix times a block of vectors, the loop in which the kernels spend their time.
// A block holds n rows of 8 or 32 doubles, row after row: one row is a cache line or four, and all
// columns share the reading of the matrix.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "geotherm/core.hpp"
#include "heat/window.hpp"

namespace geotherm::detail {

inline constexpr std::size_t wide_block = 32;
inline constexpr std::size_t narrow_block = 8;

/// n rows of `width` doubles, aligned to cache lines, zero at first.
class Block {
 public:
  Block() = default;
  Block(std::size_t n_rows, std::size_t width)
      : n_rows_(n_rows),
        width_(width),
        data_(static_cast<double*>(
            ::operator new(n_rows * width * sizeof(double), std::align_val_t{64}))) {
    clear();
  }
  std::size_t n_rows() const { return n_rows_; }
  std::size_t width() const { return width_; }
  std::size_t size() const { return n_rows_ * width_; }
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  double* row(std::size_t i) { return data_.get() + i * width_; }
  const double* row(std::size_t i) const { return data_.get() + i * width_; }
  void clear() { std::fill_n(data(), size(), 0.0); }

 private:
  struct Release {
    void operator()(double* p) const { ::operator delete(p, std::align_val_t{64}); }
  };
  std::size_t n_rows_ = 0;
  std::size_t width_ = 0;
  std::unique_ptr<double[], Release> data_;
};

Window nonzero_rows(const Block&);

/// A square sparse matrix ready for repeated products with blocks.
class BlockOperator {
 public:
  BlockOperator() = default;
  explicit BlockOperator(SparseMatrix matrix);

  std::size_t size() const { return matrix_.rows; }
  const SparseMatrix& matrix() const { return matrix_; }
  /// Rows that a product can make nonzero where x is nonzero within `window`.
  Window widened(Window window) const { return reach_.widened(window); }

  /// y = A x and sum += coefficient y, on the rows of `rows`. The three are different blocks.
  void multiply(Window rows, const Block& x, Block& y, double coefficient, Block& sum) const;
  /// y = A x - y and sum += coefficient y: one step of the Chebyshev recurrence.
  void recur(Window rows, const Block& x, Block& y, double coefficient, Block& sum) const;

 private:
  SparseMatrix matrix_;
  RowReach reach_;
};

/// sum += coefficient x on the rows of `rows`.
void add_scaled(Window rows, double coefficient, const Block& x, Block& sum);
/// x *= factor on the rows of `rows`.
void scale_rows(Window rows, double factor, Block& x);

/// For non-negative blocks: the largest (y + z) / (x + y) and (y + z) / sum over the rows of
/// `rows`, 0 / 0 left out; infinite where only the denominator is 0.
struct GrowthRatios {
  double step = 0;
  double against_sum = 0;
};
GrowthRatios growth_ratios(Window rows, const Block& x, const Block& y, const Block& z,
                           const Block& sum);

/// One row of a triangular solve on a block: x_i = factor_i x_i - sum_k a_ik x_k, for every i in
/// rising (or falling) order; `a` holds the strict triangle by rows.
void substitute(const SparseMatrix& a, const double* factor, bool falling, Block& x);

}  // namespace geotherm::detail
