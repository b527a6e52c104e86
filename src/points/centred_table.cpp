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
/// Multiplications of one thread between two looks at whether to stop: a fifth of a second.
constexpr std::size_t work_a_round = std::size_t{1} << 31U;

/// A centred copy of a rectangle, packed.
template <class T>
void copy_centred(MatrixView<const T> points, const CentredTable& table, std::size_t row,
                  std::size_t n_rows, std::size_t col, std::size_t n_cols, double* out) {
  for (std::size_t i = row; i < row + n_rows; ++i) {
    const T* from = &points(i, col);
    for (std::size_t j = 0; j < n_cols; ++j) {
      *out++ = static_cast<double>(from[j]) * table.scale - table.mean[col + j];
    }
  }
}

/// The same of a table in memory.
void copy_centred(const CentredTable& table, std::size_t row, std::size_t n_rows, std::size_t col,
                  std::size_t n_cols, double* out) {
  const TableSource& points = table.points;
  if (points.wide.data != nullptr) {
    copy_centred(points.wide, table, row, n_rows, col, n_cols, out);
  } else {
    copy_centred(points.narrow, table, row, n_rows, col, n_cols, out);
  }
}

/// Sums partial x-vectors of fixed row blocks in block order; add_row(i, row, sums).
template <class AddRow>
void sum_over_rows(const CentredTable& table, std::span<double> sums, const Context& context,
                   const AddRow& add_row) {
  const std::size_t block = rows_per_block(table.cols());
  Matrix<double> partial((table.rows() + block - 1) / block, table.cols());
  parallel_for(context, table.rows(), block, [&](std::size_t begin, std::size_t end) {
    double* out = partial.row(begin / block).data();
    std::vector<double> scratch;
    for (std::size_t i = begin; i < end; ++i) add_row(i, table.points.row(i, scratch), out);
  });
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t b = 0; b < partial.rows(); ++b) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += partial(b, j);
  }
}

/// How the depth of a product is cut: tall, narrow tables have one tile, so there it is cut into
/// groups, summed in order, as many as 64 MiB of partial results allow. The cut follows from the
/// sizes alone.
struct Groups {
  std::size_t depth = 0;
  std::size_t size = 0;
  std::size_t n = 0;

  Groups(std::size_t depth_of_all, std::size_t side) : depth(depth_of_all) {
    const std::size_t affordable = std::max<std::size_t>((std::size_t{1} << 23) / (side * side), 1);
    const std::size_t wanted = (depth + 8 * chunk - 1) / (8 * chunk);
    n = std::clamp<std::size_t>(wanted, 1, affordable);
    size = ((depth + n - 1) / n + chunk - 1) / chunk * chunk;
  }
};

/// Inner products whose depth arrives in pieces, from the front; every piece but the last is a
/// multiple of `chunk` long.
class GrowingProducts {
 public:
  GrowingProducts(std::size_t side, std::size_t depth) : side_(side), groups_(depth, side) {
    const std::size_t n_tiles = (side + tile - 1) / tile;
    for (std::size_t a = 0; a < n_tiles; ++a) {
      for (std::size_t b = a; b < n_tiles; ++b) pairs_.emplace_back(a, b);
    }
    for (std::size_t g = 0; g < groups_.n; ++g) partial_.emplace_back(side, side);
  }

  /// `pack(from, size, begin, n, out)` puts the centred values of the sides begin ... begin + n
  /// over the depth from ... from + size into `out`, by depth where `by_depth`, else by side.
  template <class Pack>
  void add(std::size_t first, std::size_t length, bool by_depth, const Pack& pack,
           const Context& context) {
    const std::size_t first_group = first / groups_.size;
    const std::size_t n_groups = (first + length - 1) / groups_.size - first_group + 1;
    const auto one_product = [&](std::size_t item) {
      const auto [a, b] = pairs_[item % pairs_.size()];
      const std::size_t g = first_group + item / pairs_.size();
      const std::size_t begin_a = a * tile, size_a = std::min(tile, side_ - begin_a);
      const std::size_t begin_b = b * tile, size_b = std::min(tile, side_ - begin_b);
      const MatrixView<double> out{&partial_[g](begin_a, begin_b), size_a, size_b, side_};
      std::vector<double> left(size_a * chunk), right(a == b ? 0 : size_b * chunk);
      const std::size_t end = std::min(first + length, (g + 1) * groups_.size);
      for (std::size_t from = std::max(first, g * groups_.size); from < end; from += chunk) {
        const std::size_t size = std::min(chunk, end - from);
        const auto packed = [&](std::size_t begin, std::size_t n, std::vector<double>& buffer) {
          pack(from, size, begin, n, buffer.data());
          return by_depth ? MatrixView<const double>{buffer.data(), size, n, n}
                          : MatrixView<const double>{buffer.data(), n, size, size};
        };
        const MatrixView<const double> l = packed(begin_a, size_a, left);
        const MatrixView<const double> r = a == b ? l : packed(begin_b, size_b, right);
        gemm(1.0, l, by_depth, r, !by_depth, from == g * groups_.size ? 0.0 : 1.0, out);
      }
    };
    // In rounds of well below a second, between which a run can be stopped.
    const std::size_t n_items = n_groups * pairs_.size();
    const std::size_t n_threads = context.executor != nullptr ? context.executor->n_threads() : 1;
    const std::size_t affordable = work_a_round / (tile * tile * std::min(length, groups_.size));
    const std::size_t n_at_once = n_threads * std::max<std::size_t>(1, affordable);
    for (std::size_t done = 0; done < n_items; done += n_at_once) {
      context.report_or_throw({.stage = "pca", .done = done, .total = n_items});
      parallel_for(context, std::min(n_at_once, n_items - done), 1,
                   [&](std::size_t item, std::size_t) { one_product(done + item); });
    }
  }

