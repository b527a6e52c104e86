// Kernels of the heat series on panels of 64 columns: a step of the recurrence, sums, growth, and
// transposed output. A row of a panel is four cache lines, so that a gathered row is read completely and
// an entry of the matrix serves many columns. Product, recurrence and sum are one pass; data that is not
// gathered bypasses the caches.
#pragma once

#include <cstddef>

#include "core/cuda.cuh"
#include "heat/device_series.hpp"

namespace geotherm::detail {
namespace {

constexpr int panel = 64;  // columns
constexpr int lanes = 16;  // threads a row
constexpr int pairs = panel / (2 * lanes);  // of columns a thread, 2 * lanes columns apart
constexpr int unrolled = 4;                 // entries of a row under way at once
constexpr int threads = 256;
constexpr int step_threads = 512;
constexpr int rows_at_once = step_threads / lanes;
constexpr std::size_t group_size = 64;  // points: two groups and their neighbours fill the cache
/// Entries below this share of a column's largest are not resolved, as on the CPU.
constexpr double least_share = 1e-290;

struct Entry {
  double value;
  int column;
  int unused;
};

struct Step {
  const unsigned* offsets;
  const Entry* entries;
  const int* order;  // rows, group by group
  const double* x;
  double* y;
  double* sum;
  std::size_t stride;  // doubles between panels
  int n;
  int begin, end;  // rows that may differ from 0
  int rows_a_block;
  double factor;       // y <- factor A x (- y)
  double coefficient;  // sum += coefficient y
};

struct Row {
  double2 pair[pairs];

  __device__ void add(double value, const Row& other) {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      pair[p].x = fma(value, other.pair[p].x, pair[p].x);
      pair[p].y = fma(value, other.pair[p].y, pair[p].y);
    }
  }
};

__device__ inline Row gathered(const double* place) {
  Row row;
#pragma unroll
  for (int p = 0; p < pairs; ++p) {
    row.pair[p] = __ldg(reinterpret_cast<const double2*>(place + p * 2 * lanes));
  }
  return row;
}

template <bool recurs>
__global__ void __launch_bounds__(step_threads, 2) step_kernel(Step s) {
  const int lane = threadIdx.x % lanes;
  const std::size_t shift = blockIdx.y * s.stride + 2 * lane;
  const double* x = s.x + shift;
  const int first = static_cast<int>(blockIdx.x) * s.rows_a_block;
  const int last = min(s.n, first + s.rows_a_block);
  for (int r = first + static_cast<int>(threadIdx.x) / lanes; r < last; r += rows_at_once) {
    const int i = s.order[r];
    if (i < s.begin || i >= s.end) continue;
    const unsigned stop = s.offsets[i + 1];
    unsigned k = s.offsets[i];
    Row total = {};
    for (; k + unrolled <= stop; k += unrolled) {
      double value[unrolled];
      Row row[unrolled];
#pragma unroll
      for (int u = 0; u < unrolled; ++u) {
        const int4 raw = __ldg(reinterpret_cast<const int4*>(s.entries + k + u));
        value[u] = __hiloint2double(raw.y, raw.x);
        row[u] = gathered(x + static_cast<std::size_t>(raw.z) * panel);
      }
#pragma unroll
      for (int u = 0; u < unrolled; ++u) total.add(value[u], row[u]);
    }
    for (; k < stop; ++k) {
      const int4 raw = __ldg(reinterpret_cast<const int4*>(s.entries + k));
      total.add(__hiloint2double(raw.y, raw.x),
                gathered(x + static_cast<std::size_t>(raw.z) * panel));
    }
    const std::size_t place = shift + static_cast<std::size_t>(i) * panel;
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      double2* const y = reinterpret_cast<double2*>(s.y + place + p * 2 * lanes);
      double2* const sum = reinterpret_cast<double2*>(s.sum + place + p * 2 * lanes);
      double2 value = total.pair[p];
      value.x *= s.factor;
      value.y *= s.factor;
      if constexpr (recurs) {
        const double2 old = __ldcs(y);
        value.x -= old.x;
        value.y -= old.y;
      }
      __stcs(y, value);
      if (s.coefficient != 0) {
        double2 all = __ldcs(sum);
        all.x = fma(s.coefficient, value.x, all.x);
        all.y = fma(s.coefficient, value.y, all.y);
        __stcs(sum, all);
      }
    }
  }
}

__global__ void put_units(const int* positions, int count, std::size_t stride, double value,
                          double* x, double weight, double* sum) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= count) return;
  const std::size_t place =
      (c / panel) * stride + static_cast<std::size_t>(positions[c]) * panel + c % panel;
  x[place] = value;
  sum[place] = weight * value;
}

