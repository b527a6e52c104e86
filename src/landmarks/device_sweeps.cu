// A warp a point: its lanes share the pivots, then the neighbours. Sums in double, in one order.
#include <algorithm>

#include "core/cuda.cuh"
#include "landmarks/device_sweeps.hpp"

namespace geotherm::detail {
namespace {

constexpr int lanes = 32;
constexpr int warps = 8;
constexpr int points_of_warp = 8;
constexpr int points_of_block = warps * points_of_warp;
constexpr std::size_t fewest_points = 20000;
constexpr std::size_t most_components = 3;
constexpr double least = 1e-300;

struct Sweep {
  const std::size_t* offsets;  // of the graph
  const int* to;
  const double* lengths;
  const std::size_t* share_offsets;
  const int* landmark;
  const double* share;
  const double* spread;
  const float* squared;  // landmarks x pivots
  const double* weight;  // of pivots
  const double* places;  // components x pivots
  const double* x;
  double* next;
  double* sums;  // of blocks: stress, squares, near
  unsigned n;
  int n_pivots;
  double scale, near_weight;
};

__device__ inline double over_lanes(double value) {
#pragma unroll
  for (int o = lanes / 2; o > 0; o /= 2) value += __shfl_xor_sync(~0U, value, o);
  return value;
}

/// The distance from point i to pivot p, rounded to float32 as where the CPU keeps them.
__device__ inline double target_of(const Sweep& s, unsigned i, int p) {
  double sum = 0;
  for (std::size_t k = s.share_offsets[i]; k < s.share_offsets[i + 1]; ++k) {
    const std::size_t row = static_cast<std::size_t>(__ldg(s.landmark + k)) * s.n_pivots;
    sum = fma(__ldg(s.share + k), static_cast<double>(__ldg(s.squared + row + p)), sum);
  }
  sum -= s.spread[i];
  return sum > least ? static_cast<double>(static_cast<float>(sqrt(sum))) : 0.0;
}

template <int K>
__global__ void __launch_bounds__(warps* lanes) sweep_kernel(Sweep s) {
  __shared__ double of_warps[warps][3];
  const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  const unsigned first = (blockIdx.x * warps + warp) * points_of_warp;
  double total[3] = {};
  for (unsigned i = first; i < min(s.n, first + points_of_warp); ++i) {
    double here[K], sum[K] = {}, all = 0, stress = 0, squares = 0, near = 0;
#pragma unroll
    for (int c = 0; c < K; ++c) here[c] = s.x[static_cast<std::size_t>(i) * K + c];
    for (int p = lane; p < s.n_pivots; p += lanes) {
      const double weight = s.weight[p], target = target_of(s, i, p);
      double there[K], squared = 0;
#pragma unroll
      for (int c = 0; c < K; ++c) {
        there[c] = s.places[c * s.n_pivots + p];
        squared = fma(here[c] - there[c], here[c] - there[c], squared);
      }
      squared = fmax(squared, least);
      const double inverse = rsqrt(squared);
      const double misfit = target - squared * inverse;
      stress += weight * misfit * misfit;
      squares += weight * target * target;
      all += weight;
#pragma unroll
      for (int c = 0; c < K; ++c) {
        sum[c] += weight * (there[c] + target * inverse * (here[c] - there[c]));
      }
    }
    if (s.near_weight > 0) {
      for (std::size_t e = s.offsets[i] + lane; e < s.offsets[i + 1]; e += lanes) {
        const std::size_t other = static_cast<std::size_t>(__ldg(s.to + e)) * K;
        const double wanted = s.scale * __ldg(s.lengths + e);
        double there[K], squared = 0;
#pragma unroll
        for (int c = 0; c < K; ++c) {
          there[c] = s.x[other + c];
          squared = fma(here[c] - there[c], here[c] - there[c], squared);
        }
        squared = fmax(squared, least);
        const double inverse = rsqrt(squared);
        const double misfit = wanted - squared * inverse;
        near += 0.5 * s.near_weight * misfit * misfit;  // each pair is met from both ends
        all += 2 * s.near_weight;
#pragma unroll
        for (int c = 0; c < K; ++c) {
          sum[c] +=
              s.near_weight * ((here[c] + there[c]) + wanted * inverse * (here[c] - there[c]));
        }
      }
    }
    all = over_lanes(all);
#pragma unroll
    for (int c = 0; c < K; ++c) {
      sum[c] = over_lanes(sum[c]);
      if (lane == 0) {
        s.next[static_cast<std::size_t>(i) * K + c] = all > 0 ? sum[c] / all : here[c];
      }
    }
    total[0] += over_lanes(stress);
    total[1] += over_lanes(squares);
    total[2] += over_lanes(near);
  }
  if (lane == 0) {
#pragma unroll
    for (int k = 0; k < 3; ++k) of_warps[warp][k] = total[k];
  }
  __syncthreads();
  if (threadIdx.x >= 3) return;
  double sum = 0;
  for (int w = 0; w < warps; ++w) sum += of_warps[w][threadIdx.x];
  s.sums[3 * static_cast<std::size_t>(blockIdx.x) + threadIdx.x] = sum;
}

class Sweeps final : public DeviceSweeps {
 public:
  Sweeps(Device& device, const SweepProblem& p)
      : device_(device),
        n_(p.graph.n_points()),
        components_(p.n_components),
        scale_(p.scale),
        near_weight_(p.near_weight),
        n_pivots_(p.pivots.count),
        shares_(device, p.distances.interpolation()),
        share_(device, p.distances.interpolation().values.data(),
               p.distances.interpolation().values.size()),
        spread_(device, p.distances.spread().data(), n_),
        squared_(device, p.pivots.squared.data(), p.pivots.squared.size()),
        weight_(device, p.pivots.weight.data(), p.pivots.weight.size()),
        places_(device, p.pivots.coordinates.data(), p.pivots.coordinates.size()),
        x_(device, n_ * components_),
        next_(device, n_ * components_),
        sums_(device, 3 * static_cast<std::size_t>(blocks_for(n_, points_of_block))),
        of_blocks_(sums_.size()) {
    if (near_weight_ > 0) {
      edges_ = Rows(device, p.graph.weights);
      lengths_ = Buffer<double>(device, p.graph.lengths.data(), p.graph.lengths.size());
    }
    device.wait();
  }

