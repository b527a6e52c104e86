// What the innermost loops of the stress solvers share.
#pragma once

#include <bit>
#include <cstdint>

namespace geotherm::detail {

/// 1/sqrt(v) to 1e-15, for normal v > 0: two steps of fourth order from the classic first guess.
/// Faster than a division by a root, and free of errno, for whose sake compilers leave sqrt
/// unvectorised.
[[gnu::always_inline]] inline double inverse_root(double v) noexcept {
  double y = std::bit_cast<double>(0x5fe6eb50c7b537a9ULL - (std::bit_cast<std::uint64_t>(v) >> 1));
  double h = 1.0 - (v * y) * y;
  y += y * (h * (0.5 + h * (0.375 + h * 0.3125)));
  h = 1.0 - (v * y) * y;
  y += y * (h * (0.5 + h * (0.375 + h * 0.3125)));
  return y;
}

/// Starts to bring a line into the cache; never faults.
inline void prefetch([[maybe_unused]] const double* place) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(place);
#endif
}

}  // namespace geotherm::detail
