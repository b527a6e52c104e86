// An epoch: the points are sorted into the grid's buckets (CUB), then eight threads a point take the
// eights of points around it and its edges, a lane each, as the CPU does; lanes are added in order.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "core/cuda.cuh"
#include "refine/device_descent.hpp"
#include "refine/objective.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 256;
constexpr int lanes = static_cast<int>(refine_lanes);
constexpr int most_dimensions = 3, most_rows = 9;
constexpr unsigned most_groups = static_cast<unsigned>(refine_most_groups);
constexpr std::size_t buckets_for_a_point = 4, fewest_buckets = 1024;
/// More than a few are never needed until rows keep apart.
constexpr std::size_t spare_buckets = 4096;

/// As RefineGrid has it; rows are taken mod the number of buckets.
struct Grid {
  unsigned lowest[most_dimensions], highest[most_dimensions];  // as in_order has them
  float low[most_dimensions];
  unsigned long long stride[most_dimensions];
  unsigned n_buckets;
  unsigned back;
  unsigned rows[most_rows];
};

/// What goes from epoch to epoch.
struct Progress {
  double near, moved;
  unsigned longest;  // of this epoch's moves, as bits
};

/// Whole numbers in the order of the floats.
__device__ inline unsigned in_order(float x) {
  const unsigned bits = __float_as_uint(x);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
}
__device__ inline float from_order(unsigned x) {
  return __uint_as_float(x >> 31 != 0 ? x & 0x7fffffffU : ~x);
}

__global__ void start_kernel(Grid* grid, Progress* progress) {
  for (int k = 0; k < most_dimensions; ++k) {
    grid->lowest[k] = ~0U;
    grid->highest[k] = 0;
  }
  progress->longest = 0;
}

template <int K>
__global__ void __launch_bounds__(threads) bounds_kernel(const float* places, int n, Grid* grid) {
  unsigned low[K], high[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    low[k] = ~0U;
    high[k] = 0;
  }
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const unsigned x = in_order(places[static_cast<std::size_t>(i) * K + k]);
      low[k] = min(low[k], x);
      high[k] = max(high[k], x);
    }
  }
#pragma unroll
  for (int k = 0; k < K; ++k) {
    low[k] = __reduce_min_sync(~0U, low[k]);
    high[k] = __reduce_max_sync(~0U, high[k]);
    if (threadIdx.x % 32 == 0) {
      atomicMin(&grid->lowest[k], low[k]);
      atomicMax(&grid->highest[k], high[k]);
    }
  }
}

template <int K>
__global__ void grid_kernel(Grid* grid, unsigned long long most_buckets) {
  unsigned long long cells[K], stride[K];
  for (int k = 0; k < K; ++k) {
    const float low = from_order(grid->lowest[k]), high = from_order(grid->highest[k]);
    grid->low[k] = low;
    cells[k] = static_cast<unsigned long long>((high - low) / refine_reach) + 3;
  }
  stride[K - 1] = 1;
  for (int k = K - 1; k-- > 0;) stride[k] = stride[k + 1] * cells[k + 1];
  const unsigned long long n_cells = stride[0] * cells[0];
  constexpr int n_rows = K == 1 ? 1 : K == 2 ? 3 : 9;
  unsigned long long rows[n_rows] = {};
  for (int r = 0; r < n_rows; ++r) {
    if (K == 2) rows[r] = r * stride[0];
    if (K == 3) rows[r] = r / 3 * stride[0] + r % 3 * stride[K - 2];
  }
  const auto keep_apart = [&](unsigned long long n_buckets) {
    for (int a = 0; a < n_rows; ++a) {
      for (int b = 0; b < a; ++b) {
        const unsigned long long apart = (rows[a] - rows[b]) % n_buckets;
        if (apart < 3 || apart > n_buckets - 3) return false;
      }
    }
    return true;
  };
  unsigned long long n_buckets = min(most_buckets, n_cells);
  while (n_cells > n_buckets && n_buckets < most_buckets + spare_buckets &&
         !keep_apart(n_buckets)) {
    ++n_buckets;
  }
  for (int k = 0; k < K; ++k) grid->stride[k] = stride[k];
  grid->n_buckets = static_cast<unsigned>(n_buckets);
  for (int r = 0; r < n_rows; ++r) grid->rows[r] = static_cast<unsigned>(rows[r] % n_buckets);
  const unsigned long long middle = n_rows == 1 ? 0 : rows[n_rows / 2];
  grid->back = static_cast<unsigned>((middle + 1) % n_buckets);
}

