// An iteration of Barnes-Hut t-SNE: the points are sorted along a space-filling curve (CUB), a
// binary radix tree over them (T. Karras, 2012) gets its centres of mass from below, a warp of
// neighbours on the curve walks through it together, and eight threads a point add up its edges.
// Every sum has its order, so that runs have the same bits.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

#include "core/cuda.cuh"
#include "embedding/device_tsne.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 256, warp = 32;
constexpr int lanes = 8;      // threads that share the edges of a point
constexpr int few_points = 16;  // of a node: pairs are taken one by one
/// Depth of the tree: bits of a key, then of an index where keys are equal.
constexpr int deepest = 48 + 32;
constexpr int most_dimensions = 3;

/// Of a coordinate in a key: whole passes of eight bits for the sort.
template <int K>
constexpr int bits_each = K == 1 ? 32 : K == 2 ? 20 : 16;

/// Whole numbers in the order of the floats.
__device__ inline unsigned in_order(float x) {
  const unsigned bits = __float_as_uint(x);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
}
__device__ inline float from_order(unsigned x) {
  return __uint_as_float(x >> 31 != 0 ? x & 0x7fffffffU : ~x);
}

/// What the map has as a whole.
struct Whole {
  unsigned lowest[most_dimensions], highest[most_dimensions];  // as in_order has them
  double mean[most_dimensions];
  double similarity;  // sum over all pairs of 1 / (1 + d^2)
};

template <int K>
struct Place {
  float at[K];
};

template <int K>
__device__ inline Place<K> coordinates_of(const float* places, std::size_t i) {
  Place<K> p;
  if constexpr (K == 2) {
    const float2 both = __ldg(reinterpret_cast<const float2*>(places) + i);
    p.at[0] = both.x;
    p.at[1] = both.y;
  } else {
#pragma unroll
    for (int k = 0; k < K; ++k) p.at[k] = __ldg(places + i * K + k);
  }
  return p;
}

/// A node over the ranks first .. last; its children end and begin at `split`.
struct alignas(16) Node {
  float centre[most_dimensions];
  float square_width;  // of the cell that holds them
  int first, last, split, unused;
};

/// The sums of a block's values, in an order of their own.
template <int N>
__device__ inline void sum_of_block(double (&value)[N], double* parts) {
  __shared__ double sums[threads];
#pragma unroll
  for (int k = 0; k < N; ++k) {
    __syncthreads();
    sums[threadIdx.x] = value[k];
    for (int half = threads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) parts[static_cast<std::size_t>(blockIdx.x) * N + k] = sums[0];
  }
}

/// `to[k]` <- the sum of part k of all blocks, over `unit`.
template <int N>
__global__ void __launch_bounds__(threads)
    finish_kernel(const double* parts, unsigned n_parts, double unit, double* to) {
  double value[N] = {};
  for (unsigned p = threadIdx.x; p < n_parts; p += threads) {
#pragma unroll
    for (int k = 0; k < N; ++k) value[k] += parts[static_cast<std::size_t>(p) * N + k];
  }
  sum_of_block<N>(value, to);
  __syncthreads();
  if (threadIdx.x < N) to[threadIdx.x] /= unit;
}

__global__ void start_kernel(Whole* whole) {
  for (int k = 0; k < most_dimensions; ++k) {
    whole->lowest[k] = ~0U;
    whole->highest[k] = 0;
  }
}

/// The mean goes to the origin; the places in single precision, and how far they reach.
template <int K>
__global__ void __launch_bounds__(threads)
    centre_kernel(double* exact, float* places, int n, Whole* whole) {
  unsigned low[K], high[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    low[k] = ~0U;
    high[k] = 0;
  }
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const std::size_t at = static_cast<std::size_t>(i) * K + k;
      const double moved = exact[at] - whole->mean[k];
      exact[at] = moved;
      const auto narrow = static_cast<float>(moved);
      places[at] = narrow;
      const unsigned x = in_order(narrow);
      low[k] = min(low[k], x);
      high[k] = max(high[k], x);
    }
  }
#pragma unroll
  for (int k = 0; k < K; ++k) {
    low[k] = __reduce_min_sync(~0U, low[k]);
    high[k] = __reduce_max_sync(~0U, high[k]);
    if (threadIdx.x % warp == 0) {
      atomicMin(&whole->lowest[k], low[k]);
      atomicMax(&whole->highest[k], high[k]);
    }
  }
}

