// Worklists in place of a queue: a round relaxes the edges of the points whose way has become shorter
// and is below a limit that rises from round to round; others wait in the list. What comes first
// in a list depends on chance, where the ways end does not.
#include <cooperative_groups.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/cuda.cuh"
#include "core/large_pages.hpp"
#include "graph/device_paths.hpp"

namespace geotherm::detail {
namespace {

namespace cg = cooperative_groups;

constexpr int threads = 256;
constexpr int lanes = 8;  // for one point
constexpr std::size_t fewest_points = 20000;
constexpr int rounds_at_once = 16;
constexpr double step_of_limit = 0.5;  // of a mean edge, each round

using Bits = unsigned long long;  // lengths >= 0 are in order as whole numbers

struct Edges {
  const std::size_t* offsets;
  const int* to;
  const double* lengths;
  unsigned n;
};

/// States (start, point) whose way has changed, for this round and for the next.
struct Lists {
  const unsigned* now;
  unsigned* next;
  unsigned* counts;  // of three rounds, and of states relaxed
  int* stamp;        // the round in whose list a state is
  int round;

  __device__ unsigned n_now() const { return counts[round % 3]; }
  __device__ void append(std::size_t state) const {
    if (atomicExch(stamp + state, round + 1) == round + 1) return;
    const cg::coalesced_group together = cg::coalesced_threads();
    unsigned first = 0;
    if (together.thread_rank() == 0) first = atomicAdd(counts + (round + 1) % 3, together.size());
    next[together.shfl(first, 0) + together.thread_rank()] = static_cast<unsigned>(state);
  }
};

__device__ inline Bits bits_of(double x) { return static_cast<Bits>(__double_as_longlong(x)); }
__device__ inline double length_of(Bits bits) { return __longlong_as_double(static_cast<long long>(bits)); }

/// Calls take(state, point, lane) for all states of the round's list.
template <class Take>
__device__ inline void for_each_state(const Edges& g, const Lists& lists, const Take& take) {
  const unsigned thread = blockIdx.x * threads + threadIdx.x;
  if (thread == 0) lists.counts[(lists.round + 2) % 3] = 0;
  const unsigned count = lists.n_now();
  for (unsigned k = thread / lanes; k < count; k += gridDim.x * (threads / lanes)) {
    const unsigned state = lists.now[k];
    take(state, state % g.n, thread % lanes);
  }
}

__global__ void __launch_bounds__(threads)
    relax_kernel(Edges g, Lists lists, Bits* best, double limit) {
  for_each_state(g, lists, [&](unsigned state, unsigned point, unsigned lane) {
    const double here = length_of(*reinterpret_cast<volatile Bits*>(best + state));
    if (!(here < limit)) {
      if (lane == 0) lists.append(state);
      return;
    }
    if (lane == 0) lists.counts[3] = 1;
    const std::size_t start = state - point;
    for (std::size_t e = g.offsets[point] + lane; e < g.offsets[point + 1]; e += lanes) {
      const Bits by_here = bits_of(here + __ldg(g.lengths + e));
      const std::size_t other = start + static_cast<unsigned>(__ldg(g.to + e));
      if (by_here >= *reinterpret_cast<volatile Bits*>(best + other)) continue;
      if (by_here < atomicMin(best + other, by_here)) lists.append(other);
    }
  });
}

/// Along the edges of shortest paths the smallest number of a source travels on.
__global__ void __launch_bounds__(threads)
    label_kernel(Edges g, Lists lists, const Bits* best, int* source) {
  for_each_state(g, lists, [&](unsigned, unsigned point, unsigned lane) {
    const double here = length_of(best[point]);
    const int own = *reinterpret_cast<volatile int*>(source + point);
    for (std::size_t e = g.offsets[point] + lane; e < g.offsets[point + 1]; e += lanes) {
      const double by_here = here + __ldg(g.lengths + e);
      const auto other = static_cast<unsigned>(__ldg(g.to + e));
      if (!isfinite(by_here) || bits_of(by_here) != best[other]) continue;
      if (own < atomicMin(source + other, own)) lists.append(other);
    }
  });
}

__global__ void fill_kernel(Bits* best, std::size_t size, Bits value) {
  const std::size_t k = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  if (k < size) best[k] = value;
}

__global__ void start_kernel(Bits* best, const unsigned* states, unsigned count) {
  const unsigned k = blockIdx.x * threads + threadIdx.x;
  if (k < count) best[states[k]] = 0;
}

double mean_of_some(std::span<const double> lengths) {
  constexpr std::size_t most = 1 << 16;
  const std::size_t step = lengths.size() / most + 1;
  double sum = 0, count = 0;
  for (std::size_t e = 0; e < lengths.size(); e += step) {
    if (!std::isfinite(lengths[e])) continue;
    sum += lengths[e];
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

class Paths final : public DevicePaths {
 public:
  Paths(Device& device, const SparseMatrix& edges, std::span<const double> lengths)
      : device_(device),
        n_(edges.rows),
        offsets_(device, edges.offsets.data(), edges.offsets.size()),
        to_(device, edges.indices.data(), edges.indices.size()),
        lengths_(device, lengths.data(), lengths.size()),
        step_(step_of_limit * mean_of_some(lengths)),
        counts_(device, 4) {}

  void nearest(std::span<const Index> sources, std::span<double> distance,
               std::span<Index> source) override {
    constexpr int none = std::numeric_limits<int>::max();
    std::vector<unsigned> states;
    std::vector<int> number(n_, none);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      int& own = number[static_cast<std::size_t>(sources[s])];
      if (own != none) continue;
      own = static_cast<int>(s);
      states.push_back(static_cast<unsigned>(sources[s]));
    }
    const Buffer<Bits> best = ways_from(states, n_);
    Buffer<int> labels(device_, number.data(), n_);
    start(states, n_);
    while (!is_done()) {
      for (int r = 0; r < rounds_at_once; ++r) {
        label_kernel<<<blocks(), threads, 0, device_.stream()>>>(edges(), lists(), best.data(),
                                                                 labels.data());
        advance();
      }
      check_launch("nearest sources");
    }
    best.get(reinterpret_cast<Bits*>(distance.data()), n_);
    labels.get(source.data(), n_);
    std::ranges::replace(source, none, -1);
  }

  Matrix<double> from(std::span<const Index> points) override {
    std::vector<unsigned> states;
    for (std::size_t s = 0; s < points.size(); ++s) {
      states.push_back(static_cast<unsigned>(s * n_ + static_cast<std::size_t>(points[s])));
    }
    const std::size_t size = points.size() * n_;
    const Buffer<Bits> best = ways_from(states, size);
    auto rows = Matrix<double>::uninitialized(points.size(), n_);
    ask_for_large_pages(rows);
    best.get(reinterpret_cast<Bits*>(rows.data()), size);
    return rows;
  }

 private:
  Buffer<Bits> ways_from(const std::vector<unsigned>& states, std::size_t size) {
    Buffer<Bits> best(device_, size);
    const double infinite = std::numeric_limits<double>::infinity();
    fill_kernel<<<blocks_for(size, threads), threads, 0, device_.stream()>>>(
        best.data(), size, std::bit_cast<Bits>(infinite));
    start(states, size);
    start_kernel<<<blocks_for(states.size(), threads), threads, 0, device_.stream()>>>(
        best.data(), now_.data(), static_cast<unsigned>(states.size()));
    // Where a stretch of rounds had nothing below its limit, that rises faster for a while.
    double limit = 0, step = step_;
    while (!is_done()) {
      for (int r = 0; r < rounds_at_once; ++r) {
        limit = step > 0 ? limit + step : infinite;
        relax_kernel<<<blocks(), threads, 0, device_.stream()>>>(edges(), lists(), best.data(), limit);
        advance();
      }
      check_launch("shortest paths");
      step = was_idle_ ? 4 * step : step_;
    }
    return best;
  }

  void start(const std::vector<unsigned>& states, std::size_t size) {
    if (now_.size() < size) {
      now_ = Buffer<unsigned>(device_, size);
      next_ = Buffer<unsigned>(device_, size);
      stamp_ = Buffer<int>(device_, size);
    }
    stamp_.clear();
    round_ = 0;
    was_idle_ = false;
    check_cuda(cudaMemcpyAsync(now_.data(), states.data(), states.size() * sizeof(unsigned),
                               cudaMemcpyHostToDevice, device_.stream()),
               "copy to the device");
    const unsigned counts[4] = {static_cast<unsigned>(states.size()), 0, 0, 1};
    counts_.put(counts);
    device_.wait();
  }
  bool is_done() {
    unsigned counts[4];
    counts_.get(counts, 4);
    was_idle_ = counts[3] == 0;
    check_cuda(cudaMemsetAsync(counts_.data() + 3, 0, sizeof(unsigned), device_.stream()), "clear");
    return counts[round_ % 3] == 0;
  }
  void advance() {
    now_.swap(next_);
    ++round_;
  }
  Edges edges() const {
    return {offsets_.data(), to_.data(), lengths_.data(), static_cast<unsigned>(n_)};
  }
  Lists lists() const { return {now_.data(), next_.data(), counts_.data(), stamp_.data(), round_}; }
  unsigned blocks() const { return static_cast<unsigned>(8 * device_.info().n_multiprocessors); }

  Device& device_;
  std::size_t n_;
  Buffer<std::size_t> offsets_;
  Buffer<int> to_;
  Buffer<double> lengths_;
  double step_;
  Buffer<unsigned> counts_;
  Buffer<unsigned> now_, next_;
  Buffer<int> stamp_;
  int round_ = 0;
  bool was_idle_ = false;
};

}  // namespace

std::unique_ptr<DevicePaths> device_paths(const Context& context, const SparseMatrix& edges,
                                          std::span<const double> lengths) {
  Device* const device = device_of(context);
  if (device == nullptr || edges.rows < fewest_points) return nullptr;
  // Lists, stamps and ways of 16 starts beside the graph.
  const double needed = 12.0 * static_cast<double>(lengths.size()) +
                        400.0 * static_cast<double>(edges.rows);
  if (needed > 0.9 * static_cast<double>(free_memory(*device))) return nullptr;
  return std::make_unique<Paths>(*device, edges, lengths);
}

}  // namespace geotherm::detail
