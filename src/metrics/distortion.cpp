// True distances from some points, and a map -> how far the map is off at each point.
#include <algorithm>
#include <cmath>
#include <limits>

#include "geotherm/metrics.hpp"

namespace geotherm {
namespace {

constexpr double most_log = 13.815510557964274;  // log 1e6
constexpr std::size_t block = 256;

/// NaN where there is none; reorders.
double median_of(std::vector<double>& values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double map_distance(MatrixView<const double> map, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < map.cols; ++k) {
    const double step = map(i, k) - map(j, k);
    sum += step * step;
  }
  return std::sqrt(sum);
}

}  // namespace

std::vector<double> point_distortion(MatrixView<const double> truth, std::span<const Index> rows,
                                     MatrixView<const double> coordinates, const Context& context) {
  const std::size_t n = coordinates.rows;
  if (truth.rows != rows.size() || (truth.rows > 0 && truth.cols != n)) {
    throw InvalidArgument("truth is " + std::to_string(truth.rows) + " x " +
                          std::to_string(truth.cols) + ": for " + std::to_string(rows.size()) +
                          " rows and " + std::to_string(n) + " points it must be " +
                          std::to_string(rows.size()) + " x " + std::to_string(n));
  }
  for (const Index row : rows) {
    if (row < 0 || static_cast<std::size_t>(row) >= n) {
      throw InvalidArgument("row " + std::to_string(row) + " does not exist: there are " +
                            std::to_string(n) + " points");
    }
  }
  const double missing = std::numeric_limits<double>::quiet_NaN();
  Matrix<double> log_ratio = Matrix<double>::uninitialized(n, rows.size());
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto from = static_cast<std::size_t>(rows[r]);
        const double d = truth(r, i);
        const bool counts = from != i && d > 0 && std::isfinite(d);
        log_ratio(i, r) = counts ? std::log(map_distance(coordinates, i, from) / d) : missing;
      }
    }
  });
  std::vector<double> all;
  for (std::size_t i = 0; i < n; ++i) {
    for (const double value : log_ratio.row(i)) {
      if (!std::isnan(value)) all.push_back(value);
    }
  }
  double middle = median_of(all);
  if (!std::isfinite(middle)) middle = 0;  // half of the map in one place: no scale to find
  std::vector<double> result(n);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    std::vector<double> own;
    for (std::size_t i = begin; i < end; ++i) {
      own.clear();
      for (const double value : log_ratio.row(i)) {
        if (!std::isnan(value)) own.push_back(std::min(std::abs(value - middle), most_log));
      }
      result[i] = median_of(own);
    }
  });
  return result;
}

}  // namespace geotherm