/// Side of the cube that the keys divide; 0 where all points coincide.
template <int K>
__device__ inline float side_of(const Whole& whole) {
  float side = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    side = fmaxf(side, from_order(whole.highest[k]) - from_order(whole.lowest[k]));
  }
  return side;
}

template <int K>
__global__ void __launch_bounds__(threads)
    key_kernel(const float* places, int n, const Whole* whole, unsigned long long* keys,
               int* points) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  const float side = side_of<K>(*whole);
  constexpr double cells = static_cast<double>(1ULL << bits_each<K>);
  const double scale = side > 0 ? cells / static_cast<double>(side) : 0;
  unsigned long long cell[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const float at = places[static_cast<std::size_t>(i) * K + k];
    const double along = scale * static_cast<double>(at - from_order(whole->lowest[k]));
    cell[k] = static_cast<unsigned long long>(fmin(along, cells - 1));
  }
  unsigned long long key = 0;
#pragma unroll
  for (int bit = bits_each<K> - 1; bit >= 0; --bit) {
#pragma unroll
    for (int k = 0; k < K; ++k) key = key << 1 | (cell[k] >> bit & 1);
  }
  keys[i] = key;
  points[i] = i;
}

template <int K>
__global__ void __launch_bounds__(threads)
    gather_kernel(const float* places, int n, const int* order, float* sorted) {
  const int r = blockIdx.x * threads + threadIdx.x;
  if (r >= n) return;
  const Place<K> p = coordinates_of<K>(places, static_cast<std::size_t>(order[r]));
#pragma unroll
  for (int k = 0; k < K; ++k) sorted[static_cast<std::size_t>(r) * K + k] = p.at[k];
}

/// Leading bits that two ranks have in common; of equal keys, those of the ranks follow.
__device__ inline int common(const unsigned long long* keys, int n, int i, int j) {
  if (j < 0 || j >= n) return -1;
  const unsigned long long differ = keys[i] ^ keys[j];
  return differ != 0 ? __clzll(static_cast<long long>(differ)) : 64 + __clz(i ^ j);
}

/// Node i begins or ends at rank i (Karras's numbering).
template <int K>
__global__ void __launch_bounds__(threads)
    build_kernel(const unsigned long long* keys, int n, const Whole* whole, Node* nodes,
                 int* parents, unsigned* arrived) {
  const int i = blockIdx.x * threads + threadIdx.x;
  if (i >= n - 1) return;
  const int forward = common(keys, n, i, i + 1), backward = common(keys, n, i, i - 1);
  const int direction = forward > backward ? 1 : -1;
  const int least = min(forward, backward);
  int reach = 2;
  while (common(keys, n, i, i + reach * direction) > least) reach *= 2;
  int length = 0;
  for (int step = reach / 2; step > 0; step /= 2) {
    if (common(keys, n, i, i + (length + step) * direction) > least) length += step;
  }
  const int other = i + length * direction;
  const int shared = common(keys, n, i, other);
  int past = 0;
  for (int step = length; step > 1;) {
    step = (step + 1) / 2;
    if (common(keys, n, i, i + (past + step) * direction) > shared) past += step;
  }
  const int split = i + past * direction + min(direction, 0);
  Node node = {};
  node.first = min(i, other);
  node.last = max(i, other);
  node.split = split;
  constexpr int key_bits = K * bits_each<K>;
  const int levels = min(shared - (64 - key_bits), key_bits) / K;
  const float width = ldexpf(side_of<K>(*whole), -levels);
  node.square_width = width * width;
  nodes[i] = node;
  arrived[i] = 0;
  // Leaves are numbered behind the nodes.
  const int left = node.first == split ? n - 1 + split : split;
  const int right = node.last == split + 1 ? n + split : split + 1;
  parents[left] = i;
  parents[right] = i;
  if (i == 0) parents[0] = -1;
}

template <int K>
__device__ inline Place<K> centre_of(const Node* nodes, const float* sorted, int rank,
                                     bool is_leaf) {
  Place<K> p;
  if (is_leaf) return coordinates_of<K>(sorted, static_cast<std::size_t>(rank));
#pragma unroll
  for (int k = 0; k < K; ++k) p.at[k] = __ldcg(&nodes[rank].centre[k]);
  return p;
}

