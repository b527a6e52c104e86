// A matrix with rows and columns exchanged.
#pragma once

#include "geotherm/core.hpp"

namespace geotherm::detail {

inline Matrix<double> transposed(const Matrix<double>& from, const Context& context) {
  auto to = Matrix<double>::uninitialized(from.cols(), from.rows());
  parallel_for(context, from.rows(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = 0; j < from.cols(); ++j) {
      for (std::size_t i = begin; i < end; ++i) to(j, i) = from(i, j);
    }
  });
  return to;
}

}  // namespace geotherm::detail