template <int K>
__global__ void __launch_bounds__(threads)
    bucket_kernel(const float* places, int n, const Grid* grid, unsigned* buckets, int* points,
                  unsigned* counts) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  unsigned long long cell = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const float at = places[static_cast<std::size_t>(i) * K + k];
    const auto along = static_cast<unsigned long long>((at - grid->low[k]) / refine_reach);
    cell += (along + 1) * grid->stride[k];
  }
  const unsigned n_buckets = grid->n_buckets;
  const auto bucket = static_cast<unsigned>(cell < n_buckets ? cell : cell % n_buckets);
  buckets[i] = bucket;
  points[i] = i;
  atomicAdd(counts + bucket, 1U);
}

template <int K>
struct Place {
  float at[K];
};

template <int K>
__device__ inline Place<K> coordinates_of(const float* places, unsigned i) {
  Place<K> p;
  if constexpr (K == 2) {
    const float2 both = __ldg(reinterpret_cast<const float2*>(places) + i);
    p.at[0] = both.x;
    p.at[1] = both.y;
  } else {
#pragma unroll
    for (int k = 0; k < K; ++k) p.at[k] = __ldg(places + static_cast<std::size_t>(i) * K + k);
  }
  return p;
}

template <int K>
__global__ void __launch_bounds__(threads)
    gather_kernel(const float* places, int n, const int* order, float* sorted) {
  const int r = blockIdx.x * threads + threadIdx.x;
  if (r >= n) return;
  const Place<K> p = coordinates_of<K>(places, static_cast<unsigned>(order[r]));
#pragma unroll
  for (int k = 0; k < K; ++k) sorted[static_cast<std::size_t>(r) * K + k] = p.at[k];
}

struct Epoch {
  const unsigned* offsets;
  const int* to;
  const float* weights;
  const float* places;  // point by point
  float* next;
  const float* sorted;  // by rank
  const int* order;
  const unsigned* buckets;  // by rank
  const unsigned* begin;    // of each bucket
  const Grid* grid;
  Progress* progress;
  double* parts;  // sums of nearness, a block each
  int n;
  float attraction;
  unsigned draw;
  bool moves;  // else the nearness alone is wanted
};

template <int K>
struct Force {
  float push[K] = {}, stiffness = 0, near = 0;
};

/// gap <- here - there; its square.
template <int K>
__device__ inline float square_of(const Place<K>& here, const Place<K>& there, float (&gap)[K]) {
  float square = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    gap[k] = here.at[k] - there.at[k];
    square = fmaf(gap[k], gap[k], square);
  }
  return square;
}

