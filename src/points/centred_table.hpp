// A table seen through its mean: what PCA multiplies, without a centred copy of the whole.
#pragma once

#include <span>
#include <vector>

#include "points/table_source.hpp"

namespace geotherm::detail {

/// Stands for scale * points - mean. The scale is a power of two that brings the largest entry near
/// 1, so that squares neither overflow nor vanish.
struct CentredTable {
  TableSource points;
  double scale = 1;
  std::vector<double> mean;  ///< of scale * points

  std::size_t rows() const { return points.rows(); }
  std::size_t cols() const { return points.cols(); }
};
/// Refuses empty tables, NaN and infinity.
CentredTable centre(const TableSource& points, const Context& context);

/// Which inner products: between columns (cols x cols) or between rows (rows x rows).
enum class Between { columns, rows };
/// The full symmetric matrix of inner products, O(rows x cols x side / 2) by matrix products. Of a
/// table in blocks only those between columns can be had, and nothing of what follows.
Matrix<double> inner_products(const CentredTable&, Between, const Context& context);

/// y = table * x.
void multiply(const CentredTable&, std::span<const double> x, std::span<double> y, const Context&);
/// x = table^T * y.
void multiply_transposed(const CentredTable&, std::span<const double> y, std::span<double> x,
                         const Context&);
/// left (k x rows) * table, k x cols.
Matrix<double> multiply_from_left(MatrixView<const double> left, const CentredTable&,
                                  const Context&);

/// Sum of all squares.
double squared_norm(const CentredTable&, const Context&);

}  // namespace geotherm::detail
