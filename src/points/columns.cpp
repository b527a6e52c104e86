#include "points/columns.hpp"

#include <algorithm>
#include <cmath>

namespace geotherm::detail {
namespace {

/// Averages of points * scales - origin by column.
std::vector<double> mean_offsets(MatrixView<const double> points, std::span<const double> scales,
                                 std::span<const double> origin, const Context& context) {
  const std::size_t d = points.cols;
  const std::size_t block = rows_per_block(d);
  Matrix<double> partial((points.rows + block - 1) / block, d);
  parallel_for(context, points.rows, block, [&](std::size_t begin, std::size_t end) {
    const auto sums = partial.row(begin / block);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = points.row(i);
      for (std::size_t j = 0; j < d; ++j) sums[j] += row[j] * scales[j] - origin[j];
    }
  });
  std::vector<double> means(d, 0.0);
  for (std::size_t b = 0; b < partial.rows(); ++b) {
    for (std::size_t j = 0; j < d; ++j) means[j] += partial(b, j);
  }
  for (double& mean : means) mean /= static_cast<double>(points.rows);
  return means;
}

}  // namespace

std::size_t rows_per_block(std::size_t cols) {
  return std::clamp<std::size_t>((std::size_t{1} << 18) / std::max<std::size_t>(cols, 1), 64, 4096);
}

std::vector<double> column_peaks(MatrixView<const double> points, const Context& context) {
  const std::size_t d = points.cols;
  const std::size_t block = rows_per_block(d);
  Matrix<double> partial((points.rows + block - 1) / block, d);
  parallel_for(context, points.rows, block, [&](std::size_t begin, std::size_t end) {
    const auto peaks = partial.row(begin / block);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = points.row(i);
      for (std::size_t j = 0; j < d; ++j) peaks[j] = std::max(peaks[j], std::abs(row[j]));
    }
  });
  std::vector<double> peaks(d, 0.0);
  for (std::size_t b = 0; b < partial.rows(); ++b) {
    for (std::size_t j = 0; j < d; ++j) peaks[j] = std::max(peaks[j], partial(b, j));
  }
  return peaks;
}

double exact_scale(double largest) {
  if (largest == 0) return 1;
  // Held within the range in which both the scale and its inverse are ordinary numbers.
  return std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1020, 1020));
}

std::vector<double> column_means(MatrixView<const double> points, std::span<const double> scales,
                                 const Context& context) {
  // Offsets are taken from the first row, which makes constant columns exact, and then once more
  // from the mean itself, which makes an outlying first row harmless.
  std::vector<double> means(points.cols);
  for (std::size_t j = 0; j < points.cols; ++j) means[j] = points(0, j) * scales[j];
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<double> offsets = mean_offsets(points, scales, means, context);
    for (std::size_t j = 0; j < points.cols; ++j) means[j] += offsets[j];
  }
  return means;
}

}  // namespace geotherm::detail
