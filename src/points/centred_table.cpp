#include "points/centred_table.hpp"

#include <algorithm>

#include "core/simd.hpp"
#include "linalg/blas.hpp"
#include "points/columns.hpp"

namespace geotherm::detail {

// Leaf loops over one row. Sums keep 16 lanes, so that they run on vectors in a fixed order.
GEOTHERM_WIDE double centred_dot(const double* row, double scale, const double* mean,
                                 const double* x, std::size_t n) {
  constexpr std::size_t width = 16;
  double lanes[width] = {};
  std::size_t j = 0;
  for (; j + width <= n; j += width) {
    for (std::size_t k = 0; k < width; ++k) {
      lanes[k] += (row[j + k] * scale - mean[j + k]) * x[j + k];
    }
  }
  for (std::size_t k = 0; j < n; ++j, ++k) lanes[k] += (row[j] * scale - mean[j]) * x[j];
  for (std::size_t half = width / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) lanes[k] += lanes[k + half];
  }
  return lanes[0];
}

GEOTHERM_WIDE void add_centred(const double* row, double scale, const double* mean, double weight,
                               double* sums, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) sums[j] += (row[j] * scale - mean[j]) * weight;
}

GEOTHERM_WIDE void add_centred_squares(const double* row, double scale, const double* mean,
                                       double* sums, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const double offset = row[j] * scale - mean[j];
    sums[j] += offset * offset;
  }
}

namespace {

constexpr std::size_t tile = 256;    // of the result
constexpr std::size_t chunk = 1024;  // of the dimension that is summed over

/// A centred copy of a rectangle, packed.
void copy_centred(const CentredTable& table, std::size_t row, std::size_t n_rows, std::size_t col,
                  std::size_t n_cols, double* out) {
  for (std::size_t i = row; i < row + n_rows; ++i) {
    const double* from = &table.points(i, col);
    for (std::size_t j = 0; j < n_cols; ++j) *out++ = from[j] * table.scale - table.mean[col + j];
  }
}

/// Sums partial x-vectors of fixed row blocks in block order.
template <class AddRow>
void sum_over_rows(const CentredTable& table, std::span<double> sums, const Context& context,
                   const AddRow& add_row) {
  const std::size_t block = rows_per_block(table.cols());
  Matrix<double> partial((table.rows() + block - 1) / block, table.cols());
  parallel_for(context, table.rows(), block, [&](std::size_t begin, std::size_t end) {
    double* out = partial.row(begin / block).data();
    for (std::size_t i = begin; i < end; ++i) add_row(i, out);
  });
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t b = 0; b < partial.rows(); ++b) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += partial(b, j);
  }
}

}  // namespace

CentredTable centre(MatrixView<const double> points, const Context& context) {
  const std::vector<double> peaks = column_peaks(points, context);
  const double scale = exact_scale(*std::max_element(peaks.begin(), peaks.end()));
  const std::vector<double> scales(points.cols, scale);
  return {points, scale, column_means(points, scales, context)};
}