/// As refine_draw, which is the host's.
__device__ inline unsigned drawn(unsigned of_epoch, unsigned point, unsigned begin) {
  unsigned x = of_epoch + point * 0x85ebca6bU + begin * 0xc2b2ae35U;
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

/// This lane's share of the points of some ranks.
template <int K>
__device__ inline void push_from(const Epoch& s, const Place<K>& here, unsigned rank, unsigned own,
                                 unsigned begin, unsigned end, unsigned lane, Force<K>& force) {
  const unsigned count = (end - begin + lanes - 1) / lanes;
  const unsigned spacing = (count + most_groups - 1) / most_groups;
  unsigned group = 0;
  if (spacing > 1) group = drawn(s.draw, own, begin) % spacing;
  const auto weight = static_cast<float>(spacing);
  const unsigned step = spacing * lanes;
#pragma unroll 4
  for (unsigned r = begin + group * lanes + lane; r < end; r += step) {
    float gap[K];
    const float square = square_of<K>(here, coordinates_of<K>(s.sorted, r), gap);
    const bool counts = r != rank && square < refine_reach * refine_reach;
    const float q = counts ? __fdividef(1.0F, 1 + square) : 0.0F;
    const float factor = weight * (q * q);
    force.near += weight * q;
    force.stiffness += factor;
#pragma unroll
    for (int k = 0; k < K; ++k) force.push[k] = fmaf(factor, gap[k], force.push[k]);
  }
}

/// Over the lanes of a point, in their order.
__device__ inline float sum_of_lanes(float x) {
  float sum = 0;
#pragma unroll
  for (int l = 0; l < lanes; ++l) sum += __shfl_sync(~0U, x, l, lanes);
  return sum;
}

template <int K>
__global__ void __launch_bounds__(threads) epoch_kernel(Epoch s) {
  __shared__ float nears[threads / lanes];
  const unsigned lane = threadIdx.x % lanes;
  const unsigned rank_asked = (blockIdx.x * static_cast<unsigned>(threads) + threadIdx.x) / lanes;
  const bool is_there = rank_asked < static_cast<unsigned>(s.n);
  const unsigned rank = is_there ? rank_asked : s.n - 1;  // all lanes take part in the sums
  const auto own = static_cast<unsigned>(s.order[rank]);
  const Place<K> here = coordinates_of<K>(s.sorted, rank);
  Force<K> force;
  {
    const unsigned n_buckets = s.grid->n_buckets;
    const unsigned bucket = s.buckets[rank], back = s.grid->back;
    const unsigned first = bucket >= back ? bucket - back : bucket + n_buckets - back;
    constexpr int n_rows = K == 1 ? 1 : K == 2 ? 3 : 9;
    for (int row = 0; row < n_rows; ++row) {
      unsigned at = first + s.grid->rows[row];
      if (at >= n_buckets) at -= n_buckets;
      const unsigned past = at + 3;
      push_from<K>(s, here, rank, own, s.begin[at], s.begin[min(past, n_buckets)], lane, force);
      if (past > n_buckets) {
        push_from<K>(s, here, rank, own, 0, s.begin[past - n_buckets], lane, force);
      }
    }
  }
  const float near = sum_of_lanes(force.near);
  float longest = 0;
  if (s.moves) {
    float pull[K] = {}, pull_stiffness = 0;
    for (unsigned e = s.offsets[own] + lane; e < s.offsets[own + 1]; e += lanes) {
      float gap[K];
      const float square = square_of<K>(here, coordinates_of<K>(s.places, __ldg(s.to + e)), gap);
      const float p =
          __fdividef(__ldg(s.weights + e) * square, (1 + square) * (square + refine_core));
      pull_stiffness += p;
#pragma unroll
      for (int k = 0; k < K; ++k) pull[k] = fmaf(p, gap[k], pull[k]);
    }
    const auto strength = static_cast<float>(1 / fmax(s.progress->near, refine_least_near));
    const float stiffness =
        s.attraction * sum_of_lanes(pull_stiffness) + strength * sum_of_lanes(force.stiffness);
    const float share = stiffness > 0 ? refine_share / stiffness : 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const float move =
          share * (strength * sum_of_lanes(force.push[k]) - s.attraction * sum_of_lanes(pull[k]));
      if (is_there && lane == 0) s.next[static_cast<std::size_t>(own) * K + k] = here.at[k] + move;
      longest = fmaxf(longest, fabsf(move));
    }
  }
  if (lane == 0) nears[threadIdx.x / lanes] = is_there ? near : 0;
  const unsigned most = __reduce_max_sync(~0U, __float_as_uint(longest));
  if (s.moves && threadIdx.x % 32 == 0) atomicMax(&s.progress->longest, most);
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = 0;
    for (const float x : nears) sum += static_cast<double>(x);
    s.parts[blockIdx.x] = sum;
  }
}

__global__ void __launch_bounds__(threads)
    finish_kernel(const double* parts, unsigned n_parts, int n, bool moves, Progress* progress) {
  __shared__ double sums[threads];
  double sum = 0;
  for (unsigned p = threadIdx.x; p < n_parts; p += threads) sum += parts[p];
  sums[threadIdx.x] = sum;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x != 0) return;
  progress->near = fmax(sums[0] / n, refine_least_near);
  if (moves) progress->moved += static_cast<double>(__uint_as_float(progress->longest));
}

}  // namespace

struct DeviceDescent::State {
  Device& device;
  std::size_t n, dimensions, most_buckets, n_blocks;
  std::uint64_t stream;
  bool knows_near;
  int bits = 1;  // of a bucket
  Buffer<unsigned> offsets;
  Buffer<int> to;
  Buffer<float> weights, places, next, sorted;
  Buffer<unsigned> bucket, sorted_bucket, begin;
  Buffer<int> point, order;
  Buffer<Grid> grid;
  Buffer<Progress> progress;
  Buffer<double> parts;
  Buffer<char> scratch;

