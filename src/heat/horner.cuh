// One step of Horner's rule, y <- A x + weight e, on panels of 128 columns whose entries are the upper
// halves of doubles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace geotherm::detail {

constexpr int horner_panel = 128;                // columns
constexpr int horner_row = horner_panel * 4 / 16;  // uint4 a row
constexpr int horner_lanes = 16;                 // threads a row
constexpr int horner_parts = horner_row / horner_lanes;  // uint4 a thread
constexpr int horner_threads = 512;
constexpr int horner_unrolled = 4;    // entries of a row under way at once
constexpr int horner_group = 64;      // rows a block of threads

struct HornerEntry {
  double value;
  unsigned place;  // of the row that it reads, in uint4
  unsigned unused;
};

struct HornerStep {
  const unsigned* offsets;
  const HornerEntry* entries;
  const int* order;  // rows, group by group
  const uint4* x;
  uint4* y;
  std::size_t stride;  // uint4 between panels
  int n;
  int begin, end;  // rows that may differ from 0
  int first;       // position of the first column
  double weight;
};

__device__ inline double whole(std::uint32_t half) {
  return __hiloint2double(static_cast<int>(half), 0);
}
/// To the nearest.
__device__ inline std::uint32_t upper_half(double value) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
  return static_cast<std::uint32_t>((bits + 0x80000000ULL) >> 32);
}

template <int group, int unrolled, int blocks>
__global__ void __launch_bounds__(horner_threads, blocks) horner_kernel(HornerStep s) {
  const int lane = threadIdx.x % horner_lanes;
  const std::size_t shift = blockIdx.y * s.stride + lane;
  const uint4* x = s.x + shift;
  const int first = static_cast<int>(blockIdx.x) * group;
  const int last = min(s.n, first + group);
  for (int r = first + static_cast<int>(threadIdx.x) / horner_lanes; r < last;
       r += horner_threads / horner_lanes) {
    const int i = s.order[r];
    if (i < s.begin || i >= s.end) continue;
    double total[horner_parts][4] = {};
    const auto add = [&](double value, const uint4 (&row)[horner_parts]) {
#pragma unroll
      for (int p = 0; p < horner_parts; ++p) {
        total[p][0] = fma(value, whole(row[p].x), total[p][0]);
        total[p][1] = fma(value, whole(row[p].y), total[p][1]);
        total[p][2] = fma(value, whole(row[p].z), total[p][2]);
        total[p][3] = fma(value, whole(row[p].w), total[p][3]);
      }
    };
    const auto gather = [&](unsigned place, uint4 (&row)[horner_parts]) {
#pragma unroll
      for (int p = 0; p < horner_parts; ++p) row[p] = __ldg(x + place + p * horner_lanes);
    };
    const unsigned stop = s.offsets[i + 1];
    unsigned k = s.offsets[i];
    for (; k + unrolled <= stop; k += unrolled) {
      double value[unrolled];
      uint4 row[unrolled][horner_parts];
#pragma unroll
      for (int u = 0; u < unrolled; ++u) {
        const int4 raw = __ldg(reinterpret_cast<const int4*>(s.entries + k + u));
        value[u] = __hiloint2double(raw.y, raw.x);
        gather(static_cast<unsigned>(raw.z), row[u]);
      }
#pragma unroll
      for (int u = 0; u < unrolled; ++u) add(value[u], row[u]);
    }
    for (; k < stop; ++k) {
      const int4 raw = __ldg(reinterpret_cast<const int4*>(s.entries + k));
      uint4 row[horner_parts];
      gather(static_cast<unsigned>(raw.z), row);
      add(__hiloint2double(raw.y, raw.x), row);
    }
    // The column of this panel whose own row this is, if any.
    const int own = i - s.first - static_cast<int>(blockIdx.y) * horner_panel;
#pragma unroll
    for (int p = 0; p < horner_parts; ++p) {
      const int column = 4 * (p * horner_lanes + lane);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (own == column + c) total[p][c] += s.weight;
      }
      const uint4 out = {upper_half(total[p][0]), upper_half(total[p][1]), upper_half(total[p][2]),
                         upper_half(total[p][3])};
      __stcs(s.y + shift + static_cast<std::size_t>(i) * horner_row + p * horner_lanes, out);
    }
  }
}

inline constexpr auto chosen_horner = horner_kernel<horner_group, horner_unrolled, 2>;

/// All of the memory on a multiprocessor as cache: the kernel shares none.
inline void prepare_horner() {
  cudaFuncSetAttribute(chosen_horner, cudaFuncAttributePreferredSharedMemoryCarveout, 0);
}

inline void launch_horner(const HornerStep& step, std::size_t n_panels, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((step.n + horner_group - 1) / horner_group),
                  static_cast<unsigned>(n_panels));
  chosen_horner<<<grid, horner_threads, 0, stream>>>(step);
}

}  // namespace geotherm::detail