Matrix<double> inner_products(const CentredTable& table, Between between, const Context& context) {
  const bool of_columns = between == Between::columns;
  const std::size_t side = of_columns ? table.cols() : table.rows();
  const std::size_t depth = of_columns ? table.rows() : table.cols();
  const std::size_t n_tiles = (side + tile - 1) / tile;

  // Tall, narrow tables have one tile: there the depth is cut into groups, summed in order, as
  // many as 64 MiB of partial results allow. The cut follows from the sizes alone.
  const std::size_t affordable = std::max<std::size_t>((std::size_t{1} << 23) / (side * side), 1);
  const std::size_t wanted = (depth + 8 * chunk - 1) / (8 * chunk);
  const std::size_t n_groups = std::clamp<std::size_t>(wanted, 1, affordable);
  const std::size_t group = ((depth + n_groups - 1) / n_groups + chunk - 1) / chunk * chunk;

  std::vector<Matrix<double>> partial;
  for (std::size_t g = 0; g < n_groups; ++g) {
    partial.push_back(Matrix<double>::uninitialized(side, side));
  }
  const auto run_tile = [&](std::size_t g, std::size_t a, std::size_t b) {
    const std::size_t begin_a = a * tile, size_a = std::min(tile, side - begin_a);
    const std::size_t begin_b = b * tile, size_b = std::min(tile, side - begin_b);
    const MatrixView<double> out{&partial[g](begin_a, begin_b), size_a, size_b, side};
    std::vector<double> left(size_a * chunk), right(a == b ? 0 : size_b * chunk);
    double keep = 0;
    for (std::size_t from = g * group; from < std::min(depth, (g + 1) * group); from += chunk) {
      const std::size_t size = std::min(chunk, depth - from);
      const auto pack = [&](std::size_t begin, std::size_t n, std::vector<double>& buffer) {
        if (of_columns) {
          copy_centred(table, from, size, begin, n, buffer.data());
          return MatrixView<const double>{buffer.data(), size, n, n};
        }
        copy_centred(table, begin, n, from, size, buffer.data());
        return MatrixView<const double>{buffer.data(), n, size, size};
      };
      const MatrixView<const double> l = pack(begin_a, size_a, left);
      const MatrixView<const double> r = a == b ? l : pack(begin_b, size_b, right);
      gemm(1.0, l, of_columns, r, !of_columns, keep, out);
      keep = 1;
    }
    if (keep == 0) {  // rounding up the group's length left nothing for the last one
      for (std::size_t i = 0; i < size_a; ++i) std::fill_n(out.row(i).begin(), size_b, 0.0);
    }
  };

  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < n_tiles; ++a) {
    for (std::size_t b = a; b < n_tiles; ++b) pairs.emplace_back(a, b);
  }
  parallel_for(context, n_groups * pairs.size(), 1, [&](std::size_t item, std::size_t) {
    const auto [a, b] = pairs[item % pairs.size()];
    run_tile(item / pairs.size(), a, b);
  });

  Matrix<double> result = std::move(partial[0]);
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t g = 1; g < n_groups; ++g) {
      for (std::size_t j = i; j < side; ++j) result(i, j) += partial[g](i, j);
    }
  }
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < i; ++j) result(i, j) = result(j, i);
  }
  return result;
}

void multiply(const CentredTable& table, std::span<const double> x, std::span<double> y,
              const Context& context) {
  parallel_for(context, table.rows(), rows_per_block(table.cols()),
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t i = begin; i < end; ++i) {
                   y[i] = centred_dot(table.points.row(i).data(), table.scale, table.mean.data(),
                                      x.data(), table.cols());
                 }
               });
}

void multiply_transposed(const CentredTable& table, std::span<const double> y, std::span<double> x,
                         const Context& context) {
  sum_over_rows(table, x, context, [&](std::size_t i, double* sums) {
    add_centred(table.points.row(i).data(), table.scale, table.mean.data(), y[i], sums,
                table.cols());
  });
}

Matrix<double> multiply_from_left(MatrixView<const double> left, const CentredTable& table,
                                  const Context& context) {
  Matrix<double> result(left.rows, table.cols());
  parallel_for(context, table.cols(), tile, [&](std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    std::vector<double> buffer(chunk * n);
    for (std::size_t from = 0; from < table.rows(); from += chunk) {
      const std::size_t size = std::min(chunk, table.rows() - from);
      copy_centred(table, from, size, begin, n, buffer.data());
      gemm(1.0, {left.data + from, left.rows, size, left.stride}, false,
           MatrixView<const double>{buffer.data(), size, n, n}, false, 1.0,
           {&result(0, begin), left.rows, n, table.cols()});
    }
  });
  return result;
}

double squared_norm(const CentredTable& table, const Context& context) {
  std::vector<double> by_column(table.cols());
  sum_over_rows(table, by_column, context, [&](std::size_t i, double* sums) {
    add_centred_squares(table.points.row(i).data(), table.scale, table.mean.data(), sums,
                        table.cols());
  });
  double sum = 0;
  for (const double s : by_column) sum += s;
  return sum;
}

}  // namespace geotherm::detail
