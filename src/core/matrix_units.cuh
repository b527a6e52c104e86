// Products of small matrices in double by the units that a multiprocessor has for them.
#pragma once

namespace geotherm::detail {

/// c (16 x 8) += a (16 x 4) b (4 x 8) by a warp. Lane l has a's entries (l / 4, l % 4) and
/// (l / 4 + 8, l % 4), b's (l % 4, l / 4), and c's (l / 4, 2 (l % 4)), the one beside it and those 8
/// rows below.
__device__ inline void multiply_add(double (&c)[4], double a0, double a1, double b) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a0), "d"(a1), "d"(b));
#else
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a0), "d"(b));
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
      : "+d"(c[2]), "+d"(c[3])
      : "d"(a1), "d"(b));
#endif
}

}  // namespace geotherm::detail