__global__ void axpy(std::size_t n, double a, const double* x, double* sum) {
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (k < n) sum[k] = fma(a, x[k], sum[k]);
}

/// The largest growth over all entries of rows [begin, end): (y + z) / (x + y), (y + z) / sum. A
/// maximum is the same in any order, so atomics on the bits of non-negative numbers serve.
__global__ void growth_kernel(const double* x, const double* y, const double* z, const double* sum,
                              std::size_t stride, int begin, int end, unsigned long long* most) {
  constexpr double tiny = 2.2250738585072014e-308;
  const std::size_t shift = blockIdx.y * stride;
  const std::size_t first = shift + static_cast<std::size_t>(begin) * panel;
  const std::size_t last = shift + static_cast<std::size_t>(end) * panel;
  double step = 0, against = 0;
  for (std::size_t k = first + blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
       k < last; k += static_cast<std::size_t>(gridDim.x) * blockDim.x) {
    const double next = y[k] + z[k];
    step = fmax(step, next / fmax(x[k] + y[k], tiny));
    against = fmax(against, next / fmax(sum[k], tiny));
  }
  for (int o = 16; o > 0; o /= 2) {
    step = fmax(step, __shfl_down_sync(~0U, step, o));
    against = fmax(against, __shfl_down_sync(~0U, against, o));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(most, static_cast<unsigned long long>(__double_as_longlong(step)));
    atomicMax(most + 1, static_cast<unsigned long long>(__double_as_longlong(against)));
  }
}

__global__ void own_kernel(const double* sum, const int* positions, int count, std::size_t stride,
                           double* own) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= count) return;
  own[c] = sum[(c / panel) * stride + static_cast<std::size_t>(positions[c]) * panel + c % panel];
}

/// A tile of 64 rows and a panel of columns, turned over on its way out.
__global__ void __launch_bounds__(threads)
    log_kernel(const double* sum, std::size_t stride, int n, int first, int count, LogRule rule,
               float* to, std::size_t pitch, const double* own) {
  constexpr int tile = 64;
  __shared__ float turned[panel][tile + 1];
  const int row = blockIdx.x * tile;
  const int column = blockIdx.y * panel;
  for (int k = threadIdx.x; k < tile * panel; k += threads) {
    const int i = k / panel, c = k % panel;
    float value = 0;
    if (row + i < n && column + c < count) {
      double heat = sum[blockIdx.y * stride + static_cast<std::size_t>(row + i) * panel + c];
      if (!(heat <= 1.7976931348623157e308)) heat = 0;
      bool is_resolved = heat > rule.least && heat >= least_share;
      if (rule.floor > 0) {
        heat = fmax(heat, rule.floor);
        is_resolved = true;
      }
      value = is_resolved ? static_cast<float>(log(heat / own[first + column + c]))
                          : -__int_as_float(0x7f800000);
    }
    turned[c][i] = value;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < tile * panel; k += threads) {
    const int c = k / tile, i = k % tile;
    if (row + i < n && column + c < count) {
      to[static_cast<std::size_t>(first + column + c) * pitch + row + i] = turned[c][i];
    }
  }
}

/// The same without a logarithm, in double.
__global__ void __launch_bounds__(threads)
    column_kernel(const double* sum, std::size_t stride, int n, int first, int count, double* to) {
  constexpr int tile = 64;
  __shared__ double turned[panel][tile + 1];
  const int row = blockIdx.x * tile;
  const int column = blockIdx.y * panel;
  for (int k = threadIdx.x; k < tile * panel; k += threads) {
    const int i = k / panel, c = k % panel;
    turned[c][i] = row + i < n && column + c < count
                       ? sum[blockIdx.y * stride + static_cast<std::size_t>(row + i) * panel + c]
                       : 0.0;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < tile * panel; k += threads) {
    const int c = k / tile, i = k % tile;
    if (row + i < n && column + c < count) {
      to[static_cast<std::size_t>(first + column + c) * n + row + i] = turned[c][i];
    }
  }
}

/// Row-major n x count <-> panels.
__global__ void to_panels(const double* block, std::size_t n, int count, std::size_t stride,
                          double* x) {
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (k >= n * count) return;
  const std::size_t i = k / count, c = k % count;
  x[c / panel * stride + i * panel + c % panel] = block[k];
}
__global__ void from_panels(const double* x, std::size_t n, int count, std::size_t stride,
                            double* block) {
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (k >= n * count) return;
  const std::size_t i = k / count, c = k % count;
  block[k] = x[c / panel * stride + i * panel + c % panel];
}
}  // namespace
}  // namespace geotherm::detail
