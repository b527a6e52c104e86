// Small sums over a graph that several files of this room take.
#pragma once

#include <algorithm>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

inline std::vector<double> degrees(const SparseMatrix& weights) {
  std::vector<double> degree(weights.rows, 0);
  for (std::size_t i = 0; i < weights.rows; ++i) {
    for (const double value : weights.row_values(i)) degree[i] += value;
  }
  return degree;
}

/// The upper median; 0 of nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace geotherm::detail
