// Some rows of a matrix, in the order given.
#pragma once

#include <algorithm>
#include <span>

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

}  // namespace geotherm::detail