/// From every leaf upwards; of two that meet the later one goes on, with the same sum either way.
template <int K>
__global__ void __launch_bounds__(threads)
    centres_kernel(const float* sorted, int n, Node* nodes, const int* parents, unsigned* arrived) {
  const int leaf = blockIdx.x * threads + threadIdx.x;
  if (leaf >= n) return;
  for (int at = parents[n - 1 + leaf]; at >= 0; at = parents[at]) {
    __threadfence();
    if (atomicAdd(arrived + at, 1U) == 0) return;
    __threadfence();
    Node& node = nodes[at];
    const int first = node.first, last = node.last, split = node.split;
    const Place<K> left = centre_of<K>(nodes, sorted, split, split == first);
    const Place<K> right = centre_of<K>(nodes, sorted, split + 1, split + 1 == last);
    const float share = static_cast<float>(last - split) / static_cast<float>(last - first + 1);
#pragma unroll
    for (int k = 0; k < K; ++k) {
      __stcg(&node.centre[k], left.at[k] + share * (right.at[k] - left.at[k]));
    }
  }
}

/// Adds what `count` points at `there` push `here` with; the similarity's sum.
template <int K>
__device__ inline void push_from(const Place<K>& here, const Place<K>& there, float count,
                                 float (&push)[K], float& similarity) {
  float gap[K], square = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    gap[k] = here.at[k] - there.at[k];
    square = fmaf(gap[k], gap[k], square);
  }
  const float q = __fdividef(1.0F, 1 + square);
  const float of_all = count * q;
  similarity += of_all;
  const float factor = of_all * q;
#pragma unroll
  for (int k = 0; k < K; ++k) push[k] = fmaf(factor, gap[k], push[k]);
}

/// A cell is taken as one point where it is small for every lane and holds none of the warp's own.
template <int K>
__global__ void __launch_bounds__(threads)
    repel_kernel(const float* sorted, const int* order, int n, const Node* nodes,
                 float square_theta, float* pushes, double* parts) {
  __shared__ int stacks[threads / warp][deepest];
  int* const stack = stacks[threadIdx.x / warp];
  const int rank_asked = blockIdx.x * threads + threadIdx.x;
  const bool is_there = rank_asked < n;
  const int rank = is_there ? rank_asked : n - 1;
  const int own_first = rank_asked - static_cast<int>(threadIdx.x % warp);
  const int own_last = own_first + warp - 1;
  const Place<K> here = coordinates_of<K>(sorted, static_cast<std::size_t>(rank));
  float push[K] = {}, similarity = 0;
  if (own_first < n) {
    const auto one_by_one = [&](int first, int last) {
      for (int r = first; r <= last; ++r) {
        const Place<K> there = coordinates_of<K>(sorted, static_cast<std::size_t>(r));
        push_from<K>(here, there, r != rank ? 1.0F : 0.0F, push, similarity);
      }
    };
    int height = 0, at = 0;  // leaves are -1 - rank
    for (;;) {
      bool goes_down = false;
      if (at < 0) {
        one_by_one(-1 - at, -1 - at);
      } else {
        const float4 upper = __ldg(reinterpret_cast<const float4*>(nodes + at));
        const int4 lower = __ldg(reinterpret_cast<const int4*>(nodes + at) + 1);
        const int first = lower.x, last = lower.y, split = lower.z;
        if (last - first < few_points) {
          one_by_one(first, last);
        } else {
          const Place<most_dimensions> centre = {upper.x, upper.y, upper.z};
          Place<K> there;
          float square = 0;
#pragma unroll
          for (int k = 0; k < K; ++k) {
            there.at[k] = centre.at[k];
            const float gap = here.at[k] - there.at[k];
            square = fmaf(gap, gap, square);
          }
          const bool is_far = (last < own_first || first > own_last) &&
                              upper.w < square_theta * square;
          if (__all_sync(~0U, is_far)) {
            push_from<K>(here, there, static_cast<float>(last - first + 1), push, similarity);
          } else {
            goes_down = true;
            const int right = last == split + 1 ? -2 - split : split + 1;
            if (threadIdx.x % warp == 0) stack[height] = right;
            ++height;
            __syncwarp();
            at = first == split ? -1 - split : split;
          }
        }
      }
      if (goes_down) continue;
      if (height == 0) break;
      at = stack[--height];
      __syncwarp();
    }
  }
  if (is_there) {
    const auto own = static_cast<std::size_t>(order[rank]);
#pragma unroll
    for (int k = 0; k < K; ++k) pushes[own * K + k] = push[k];
  }
  double sum[1] = {is_there ? static_cast<double>(similarity) : 0};
  sum_of_block<1>(sum, parts);
}

