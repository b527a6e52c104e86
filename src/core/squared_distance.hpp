// The squared distance of two rows.
#pragma once

#include <cstddef>
#include <span>

namespace geotherm::detail {

/// Added up in the order of the columns. Not guarded against overflow: for points that are scaled.
inline double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

}  // namespace geotherm::detail
