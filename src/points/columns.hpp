// Statistics of the columns of a table, shared by scaling and PCA. Sums run over fixed blocks of
// rows, so the bits do not depend on the number of threads.
#pragma once

#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Rows that make a block of work worth handing to a thread, by the width of the table.
std::size_t rows_per_block(std::size_t cols);

/// Largest magnitude of each column.
std::vector<double> column_peaks(MatrixView<const double> points, const Context& context);

/// The power of two that brings `largest` into [1, 2), so that squares neither overflow nor
/// vanish; multiplying by it is exact. 1 for 0.
double exact_scale(double largest);

/// Means of the columns, each multiplied by its scale. Exact where a column is constant.
std::vector<double> column_means(MatrixView<const double> points, std::span<const double> scales,
                                 const Context& context);

}  // namespace geotherm::detail