/// Over the lanes of a point, in their order.
__device__ inline float sum_of_lanes(float x) {
  float sum = 0;
#pragma unroll
  for (int l = 0; l < lanes; ++l) sum += __shfl_sync(~0U, x, l, lanes);
  return sum;
}

__device__ inline int sign_of(double x) { return x == 0 ? 0 : x < 0 ? -1 : 1; }

struct Step {
  const unsigned* offsets;
  const int* to;
  const float* weights;
  const float* places;
  const float* pushes;
  const Whole* whole;
  double* exact;
  double* steps;
  double* gains;
  double* parts;
  int n;
  double exaggeration, momentum, learning_rate;
};

/// As qdtsne: gains grow by 0.2 where the step turns round, else they shrink to 0.8 of themselves,
/// to 0.01 at least.
template <int K>
__global__ void __launch_bounds__(threads) step_kernel(Step s) {
  const unsigned lane = threadIdx.x % lanes;
  const unsigned thread = blockIdx.x * static_cast<unsigned>(threads) + threadIdx.x;
  const int asked = static_cast<int>(thread / lanes);
  const bool is_there = asked < s.n;
  const int i = is_there ? asked : s.n - 1;  // all lanes take part in the sums
  const Place<K> here = coordinates_of<K>(s.places, static_cast<std::size_t>(i));
  float pull[K] = {};
  for (unsigned e = s.offsets[i] + lane; e < s.offsets[i + 1]; e += lanes) {
    const Place<K> there = coordinates_of<K>(s.places, static_cast<std::size_t>(__ldg(s.to + e)));
    float gap[K], square = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      gap[k] = here.at[k] - there.at[k];
      square = fmaf(gap[k], gap[k], square);
    }
    const float factor = __fdividef(__ldg(s.weights + e), 1 + square);
#pragma unroll
    for (int k = 0; k < K; ++k) pull[k] = fmaf(factor, gap[k], pull[k]);
  }
  double moved[K] = {};
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const double pulled = s.exaggeration * static_cast<double>(sum_of_lanes(pull[k]));
    if (!is_there || lane != 0) continue;
    const std::size_t at = static_cast<std::size_t>(i) * K + k;
    const double gradient = pulled - static_cast<double>(s.pushes[at]) / s.whole->similarity;
    const double before = s.steps[at];
    double gain = s.gains[at];
    gain = fmax(0.01, sign_of(gradient) != sign_of(before) ? gain + 0.2 : gain * 0.8);
    const double step = s.momentum * before - s.learning_rate * gain * gradient;
    s.gains[at] = gain;
    s.steps[at] = step;
    moved[k] = s.exact[at] + step;
    s.exact[at] = moved[k];
  }
  sum_of_block<K>(moved, s.parts);
}

}  // namespace

struct DeviceTsne::State {
  Device& device;
  std::size_t n, dimensions, n_blocks, n_step_blocks;
  double square_theta, learning_rate;
  Buffer<unsigned> offsets, arrived;
  Buffer<int> to, point, order, parents;
  Buffer<float> weights, places, sorted, pushes;
  Buffer<double> exact, steps, gains, parts;
  Buffer<unsigned long long> keys, sorted_keys;
  Buffer<Node> nodes;
  Buffer<Whole> whole;
  Buffer<char> scratch;

  State(Device& d, const Arrays& a)
      : device(d),
        n(a.n),
        dimensions(a.dimensions),
        n_blocks(blocks_for(a.n, threads)),
        n_step_blocks(blocks_for(a.n, threads / lanes)),
        square_theta(a.theta * a.theta),
        learning_rate(a.learning_rate),
        arrived(d, a.n),
        to(d, a.to.data(), a.to.size()),
        point(d, a.n),
        order(d, a.n),
        parents(d, 2 * a.n),
        weights(d, a.weights.data(), a.weights.size()),
        places(d, a.places.size()),
        sorted(d, a.places.size()),
        pushes(d, a.places.size()),
        exact(d, a.places.data(), a.places.size()),
        steps(d, a.steps.data(), a.steps.size()),
        gains(d, a.gains.data(), a.gains.size()),
        parts(d, most_dimensions * n_step_blocks),
        keys(d, a.n),
        sorted_keys(d, a.n),
        nodes(d, a.n),
        whole(d, 1) {
    const std::vector<unsigned> first(a.offsets.begin(), a.offsets.end());
    offsets = Buffer<unsigned>(d, first.data(), first.size());
    std::size_t size = 0;
    check_cuda(sort(nullptr, size, 64), "sort");
    scratch = Buffer<char>(d, size);
    whole.clear();  // the start is centred already
    d.wait();
  }

