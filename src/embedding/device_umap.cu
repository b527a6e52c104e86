// An epoch of UMAP: a warp takes a block of points in the CPU's order, its places in shared memory.
// Lanes look through the edges of a point for those that are due, and share what pushes it away.
#include <vector>

#include "core/cuda.cuh"
#include "embedding/device_umap.hpp"

namespace geotherm::detail {
namespace {

constexpr int warp = 32;
constexpr int lanes = 8;               // as the CPU: points pushed from at once
constexpr float largest_move = 4;      // as umap_descent.cpp
constexpr float least_square = 1.1920929e-7F;

__device__ inline float clamped(float x) { return fminf(fmaxf(x, -largest_move), largest_move); }

/// As Rng(seed, purpose, index); the same state in every lane.
struct Draws {
  unsigned long long state[4];

  __device__ Draws(unsigned long long base, unsigned long long index) {
    unsigned long long mix = base ^ index;
    for (unsigned long long& word : state) {
      mix += 0x9e3779b97f4a7c15ULL;
      unsigned long long z = mix;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      word = z ^ (z >> 31);
    }
  }
  __device__ static unsigned long long turned(unsigned long long x, int by) {
    return x << by | x >> (64 - by);
  }
  __device__ unsigned long long next() {
    const unsigned long long result = turned(state[0] + state[3], 23) + state[0];
    const unsigned long long t = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = turned(state[3], 45);
    return result;
  }
};

/// x^p, right to about 1e-6, for normal positive x.
__device__ inline float power(float x, float p) { return exp2f(p * log2f(x)); }

struct Epoch {
  const unsigned* block_ends;
  const unsigned* offsets;
  const int* to;
  const float* periods;
  float* next;
  float* next_negative;
  const float* seen;
  float* live;
  unsigned n;
  float a, b, negative_rate, epoch, step;
  unsigned long long stream, first_stream;
};

template <int K>
struct Place {
  float at[K];
};

template <int K>
__device__ inline Place<K> coordinates_of(const float* places, unsigned i) {
  Place<K> p;
  if constexpr (K == 2) {
    const float2 both = reinterpret_cast<const float2*>(places)[i];
    p.at[0] = both.x;
    p.at[1] = both.y;
  } else {
#pragma unroll
    for (int k = 0; k < K; ++k) p.at[k] = places[static_cast<std::size_t>(i) * K + k];
  }
  return p;
}

/// Moves `own` away from `count` points drawn, of which each of eight lanes takes one at a time.
template <int K>
__device__ inline void push_away(const Epoch& s, unsigned i, unsigned count, Draws& draws,
                                 Place<K>& own) {
  const unsigned lane = threadIdx.x % warp;
  for (unsigned drawn = 0; drawn < count;) {
    unsigned n_found = 0, other = i;
    while (n_found < lanes && drawn < count) {
      const unsigned long long bits = draws.next();
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if (n_found == lanes || drawn == count) break;
        const unsigned long long part = half == 0 ? bits >> 32 : bits & 0xffffffffULL;
        const auto found = static_cast<unsigned>(part * s.n >> 32);
        ++drawn;
        if (found == i) continue;
        if (lane == n_found) other = found;
        ++n_found;
      }
    }
    const Place<K> there = coordinates_of<K>(s.seen, other);
    float gap[K], square = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      gap[k] = own.at[k] - there.at[k];
      square += gap[k] * gap[k];
    }
    square = fmaxf(square, least_square);
    float coefficient = 2 * s.b / ((0.001F + square) * (s.a * power(square, s.b) + 1));
    if (lane >= n_found) coefficient = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const float move = clamped(coefficient * gap[k]);
      float sum = 0;
#pragma unroll
      for (int l = 0; l < lanes; ++l) sum += __shfl_sync(~0U, move, l);
      own.at[k] += s.step * sum;
    }
  }
}

/// One visit of the edge to `other`: of a pair within the block both ends move, else `own` alone,
/// for the visit from the other side too.
template <int K>
__device__ inline void attract(const Epoch& s, unsigned other, unsigned begin, unsigned end,
                               float* places, Place<K>& own) {
  const bool is_within = other >= begin && other < end;
  const Place<K> there =
      is_within ? coordinates_of<K>(places, other - begin) : coordinates_of<K>(s.seen, other);
  float gap[K], square = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    gap[k] = own.at[k] - there.at[k];
    square += gap[k] * gap[k];
  }
  square = fmaxf(square, least_square);
  const float p = power(square, s.b);
  const float coefficient = -2 * s.a * s.b * p / (square * (s.a * p + 1));
  __syncwarp();
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const float move = s.step * clamped(coefficient * gap[k]);
    own.at[k] += is_within ? move : 2 * move;
    if (is_within && threadIdx.x % warp == 0) places[(other - begin) * K + k] = there.at[k] - move;
  }
  __syncwarp();
}