  Matrix<double> take() {
    Matrix<double> result = std::move(partial_[0]);
    for (std::size_t i = 0; i < side_; ++i) {
      for (std::size_t g = 1; g < groups_.n; ++g) {
        for (std::size_t j = i; j < side_; ++j) result(i, j) += partial_[g](i, j);
      }
    }
    for (std::size_t i = 0; i < side_; ++i) {
      for (std::size_t j = 0; j < i; ++j) result(i, j) = result(j, i);
    }
    return result;
  }

 private:
  std::size_t side_;
  Groups groups_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  std::vector<Matrix<double>> partial_;
};

}  // namespace

CentredTable centre(const TableSource& points, const Context& context) {
  ScaledMeans found = scaled_means(points, context);
  return {points, found.scale, std::move(found.means)};
}

Matrix<double> inner_products(const CentredTable& table, Between between, const Context& context) {
  if (between == Between::rows) {
    GrowingProducts products(table.rows(), table.cols());
    products.add(
        0, table.cols(), false,
        [&](std::size_t from, std::size_t size, std::size_t begin, std::size_t n, double* out) {
          copy_centred(table, begin, n, from, size, out);
        },
        context);
    return products.take();
  }
  GrowingProducts products(table.cols(), table.rows());
  for_each_slab(table.points, chunk, context, [&](MatrixView<const double> slab, std::size_t at) {
    products.add(
        at, slab.rows, true,
        [&](std::size_t from, std::size_t size, std::size_t begin, std::size_t n, double* out) {
          copy_centred(slab, table, from - at, size, begin, n, out);
        },
        context);
  });
  return products.take();
}

void multiply(const CentredTable& table, std::span<const double> x, std::span<double> y,
              const Context& context) {
  parallel_for(context, table.rows(), rows_per_block(table.cols()),
               [&](std::size_t begin, std::size_t end) {
                 std::vector<double> scratch;
                 for (std::size_t i = begin; i < end; ++i) {
                   y[i] = centred_dot(table.points.row(i, scratch), table.scale, table.mean.data(),
                                      x.data(), table.cols());
                 }
               });
}

void multiply_transposed(const CentredTable& table, std::span<const double> y, std::span<double> x,
                         const Context& context) {
  sum_over_rows(table, x, context, [&](std::size_t i, const double* row, double* sums) {
    add_centred(row, table.scale, table.mean.data(), y[i], sums, table.cols());
  });
}

Matrix<double> multiply_from_left(MatrixView<const double> left, const CentredTable& table,
                                  const Context& context) {
  Matrix<double> result(left.rows, table.cols());
  const auto one_strip = [&](std::size_t begin, std::size_t end) {
    const std::size_t n = end - begin;
    std::vector<double> buffer(chunk * n);
    for (std::size_t from = 0; from < table.rows(); from += chunk) {
      const std::size_t size = std::min(chunk, table.rows() - from);
      copy_centred(table, from, size, begin, n, buffer.data());
      gemm(1.0, {left.data + from, left.rows, size, left.stride}, false,
           MatrixView<const double>{buffer.data(), size, n, n}, false, 1.0,
           {&result(0, begin), left.rows, n, table.cols()});
    }
  };
  const std::size_t n_threads = context.executor != nullptr ? context.executor->n_threads() : 1;
  const std::size_t work_a_strip = tile * std::max<std::size_t>(1, left.rows * table.rows());
  const std::size_t affordable = work_a_round / work_a_strip;
  const std::size_t n_at_once = tile * n_threads * std::max<std::size_t>(1, affordable);
  for (std::size_t first = 0; first < table.cols(); first += n_at_once) {
    context.report_or_throw({.stage = "pca", .done = first, .total = table.cols()});
    parallel_for(
        context, std::min(n_at_once, table.cols() - first), tile,
        [&](std::size_t begin, std::size_t end) { one_strip(first + begin, first + end); });
  }
  return result;
}

double squared_norm(const CentredTable& table, const Context& context) {
  std::vector<double> by_column(table.cols());
  sum_over_rows(table, by_column, context, [&](std::size_t, const double* row, double* sums) {
    add_centred_squares(row, table.scale, table.mean.data(), sums, table.cols());
  });
  double sum = 0;
  for (const double s : by_column) sum += s;
  return sum;
}

}  // namespace geotherm::detail
