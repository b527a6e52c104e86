// Two ways to make columns comparable: z-scores, and log-normalised counts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "geotherm/points.hpp"
#include "points/columns.hpp"

namespace geotherm {

Matrix<double> standardize(MatrixView<const double> points, const Context& context) {
  require_finite(points);
  const std::size_t d = points.cols;
  const std::size_t block = detail::rows_per_block(d);
  // z-scores do not depend on the unit of a column, so each column is first brought near 1 by a
  // power of two: squares then neither overflow nor vanish, whatever the unit.
  std::vector<double> scales = detail::column_peaks(points, context);
  for (double& scale : scales) scale = detail::exact_scale(scale);
  const std::vector<double> means = detail::column_means(points, scales, context);

  Matrix<double> partial((points.rows + block - 1) / block, d);
  parallel_for(context, points.rows, block, [&](std::size_t begin, std::size_t end) {
    const auto sums = partial.row(begin / block);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = points.row(i);
      for (std::size_t j = 0; j < d; ++j) {
        const double offset = row[j] * scales[j] - means[j];
        sums[j] += offset * offset;
      }
    }
  });
  // A spread within the rounding of the values themselves is no spread (0.1 + 0.2 beside 0.3).
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  std::vector<double> inverse_deviation(d, 0.0);
  for (std::size_t j = 0; j < d; ++j) {
    double sum = 0;
    for (std::size_t b = 0; b < partial.rows(); ++b) sum += partial(b, j);
    const double deviation = std::sqrt(sum / static_cast<double>(points.rows));
    if (deviation > rounding) inverse_deviation[j] = 1 / deviation;
  }

  auto result = Matrix<double>::uninitialized(points.rows, d);
  parallel_for(context, points.rows, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = points.row(i);
      const auto out = result.row(i);
      for (std::size_t j = 0; j < d; ++j) {
        out[j] = (row[j] * scales[j] - means[j]) * inverse_deviation[j];
      }
    }
  });
  return result;
}

namespace {

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

}  // namespace

Matrix<double> log_normalize(MatrixView<const double> counts, std::optional<double> target_sum,
                             const Context& context) {
  if (target_sum && !(*target_sum > 0 && std::isfinite(*target_sum))) {
    refuse_if_any({"target_sum is " + std::to_string(*target_sum) +
                   ": give a positive number, or none for the median row sum"});
  }
  require_finite(counts);
  const std::size_t n = counts.rows;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < counts.cols; ++j) {
      if (counts(i, j) >= 0) continue;
      throw InvalidArgument("row " + std::to_string(i) + ", column " + std::to_string(j) + " is " +
                            std::to_string(counts(i, j)) +
                            ": counts are 0 or more; is the table normalised already?");
    }
  }

  const std::size_t block = detail::rows_per_block(counts.cols);
  std::vector<double> sums(n, 0.0);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const double count : counts.row(i)) sums[i] += count;
    }
  });
  std::vector<double> positive;
  std::copy_if(sums.begin(), sums.end(), std::back_inserter(positive),
               [](double sum) { return sum > 0; });
  const double target = target_sum ? *target_sum : positive.empty() ? 1.0 : median(positive);

  auto result = Matrix<double>::uninitialized(n, counts.cols);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = counts.row(i);
      const auto out = result.row(i);
      // Divided before multiplied: shares lie in [0, 1], so tiny and huge sums are safe.
      for (std::size_t j = 0; j < row.size(); ++j) {
        out[j] = sums[i] > 0 ? std::log1p(row[j] / sums[i] * target) : 0.0;
      }
    }
  });
  return result;
}

}  // namespace geotherm