  void put(const Matrix<double>& coordinates) override {
    x_.put(coordinates.data());
    device_.wait();
  }
  void get(Matrix<double>& coordinates) const override { x_.get(coordinates.data(), x_.size()); }

  SweepSums sweep() override {
    const Sweep s{edges_.offsets.data(),
                  edges_.to.data(),
                  lengths_.data(),
                  shares_.offsets.data(),
                  shares_.to.data(),
                  share_.data(),
                  spread_.data(),
                  squared_.data(),
                  weight_.data(),
                  places_.data(),
                  x_.data(),
                  next_.data(),
                  sums_.data(),
                  static_cast<unsigned>(n_),
                  static_cast<int>(n_pivots_),
                  scale_,
                  near_weight_};
    const unsigned blocks = blocks_for(n_, points_of_block);
    constexpr int threads = warps * lanes;
    switch (components_) {
      case 1:
        sweep_kernel<1><<<blocks, threads, 0, device_.stream()>>>(s);
        break;
      case 2:
        sweep_kernel<2><<<blocks, threads, 0, device_.stream()>>>(s);
        break;
      default:
        sweep_kernel<3><<<blocks, threads, 0, device_.stream()>>>(s);
    }
    check_launch("layout of all points");
    x_.swap(next_);
    sums_.get(of_blocks_.data(), of_blocks_.size());
    SweepSums total;
    for (std::size_t k = 0; k < of_blocks_.size(); k += 3) {
      total.stress += of_blocks_[k];
      total.squares += of_blocks_[k + 1];
      total.near += of_blocks_[k + 2];
    }
    return total;
  }

 private:
  struct Rows {
    Rows() = default;
    Rows(Device& device, const SparseMatrix& m)
        : offsets(device, m.offsets.data(), m.offsets.size()),
          to(device, m.indices.data(), m.indices.size()) {}
    Buffer<std::size_t> offsets;
    Buffer<int> to;
  };

  Device& device_;
  std::size_t n_, components_;
  double scale_, near_weight_;
  std::size_t n_pivots_;
  Rows shares_, edges_;
  Buffer<double> share_, lengths_, spread_;
  Buffer<float> squared_;
  Buffer<double> weight_, places_, x_, next_;
  Buffer<double> sums_;
  std::vector<double> of_blocks_;
};

}  // namespace

std::unique_ptr<DeviceSweeps> device_sweeps(const Context& context, const SweepProblem& problem) {
  Device* const device = device_of(context);
  const std::size_t n = problem.graph.n_points();
  if (device == nullptr || n < fewest_points || problem.n_components > most_components) {
    return nullptr;
  }
  const double needed = 12.0 * static_cast<double>(problem.graph.weights.n_entries()) +
                        12.0 * static_cast<double>(problem.distances.interpolation().n_entries()) +
                        4.0 * static_cast<double>(problem.pivots.squared.size()) +
                        100.0 * static_cast<double>(n);
  if (needed > 0.9 * static_cast<double>(free_memory(*device))) return nullptr;
  return std::make_unique<Sweeps>(*device, problem);
}

}  // namespace geotherm::detail