  cudaError_t sort(void* room, std::size_t& size, int bits) {
    return cub::DeviceRadixSort::SortPairs(room, size, keys.data(), sorted_keys.data(),
                                           point.data(), order.data(), static_cast<int>(n), 0,
                                           bits, device.stream());
  }

  template <int K>
  void centre() {
    start_kernel<<<1, 1, 0, device.stream()>>>(whole.data());
    centre_kernel<K><<<std::min(static_cast<unsigned>(n_blocks), 1024U), threads, 0,
                       device.stream()>>>(exact.data(), places.data(), static_cast<int>(n),
                                          whole.data());
  }

  template <int K>
  void iterate(double exaggeration, double momentum) {
    const cudaStream_t queue = device.stream();
    const auto count = static_cast<int>(n);
    const auto blocks = static_cast<unsigned>(n_blocks);
    const auto step_blocks = static_cast<unsigned>(n_step_blocks);
    // Offsets into Whole, which the host never reads.
    auto* const base = reinterpret_cast<char*>(whole.data());
    auto* const mean = reinterpret_cast<double*>(base + offsetof(Whole, mean));
    auto* const similarity = reinterpret_cast<double*>(base + offsetof(Whole, similarity));
    centre<K>();
    key_kernel<K><<<blocks, threads, 0, queue>>>(places.data(), count, whole.data(), keys.data(),
                                                 point.data());
    std::size_t size = scratch.size();
    check_cuda(sort(scratch.data(), size, K * bits_each<K>), "sort");
    gather_kernel<K><<<blocks, threads, 0, queue>>>(places.data(), count, order.data(),
                                                    sorted.data());
    build_kernel<K><<<blocks, threads, 0, queue>>>(sorted_keys.data(), count, whole.data(),
                                                   nodes.data(), parents.data(), arrived.data());
    centres_kernel<K><<<blocks, threads, 0, queue>>>(sorted.data(), count, nodes.data(),
                                                     parents.data(), arrived.data());
    repel_kernel<K><<<blocks, threads, 0, queue>>>(sorted.data(), order.data(), count,
                                                   nodes.data(), static_cast<float>(square_theta),
                                                   pushes.data(), parts.data());
    finish_kernel<1><<<1, threads, 0, queue>>>(parts.data(), blocks, 1.0, similarity);
    step_kernel<K><<<step_blocks, threads, 0, queue>>>(
        {offsets.data(), to.data(), weights.data(), places.data(), pushes.data(), whole.data(),
         exact.data(), steps.data(), gains.data(), parts.data(), count, exaggeration, momentum,
         learning_rate});
    finish_kernel<K><<<1, threads, 0, queue>>>(parts.data(), step_blocks,
                                               static_cast<double>(n), mean);
    check_launch("t-SNE");
  }
};

DeviceTsne::DeviceTsne(Device& device, const Arrays& arrays)
    : state_(std::make_unique<State>(device, arrays)) {}

DeviceTsne::~DeviceTsne() = default;

void DeviceTsne::iterate(double exaggeration, double momentum) {
  switch (state_->dimensions) {
    case 1:
      return state_->iterate<1>(exaggeration, momentum);
    case 2:
      return state_->iterate<2>(exaggeration, momentum);
    default:
      return state_->iterate<3>(exaggeration, momentum);
  }
}

void DeviceTsne::get(std::span<double> places, std::span<double> steps,
                     std::span<double> gains) const {
  const State& s = *state_;
  s.steps.get(steps.data(), steps.size());
  s.gains.get(gains.data(), gains.size());
  s.exact.get(places.data(), places.size());
  // The mean of the last step is taken away at the beginning of the next one.
  Whole whole;
  s.whole.get(&whole, 1);
  for (std::size_t k = 0; k < places.size(); ++k) places[k] -= whole.mean[k % s.dimensions];
}

}  // namespace geotherm::detail
