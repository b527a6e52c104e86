// Eight threads a point: they take its edges and its random points in turn, and their sums are added
// in one order.
#include "core/cuda.cuh"
#include "refine/device_descent.hpp"
#include "refine/objective.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 256;
constexpr int lanes = 8;

template <int K>
struct Place {
  float at[K];
};

struct Descent {
  const unsigned* offsets;
  const int* to;
  const float* weights;
  const float* places;  // point by point
  float* next;
  float* momentum;
  float* squares;
  int n;
  int negatives;
  float push, near_push;
  RefineStep step;
  unsigned long long key;
};

__device__ inline unsigned long long mixed(unsigned long long x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

template <int K>
__device__ inline Place<K> position_of(const float* places, int i) {
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

/// gap <- here - there; returns its square, kept above 0.
template <int K>
__device__ inline float gap_of(const Place<K>& here, const Place<K>& there, float (&gap)[K]) {
  float square = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    gap[k] = here.at[k] - there.at[k];
    square = fmaf(gap[k], gap[k], square);
  }
  return fmaxf(square, refine_least_square);
}

/// Takes from `force` what `other` pushes with.
template <int K>
__device__ inline void push_away(const Place<K>& here, const Place<K>& other, float strength,
                                 float (&force)[K]) {
  float gap[K];
  const float square = gap_of<K>(here, other, gap);
  const float p = refine_a * exp2f(refine_b * log2f(square));
  const float r = p + refine_softening;
  const float away =
      strength * fminf(p / (square * r * (r + 1)), refine_largest_push * rsqrtf(square));
#pragma unroll
  for (int k = 0; k < K; ++k) force[k] = fmaf(-away, gap[k], force[k]);
}

template <int K>
__global__ void __launch_bounds__(threads) epoch_kernel(Descent s) {
  const int lane = threadIdx.x % lanes;
  const int i = static_cast<int>((blockIdx.x * static_cast<unsigned>(threads) + threadIdx.x) / lanes);
  const bool is_there = i < s.n;
  const int own = is_there ? i : s.n - 1;  // all lanes of a warp take part in the sums
  const Place<K> here = position_of<K>(s.places, own);
  float force[K] = {};
  for (unsigned e = s.offsets[own] + lane; e < s.offsets[own + 1]; e += lanes) {
    float gap[K];
    const float square = gap_of<K>(here, position_of<K>(s.places, __ldg(s.to + e)), gap);
    const float p = refine_a * exp2f(refine_b * log2f(square));
    const float pull = __ldg(s.weights + e) * p / (square * (p + 1));
#pragma unroll
    for (int k = 0; k < K; ++k) force[k] = fmaf(pull, gap[k], force[k]);
  }
  for (int d = lane; d < s.negatives; d += lanes) {
    const unsigned long long bits =
        mixed(s.key + static_cast<unsigned long long>(own) * static_cast<unsigned>(s.negatives) +
              static_cast<unsigned>(d));
    const int other = static_cast<int>(((bits >> 32) * static_cast<unsigned>(s.n)) >> 32);
    push_away<K>(here, position_of<K>(s.places, other), s.push, force);
  }
  // One lane for each of eight neighbours of a neighbour; rows are whole eights.
  if (const unsigned n_own = s.offsets[own + 1] - s.offsets[own]; n_own > 0) {
    const unsigned long long bits = mixed(~s.key + static_cast<unsigned>(own));
    const int near = __ldg(s.to + s.offsets[own] + static_cast<unsigned>(((bits >> 32) * n_own) >> 32));
    const unsigned n_groups = (s.offsets[near + 1] - s.offsets[near]) / lanes;
    const unsigned group = static_cast<unsigned>(((bits & 0xffffffffULL) * n_groups) >> 32);
    const int other = __ldg(s.to + s.offsets[near] + group * lanes + lane);
    push_away<K>(here, position_of<K>(s.places, other), s.near_push, force);
  }
  float total = 0;
#pragma unroll
  for (int k = 0; k < K; ++k) {
#pragma unroll
    for (int o = lanes / 2; o > 0; o /= 2) force[k] += __shfl_down_sync(~0U, force[k], o, lanes);
    force[k] *= 2 * refine_b;
    total = fmaf(force[k], force[k], total);
  }
  if (lane != 0 || !is_there) return;
  const float square =
      refine_keep_square * s.squares[i] + (1 - refine_keep_square) * (total / K);
  s.squares[i] = square;
  const float scale = sqrtf(square * s.step.of_square) + 1e-12F;
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const std::size_t at = static_cast<std::size_t>(i) * K + k;
    const float m = refine_keep_force * s.momentum[at] + (1 - refine_keep_force) * force[k];
    s.momentum[at] = m;
    const float move = fminf(1.0F, fmaxf(-1.0F, m * s.step.of_force / scale));
    s.next[at] = here.at[k] - s.step.length * move;
  }
}

}  // namespace

