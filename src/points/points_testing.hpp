// What the tests of this module share: random tables, tables in blocks, sameness over threads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geotherm/core.hpp"

namespace geotherm::testing {

inline Matrix<double> gaussian_table(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix<double> result(rows, cols);
  Rng rng(seed, "test.table");
  for (std::size_t i = 0; i < rows; ++i) {
    for (double& x : result.row(i)) x = rng.normal();
  }
  return result;
}

inline bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::equal(a.data(), a.data() + a.size(), b.data());
}

inline double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t j = 0; j < a.cols(); ++j) {
      largest = std::max(largest, std::abs(a(i, j) - b(i, j)));
    }
  }
  return largest;
}

/// A table in memory that hands out its rows as a file would.
class BlocksOf final : public RowBlocks {
 public:
  explicit BlocksOf(const Matrix<double>& table) : n_rows(table.rows()), table_(table) {}
  std::size_t rows() const override { return table_.rows(); }
  std::size_t cols() const override { return table_.cols(); }
  std::size_t next(MatrixView<double> out) override {
    const std::size_t n = std::min(out.rows, n_rows - at_);
    for (std::size_t i = 0; i < n; ++i) std::ranges::copy(table_.row(at_ + i), out.row(i).begin());
    at_ += n;
    return n;
  }
  void rewind() override {
    at_ = 0;
    ++n_passes;
  }

  std::size_t n_rows;  ///< that are handed out
  int n_passes = 0;

 private:
  const Matrix<double>& table_;
  std::size_t at_ = 0;
};

/// Calls check(context) with 2 and 8 threads.
template <class Check>
void with_threads(std::uint64_t seed, const Check& check) {
  for (const std::size_t n_threads : {2, 8}) {
    ThreadPool pool(n_threads);
    Context context;
    context.seed = seed;
    context.executor = &pool;
    check(context);
  }
}

}  // namespace geotherm::testing
