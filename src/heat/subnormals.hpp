// Numbers below 1e-308 as zeros for the length of a scope: they hold no digits worth having, and
// some processors take a hundred times longer over them.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace geotherm::detail {

/// Kernel entries below this are returned as 0: nearer to the end of double precision the sums
/// lose parts to underflow.
inline constexpr double smallest_resolved = 1e-290;

class FlushSubnormals {
 public:
#if defined(__SSE2__)
  FlushSubnormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040U); }
  ~FlushSubnormals() { _mm_setcsr(saved_); }
#else
  FlushSubnormals() = default;
  ~FlushSubnormals() = default;
#endif
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
#if defined(__SSE2__)
  unsigned saved_;
#endif
};

}  // namespace geotherm::detail