template <int K>
__global__ void __launch_bounds__(warp) epoch_kernel(Epoch s) {
  __shared__ alignas(16) float places[DeviceUmap::most_in_block * K];
  const unsigned lane = threadIdx.x;
  const unsigned begin = blockIdx.x == 0 ? 0 : s.block_ends[blockIdx.x - 1];
  const unsigned end = s.block_ends[blockIdx.x];
  const std::size_t from = static_cast<std::size_t>(begin) * K;
  for (unsigned c = lane; c < (end - begin) * K; c += warp) places[c] = s.seen[from + c];
  __syncwarp();
  Draws draws(s.stream, s.first_stream + blockIdx.x);
  for (unsigned i = begin; i < end; ++i) {
    Place<K> own = coordinates_of<K>(places, i - begin);
    const unsigned last = s.offsets[i + 1];
    for (unsigned e = s.offsets[i]; e < last; e += warp) {
      const unsigned edge = e + lane;
      float next = 0, next_negative = 0, period = 1;
      unsigned other = i;
      bool is_due = false;
      if (edge < last) {
        next = s.next[edge];
        is_due = next <= s.epoch;
      }
      unsigned due = __ballot_sync(~0U, is_due);
      if (due == 0) continue;
      unsigned n_negative = 0;
      if (is_due) {
        other = static_cast<unsigned>(s.to[edge]);
        period = s.periods[edge];
        next_negative = s.next_negative[edge];
        const float each = period / s.negative_rate;
        n_negative = static_cast<unsigned>(fmaxf(0.0F, (s.epoch - next_negative) / each));
        s.next[edge] = next + period;
        // As two roundings, like the CPU's: a product that is not rounded would shift the schedule.
        s.next_negative[edge] =
            __fadd_rn(next_negative, __fmul_rn(static_cast<float>(n_negative), each));
      }
      for (; due != 0; due &= due - 1) {
        const int from_lane = __ffs(static_cast<int>(due)) - 1;
        const unsigned to = __shfl_sync(~0U, other, from_lane);
        const unsigned count = __shfl_sync(~0U, n_negative, from_lane);
        attract<K>(s, to, begin, end, places, own);
        push_away<K>(s, i, count, draws, own);
      }
    }
    if (lane < K) {
      float mine = own.at[0];
#pragma unroll
      for (int k = 1; k < K; ++k) mine = lane == k ? own.at[k] : mine;
      places[(i - begin) * K + lane] = mine;
    }
    __syncwarp();
  }
  for (unsigned c = lane; c < (end - begin) * K; c += warp) s.live[from + c] = places[c];
}

std::vector<unsigned> narrow(std::span<const std::size_t> values) {
  return {values.begin(), values.end()};
}

}  // namespace

struct DeviceUmap::State {
  Device& device;
  std::size_t n, dimensions, n_blocks;
  float a, b, negative_rate;
  Buffer<unsigned> block_ends, offsets;
  Buffer<int> to;
  Buffer<float> periods, next, next_negative, seen, live;

  State(Device& d, const Arrays& arrays)
      : device(d),
        n(arrays.n),
        dimensions(arrays.dimensions),
        n_blocks(arrays.block_ends.size()),
        a(arrays.a),
        b(arrays.b),
        negative_rate(arrays.negative_rate),
        to(d, arrays.to.data(), arrays.to.size()),
        periods(d, arrays.periods.data(), arrays.periods.size()),
        next(d, arrays.next.data(), arrays.next.size()),
        next_negative(d, arrays.next_negative.data(), arrays.next_negative.size()),
        seen(d, arrays.places.data(), arrays.places.size()),
        live(d, arrays.places.size()) {
    const std::vector<unsigned> ends = narrow(arrays.block_ends), first = narrow(arrays.offsets);
    block_ends = Buffer<unsigned>(d, ends.data(), ends.size());
    offsets = Buffer<unsigned>(d, first.data(), first.size());
    d.wait();
  }

  template <int K>
  void advance(float epoch, float step, std::uint64_t stream, std::uint64_t first_stream) {
    epoch_kernel<K><<<static_cast<unsigned>(n_blocks), warp, 0, device.stream()>>>(
        {block_ends.data(), offsets.data(), to.data(), periods.data(), next.data(),
         next_negative.data(), seen.data(), live.data(), static_cast<unsigned>(n), a, b,
         negative_rate, epoch, step, stream, first_stream});
    check_launch("UMAP");
    seen.swap(live);
  }
};

DeviceUmap::DeviceUmap(Device& device, const Arrays& arrays)
    : state_(std::make_unique<State>(device, arrays)) {}

DeviceUmap::~DeviceUmap() = default;

void DeviceUmap::advance(float epoch, float step, std::uint64_t stream,
                         std::uint64_t first_stream) {
  switch (state_->dimensions) {
    case 1:
      return state_->advance<1>(epoch, step, stream, first_stream);
    case 2:
      return state_->advance<2>(epoch, step, stream, first_stream);
    default:
      return state_->advance<3>(epoch, step, stream, first_stream);
  }
}

void DeviceUmap::get(std::span<float> next, std::span<float> next_negative) const {
  state_->next.get(next.data(), next.size());
  state_->next_negative.get(next_negative.data(), next_negative.size());
}

void DeviceUmap::get_places(std::span<float> places) const {
  state_->seen.get(places.data(), places.size());
}

}  // namespace geotherm::detail
