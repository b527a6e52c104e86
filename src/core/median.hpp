// The upper median, as a typical value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace geotherm::detail {

/// The entry in the middle, of two the upper one; 0 of nothing.
template <class T>
T median(std::vector<T> values) {
  if (values.empty()) return T{0};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace geotherm::detail
