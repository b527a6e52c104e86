// Where the rows of a table come from: memory, in double or in float32, or a file in blocks. What
// is summed over rows goes through slabs, cut so that all three add the same numbers in the same
// order.
#pragma once

#include <functional>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Exactly one member is given.
struct TableSource {
  MatrixView<const double> wide = {};
  MatrixView<const float> narrow = {};
  RowBlocks* blocks = nullptr;

  TableSource(MatrixView<const double> points) : wide(points) {}
  TableSource(MatrixView<const float> points) : narrow(points) {}
  TableSource(const Matrix<double>& points) : wide(points.view()) {}
  explicit TableSource(RowBlocks& rows) : blocks(&rows) {}

  std::size_t rows() const;
  std::size_t cols() const;
  /// Row i in double, in `scratch` where it has to be converted. Not for blocks.
  const double* row(std::size_t i, std::vector<double>& scratch) const;
};

/// Calls use(slab, number of its first row) from the first row to the last; the length of every
/// slab but the last is a multiple of `unit`. Reports progress where it reads.
void for_each_slab(
    const TableSource&, std::size_t unit, const Context&,
    const std::function<void(MatrixView<const double> slab, std::size_t first)>& use);

}  // namespace geotherm::detail