  State(Device& d, const Arrays& a)
      : device(d),
        n(a.n),
        dimensions(a.dimensions),
        most_buckets(std::max(buckets_for_a_point * a.n, fewest_buckets)),
        n_blocks(blocks_for(a.n, threads / lanes)),
        stream(a.stream),
        knows_near(a.near != 0),
        to(d, a.to.data(), a.to.size()),
        weights(d, a.weights.data(), a.weights.size()),
        next(d, a.places.size()),
        sorted(d, a.places.size()),
        bucket(d, a.n),
        sorted_bucket(d, a.n),
        begin(d, most_buckets + spare_buckets + 1),
        point(d, a.n),
        order(d, a.n),
        grid(d, 1),
        parts(d, n_blocks) {
    const std::vector<unsigned> first(a.offsets.begin(), a.offsets.end());
    offsets = Buffer<unsigned>(d, first.data(), first.size());
    std::vector<float> by_point(a.places.size());
    for (std::size_t k = 0; k < dimensions; ++k) {
      for (std::size_t i = 0; i < n; ++i) by_point[i * dimensions + k] = a.places[k * n + i];
    }
    places = Buffer<float>(d, by_point.data(), by_point.size());
    const Progress now{a.near, a.moved, 0};
    progress = Buffer<Progress>(d, &now, 1);
    while ((most_buckets + spare_buckets) >> bits != 0) ++bits;
    std::size_t for_sorting = 0, for_sums = 0;
    check_cuda(sort(nullptr, for_sorting), "sort");
    check_cuda(sum_up(nullptr, for_sums), "sums");
    scratch = Buffer<char>(d, std::max(for_sorting, for_sums));
    d.wait();
  }

  cudaError_t sort(void* room, std::size_t& size) {
    return cub::DeviceRadixSort::SortPairs(room, size, bucket.data(), sorted_bucket.data(),
                                           point.data(), order.data(), static_cast<int>(n), 0,
                                           bits, device.stream());
  }
  cudaError_t sum_up(void* room, std::size_t& size) {
    return cub::DeviceScan::ExclusiveSum(room, size, begin.data(), begin.data(),
                                         static_cast<int>(begin.size()), device.stream());
  }

  template <int K>
  void advance(float attraction, std::size_t number) {
    const cudaStream_t queue = device.stream();
    const auto count = static_cast<int>(n);
    const unsigned blocks = blocks_for(n, threads);
    start_kernel<<<1, 1, 0, queue>>>(grid.data(), progress.data());
    bounds_kernel<K><<<std::min(blocks, 1024U), threads, 0, queue>>>(places.data(), count,
                                                                     grid.data());
    grid_kernel<K><<<1, 1, 0, queue>>>(grid.data(), most_buckets);
    begin.clear();
    bucket_kernel<K><<<blocks, threads, 0, queue>>>(places.data(), count, grid.data(),
                                                    bucket.data(), point.data(), begin.data());
    std::size_t size = scratch.size();
    check_cuda(sum_up(scratch.data(), size), "sums");
    size = scratch.size();
    check_cuda(sort(scratch.data(), size), "sort");
    gather_kernel<K><<<blocks, threads, 0, queue>>>(places.data(), count, order.data(),
                                                    sorted.data());
    Epoch epoch{offsets.data(), to.data(),     weights.data(),       places.data(),
                next.data(),    sorted.data(), order.data(),         sorted_bucket.data(),
                begin.data(),   grid.data(),   progress.data(),      parts.data(),
                count,          attraction,    refine_draw_of_epoch(stream, number),
                false};
    for (const bool moves : {false, true}) {
      if (!moves && knows_near) continue;
      epoch.moves = moves;
      epoch_kernel<K><<<static_cast<unsigned>(n_blocks), threads, 0, queue>>>(epoch);
      finish_kernel<<<1, threads, 0, queue>>>(parts.data(), static_cast<unsigned>(n_blocks), count,
                                              moves, progress.data());
    }
    check_launch("refinement");
    knows_near = true;
    places.swap(next);
  }
};

DeviceDescent::DeviceDescent(Device& device, const Arrays& arrays)
    : state_(std::make_unique<State>(device, arrays)) {}

DeviceDescent::~DeviceDescent() = default;

void DeviceDescent::advance(float attraction, std::size_t epoch) {
  switch (state_->dimensions) {
    case 1:
      return state_->advance<1>(attraction, epoch);
    case 2:
      return state_->advance<2>(attraction, epoch);
    default:
      return state_->advance<3>(attraction, epoch);
  }
}

void DeviceDescent::get(std::span<float> places, double& near, double& moved) const {
  get_places(places);
  Progress now;
  state_->progress.get(&now, 1);
  near = now.near;
  moved = now.moved;
}

void DeviceDescent::get_places(std::span<float> places) const {
  const State& s = *state_;
  std::vector<float> by_point(places.size());
  s.places.get(by_point.data(), by_point.size());
  for (std::size_t k = 0; k < s.dimensions; ++k) {
    for (std::size_t i = 0; i < s.n; ++i) places[k * s.n + i] = by_point[i * s.dimensions + k];
  }
}

double DeviceDescent::moved() const {
  Progress now;
  state_->progress.get(&now, 1);
  return now.moved;
}

}  // namespace geotherm::detail
