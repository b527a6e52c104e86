// Large memory that is about to be filled: asks the system for large pages, where it knows them. A
// file is then read at the speed of copying, not of one page fault for every 4 KiB.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/platform.hpp"

namespace geotherm::detail {

/// Call it before the memory is first touched; a hint that may be ignored.
inline void ask_for_large_pages(void* begin, std::size_t n_bytes) {
  constexpr std::uintptr_t page = 4096;
  if (n_bytes < (std::size_t{1} << 22)) return;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const auto first = (address + page - 1) / page * page;
  const auto last = (address + n_bytes) / page * page;
  if (last > first) {
    platform::advise_large_pages(static_cast<char*>(begin) + (first - address), last - first);
  }
}

/// The same for a vector or matrix whose elements are not yet set.
template <class Container>
void ask_for_large_pages(Container& container) {
  ask_for_large_pages(container.data(), container.size() * sizeof(*container.data()));
}

/// vector.reserve(n) and vector.resize(n) in large pages.
template <class Vector>
void reserve_in_large_pages(Vector& vector, std::size_t n) {
  vector.reserve(n);
  ask_for_large_pages(vector.data(), n * sizeof(*vector.data()));
}
template <class Vector>
void resize_in_large_pages(Vector& vector, std::size_t n) {
  reserve_in_large_pages(vector, n);
  vector.resize(n);
}

/// A copy of the vector in large pages, written once.
template <class Vector>
Vector copied_in_large_pages(const Vector& from) {
  Vector copy;
  reserve_in_large_pages(copy, from.size());
  copy.insert(copy.end(), from.begin(), from.end());
  return copy;
}

}  // namespace geotherm::detail
