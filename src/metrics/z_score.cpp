// Axis by axis: mean, then deviation from it.
#include "metrics/z_score.hpp"

#include <algorithm>
#include <cmath>

#include "metrics/distance_rows.hpp"

namespace geotherm::detail {

Matrix<double> z_score(MatrixView<const double> coordinates, std::string_view name,
                       const Context& context) {
  if (coordinates.empty()) {
    throw InvalidArgument(std::string(name) + " is empty: give one point or more");
  }
  if (const auto complaint = complaint_unless_finite(coordinates, name, false, context)) {
    throw InvalidArgument(*complaint);
  }
  const std::size_t n = coordinates.rows;
  Matrix<double> result(n, coordinates.cols);
  std::vector<double> column(n);
  for (std::size_t k = 0; k < coordinates.cols; ++k) {
    double largest = 0, least = coordinates(0, k), most = coordinates(0, k);
    for (std::size_t i = 0; i < n; ++i) {
      column[i] = coordinates(i, k);
      least = std::min(least, column[i]);
      most = std::max(most, column[i]);
      largest = std::max(largest, std::abs(column[i]));
    }
    if (least == most) continue;  // asked of the values: the variance may come out above 0
    const double scale = safe_scale(largest);
    double mean = 0, squares = 0;
    for (double& value : column) mean += value *= scale;
    mean /= static_cast<double>(n);
    for (double& value : column) {
      value -= mean;
      squares += value * value;
    }
    const double deviation = std::sqrt(squares / static_cast<double>(n));
    for (std::size_t i = 0; i < n; ++i) result(i, k) = column[i] / deviation;
  }
  return result;
}

}  // namespace geotherm::detail
