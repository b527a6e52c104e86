// Some rows of a matrix, in the order given; first rows of unique ones.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

template <class T>
Matrix<T> take_rows(MatrixView<const T> from, std::span<const Index> rows) {
  auto taken = Matrix<T>::uninitialized(rows.size(), from.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(from.row(static_cast<std::size_t>(rows[i])), taken.row(i).begin());
  }
  return taken;
}

/// The first row of each unique row, in the order of those.
inline std::vector<Index> first_rows(const std::vector<Index>& unique_inverse) {
  std::vector<Index> first;
  for (std::size_t i = 0; i < unique_inverse.size(); ++i) {
    const auto point = static_cast<std::size_t>(unique_inverse[i]);
    if (point >= first.size()) first.resize(point + 1, Index{-1});
    if (first[point] < 0) first[point] = static_cast<Index>(i);
  }
  return first;
}

/// Whether each row is the point of its own number.
inline bool are_points(const std::vector<Index>& unique_inverse) {
  for (std::size_t i = 0; i < unique_inverse.size(); ++i) {
    if (static_cast<std::size_t>(unique_inverse[i]) != i) return false;
  }
  return true;
}

}  // namespace geotherm::detail
