// Eight threads a point: they take its edges and its random points in turn, and their sums are added
// in one order.
#include <algorithm>

#include "core/cuda.cuh"
#include "refine/device_descent.hpp"
#include "refine/objective.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 256;
constexpr int lanes = 8;
constexpr int threads_of_draws = 64;
constexpr std::size_t bytes_of_draws = std::size_t{1} << 29;
constexpr std::size_t most_epochs_drawn = 64;

using Bits = unsigned long long;

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
  const Bits* draws;  // of the epoch: for each point those of its random points, then one
};

__device__ inline Bits mixed(Bits& state) {  // splitmix64
  state += 0x9e3779b97f4a7c15ULL;
  Bits x = state;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

__device__ inline Bits turned(Bits x, int by) { return (x << by) | (x >> (64 - by)); }

/// Random numbers of some epochs, one thread for each stream of Rng (xoshiro256++).
struct Streams {
  Bits base;
  unsigned n, points_of_stream, n_streams;  // of an epoch
  unsigned draws_of_point;
  const unsigned* offsets;  // a point without neighbours draws no neighbour of one
};

__global__ void __launch_bounds__(threads_of_draws)
    draw_kernel(Streams s, Bits first_epoch, unsigned n_epochs, Bits* draws) {
  const unsigned thread = blockIdx.x * threads_of_draws + threadIdx.x;
  if (thread >= n_epochs * s.n_streams) return;
  const unsigned epoch = thread / s.n_streams, stream = thread % s.n_streams;
  Bits seed = s.base ^ ((first_epoch + epoch) * s.n_streams + stream);
  Bits state[4];
#pragma unroll
  for (Bits& word : state) word = mixed(seed);
  const unsigned begin = stream * s.points_of_stream;
  const unsigned end = min(s.n, begin + s.points_of_stream);
  Bits* out = draws + (static_cast<std::size_t>(epoch) * s.n + begin) * s.draws_of_point;
  for (unsigned i = begin; i < end; ++i) {
    const unsigned left_out = s.offsets[i] == s.offsets[i + 1] ? 1 : 0;
    for (unsigned d = 0; d + left_out < s.draws_of_point; ++d) {
      out[d] = turned(state[0] + state[3], 23) + state[0];
      const Bits t = state[1] << 17;
      state[2] ^= state[0];
      state[3] ^= state[1];
      state[1] ^= state[2];
      state[0] ^= state[3];
      state[2] ^= t;
      state[3] = turned(state[3], 45);
    }
    out += s.draws_of_point;
  }
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
  const Bits* draws = s.draws + static_cast<std::size_t>(own) * (s.negatives / 2 + 1);
  for (int d = lane; d < s.negatives; d += lanes) {
    const Bits pair = __ldg(draws + d / 2);  // two numbers of 32 bits
    const Bits bits = d % 2 == 0 ? pair >> 32 : pair & 0xffffffffULL;
    const int other = static_cast<int>((bits * static_cast<unsigned>(s.n)) >> 32);
    push_away<K>(here, position_of<K>(s.places, other), s.push, force);
  }
  // One lane for each of eight neighbours of a neighbour; rows are whole eights.
  if (const unsigned n_own = s.offsets[own + 1] - s.offsets[own]; n_own > 0) {
    const Bits bits = __ldg(draws + s.negatives / 2);
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
  Streams streams = {};
  Buffer<Bits> draws;
  std::size_t epochs_at_once = 1, first_drawn = 0, n_drawn = 0;

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
    const std::size_t draws_of_point = negatives / 2 + 1;
    streams = {.base = a.stream,
               .n = static_cast<unsigned>(n),
               .points_of_stream = static_cast<unsigned>(a.points_of_stream),
               .n_streams = blocks_for(n, a.points_of_stream),
               .draws_of_point = static_cast<unsigned>(draws_of_point),
               .offsets = offsets.data()};
    epochs_at_once = std::clamp<std::size_t>(bytes_of_draws / (n * draws_of_point * sizeof(Bits)),
                                             1, most_epochs_drawn);
    draws = Buffer<Bits>(d, epochs_at_once * n * draws_of_point);
    d.wait();
  }

  /// The random numbers of an epoch.
  const Bits* draws_of(std::size_t epoch) {
    if (epoch < first_drawn || epoch >= first_drawn + n_drawn) {
      first_drawn = epoch;
      n_drawn = epochs_at_once;
      draw_kernel<<<blocks_for(n_drawn * streams.n_streams, threads_of_draws), threads_of_draws, 0,
                    device.stream()>>>(streams, first_drawn, static_cast<unsigned>(n_drawn),
                                       draws.data());
      check_launch("random points");
    }
    return draws.data() + (epoch - first_drawn) * n * streams.draws_of_point;
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

void DeviceDescent::advance(const RefineStep& step, std::size_t epoch) {
  State& s = *state_;
  const Descent descent{s.offsets.data(), s.to.data(),           s.weights.data(),
                        s.places.data(),  s.next.data(),         s.momentum.data(),
                        s.squares.data(), static_cast<int>(s.n), static_cast<int>(s.negatives),
                        s.push,           s.near_push,           step,
                        s.draws_of(epoch)};
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
