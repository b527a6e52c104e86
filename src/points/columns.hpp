// Statistics of the columns of a table, shared by scaling and PCA. Sums run over fixed blocks of
// rows, so the bits do not depend on the number of threads.
#pragma once

#include <span>
#include <vector>

#include "points/table_source.hpp"

namespace geotherm::detail {

/// Rows that make a block of work worth handing to a thread, by the width of the table.
std::size_t rows_per_block(std::size_t cols);

/// Largest magnitude of each column.
std::vector<double> column_peaks(const TableSource& points, const Context& context);

/// The power of two that brings `largest` into [1, 2), so that squares neither overflow nor
/// vanish; multiplying by it is exact. 1 for 0.
double exact_scale(double largest);

/// Means of the columns, each multiplied by its scale. Exact where a column is constant.
std::vector<double> column_means(const TableSource& points, std::span<const double> scales,
                                 const Context& context);

/// The power of two that `exact_scale` gives for the largest entry of all, and the means of the
/// columns multiplied by it.
struct ScaledMeans {
  double scale = 1;
  std::vector<double> means;
};
/// As column_peaks and column_means find them, in two passes over the table where they need three.
/// Refuses empty tables, NaN and infinity on the way.
ScaledMeans scaled_means(const TableSource& points, const Context& context);

}  // namespace geotherm::detail
