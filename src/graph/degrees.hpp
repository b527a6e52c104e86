// Small sums over a graph that several files of this module take.
#pragma once

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

}  // namespace geotherm::detail