struct DeviceDescent::State {
  Device& device;
  std::size_t n, dimensions, negatives;
  float push, near_push;
  Buffer<unsigned> offsets;
  Buffer<int> to;
  Buffer<float> weights, places, next, momentum, squares;

  State(Device& d, const Arrays& a)
      : device(d),
        n(a.n),
        dimensions(a.dimensions),
        negatives(a.negatives),
        push(a.push),
        near_push(a.near_push),
        to(d, a.to.data(), a.to.size()),
        weights(d, a.weights.data(), a.weights.size()),
        next(d, a.places.size()),
        squares(d, a.squares.data(), a.squares.size()) {
    const std::vector<unsigned> begin(a.offsets.begin(), a.offsets.end());
    offsets = Buffer<unsigned>(d, begin.data(), begin.size());
    const std::vector<float> at = by_point(a.places), moves = by_point(a.momentum);
    places = Buffer<float>(d, at.data(), at.size());
    momentum = Buffer<float>(d, moves.data(), moves.size());
    d.wait();
  }

  std::vector<float> by_point(std::span<const float> planes) const {
    std::vector<float> result(planes.size());
    for (std::size_t k = 0; k < dimensions; ++k) {
      for (std::size_t i = 0; i < n; ++i) result[i * dimensions + k] = planes[k * n + i];
    }
    return result;
  }
  void get(const Buffer<float>& from, std::span<float> planes) const {
    std::vector<float> points(planes.size());
    from.get(points.data(), points.size());
    for (std::size_t k = 0; k < dimensions; ++k) {
      for (std::size_t i = 0; i < n; ++i) planes[k * n + i] = points[i * dimensions + k];
    }
  }
};

DeviceDescent::DeviceDescent(Device& device, const Arrays& arrays)
    : state_(std::make_unique<State>(device, arrays)) {}

DeviceDescent::~DeviceDescent() = default;

void DeviceDescent::advance(const RefineStep& step, std::uint64_t key) {
  State& s = *state_;
  const Descent descent{s.offsets.data(),  s.to.data(),
                        s.weights.data(),  s.places.data(),
                        s.next.data(),     s.momentum.data(),
                        s.squares.data(),  static_cast<int>(s.n),
                        static_cast<int>(s.negatives), s.push,
                        s.near_push,       step,
                        key};
  const unsigned blocks = blocks_for(s.n, threads / lanes);
  switch (s.dimensions) {
    case 1:
      epoch_kernel<1><<<blocks, threads, 0, s.device.stream()>>>(descent);
      break;
    case 2:
      epoch_kernel<2><<<blocks, threads, 0, s.device.stream()>>>(descent);
      break;
    default:
      epoch_kernel<3><<<blocks, threads, 0, s.device.stream()>>>(descent);
  }
  check_launch("refinement");
  s.places.swap(s.next);
}

void DeviceDescent::get(std::span<float> places, std::span<float> momentum,
                        std::span<float> squares) const {
  state_->get(state_->places, places);
  state_->get(state_->momentum, momentum);
  state_->squares.get(squares.data(), squares.size());
}

void DeviceDescent::get_places(std::span<float> places) const {
  state_->get(state_->places, places);
}

}  // namespace geotherm::detail
