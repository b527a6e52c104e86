#include "points/columns.hpp"

#include <algorithm>
#include <cmath>

#include "points/checks.hpp"

namespace geotherm::detail {
namespace {

/// Calls add_row(row, out) for the rows of every block, where `out` is that block's row of zeros;
/// gives those rows.
template <class AddRow>
Matrix<double> by_block(MatrixView<const double> slab, std::size_t width, const Context& context,
                        const AddRow& add_row) {
  const std::size_t block = rows_per_block(slab.cols);
  Matrix<double> partial((slab.rows + block - 1) / block, width);
  parallel_for(context, slab.rows, block, [&](std::size_t begin, std::size_t end) {
    double* out = partial.row(begin / block).data();
    for (std::size_t i = begin; i < end; ++i) add_row(slab.row(i).data(), out);
  });
  return partial;
}

void add_rows(const Matrix<double>& partial, std::span<double> sums) {
  for (std::size_t b = 0; b < partial.rows(); ++b) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += partial(b, j);
  }
}

/// Averages of points * scales - origin by column.
std::vector<double> mean_offsets(const TableSource& points, std::span<const double> scales,
                                 std::span<const double> origin, const Context& context) {
  const std::size_t d = points.cols();
  std::vector<double> means(d, 0.0);
  for_each_slab(points, rows_per_block(d), context,
                [&](MatrixView<const double> slab, std::size_t) {
                  add_rows(by_block(slab, d, context,
                                    [&](const double* row, double* sums) {
                                      for (std::size_t j = 0; j < d; ++j) {
                                        sums[j] += row[j] * scales[j] - origin[j];
                                      }
                                    }),
                           means);
                });
  for (double& mean : means) mean /= static_cast<double>(points.rows());
  return means;
}

}  // namespace

std::size_t rows_per_block(std::size_t cols) {
  return std::clamp<std::size_t>((std::size_t{1} << 18) / std::max<std::size_t>(cols, 1), 64, 4096);
}

std::vector<double> column_peaks(const TableSource& points, const Context& context) {
  const std::size_t d = points.cols();
  std::vector<double> peaks(d, 0.0);
  for_each_slab(points, rows_per_block(d), context,
                [&](MatrixView<const double> slab, std::size_t) {
                  const Matrix<double> partial =
                      by_block(slab, d, context, [&](const double* row, double* out) {
                        for (std::size_t j = 0; j < d; ++j) {
                          out[j] = std::max(out[j], std::abs(row[j]));
                        }
                      });
                  for (std::size_t b = 0; b < partial.rows(); ++b) {
                    for (std::size_t j = 0; j < d; ++j)
                      peaks[j] = std::max(peaks[j], partial(b, j));
                  }
                });
  return peaks;
}

double exact_scale(double largest) {
  if (largest == 0) return 1;
  // Held within the range in which both the scale and its inverse are ordinary numbers.
  return std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1020, 1020));
}

std::vector<double> column_means(const TableSource& points, std::span<const double> scales,
                                 const Context& context) {
  // Offsets are taken from the first row, which makes constant columns exact, and then once more
  // from the mean itself, which makes an outlying first row harmless.
  std::vector<double> scratch;
  const double* first = points.row(0, scratch);
  std::vector<double> means(points.cols());
  for (std::size_t j = 0; j < means.size(); ++j) means[j] = first[j] * scales[j];
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<double> offsets = mean_offsets(points, scales, means, context);
    for (std::size_t j = 0; j < means.size(); ++j) means[j] += offsets[j];
  }
  return means;
}

ScaledMeans scaled_means(const TableSource& points, const Context& context) {
  const std::size_t d = points.cols();
  std::vector<double> first(d), offsets(d, 0.0);
  double peak = 0;
  std::size_t n_rows = 0;
  // Peaks beside sums of offsets from the first row. Those are not scaled yet, which makes no
  // difference: multiplying by a power of two is exact while all stay ordinary numbers.
  for_each_slab(points, rows_per_block(d), context,
                [&](MatrixView<const double> slab, std::size_t at) {
                  require_finite(slab, at, context);
                  if (at == 0) first.assign(slab.row(0).begin(), slab.row(0).end());
                  const Matrix<double> partial =
                      by_block(slab, d + 1, context, [&](const double* row, double* out) {
                        double largest = out[d];
                        for (std::size_t j = 0; j < d; ++j) {
                          largest = std::max(largest, std::abs(row[j]));
                          out[j] += row[j] - first[j];
                        }
                        out[d] = largest;
                      });
                  add_rows(partial, offsets);
                  for (std::size_t b = 0; b < partial.rows(); ++b)
                    peak = std::max(peak, partial(b, d));
                  n_rows = at + slab.rows;
                });
  if (n_rows == 0) require_finite(MatrixView<const double>{nullptr, points.rows(), d, d}, 0);
  ScaledMeans result = {exact_scale(peak), std::vector<double>(d)};
  const std::vector<double> scales(d, result.scale);
  for (std::size_t j = 0; j < d; ++j) result.means[j] = first[j] * result.scale;
  const bool is_ordinary = peak > 0x1p-500 && peak < 0x1p500;
  if (is_ordinary) {
    for (double& offset : offsets) {
      offset = offset * result.scale / static_cast<double>(points.rows());
    }
  } else {
    offsets = mean_offsets(points, scales, result.means, context);
  }
  // Once more from the mean itself, which makes an outlying first row harmless.
  for (std::size_t j = 0; j < d; ++j) result.means[j] += offsets[j];
  offsets = mean_offsets(points, scales, result.means, context);
  for (std::size_t j = 0; j < d; ++j) result.means[j] += offsets[j];
  return result;
}

}  // namespace geotherm::detail
