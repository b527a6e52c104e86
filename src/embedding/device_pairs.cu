// The passes over all pairs that metric MDS makes, on dissimilarities in float32 on a GPU: stress and
// pull, products of the squares with vectors, and the rounds of the stochastic sweep. A pair is
// reckoned in float32, sums are double and have their order: the same bits from run to run.
#include <cuda_pipeline.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/cuda.cuh"
#include "core/matrix_units.cuh"
#include "embedding/device_pairs.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 256;
/// Points that a block of threads holds against all others: as many as the registers take.
__host__ __device__ constexpr int rows_for(int n_components) {
  return n_components <= 2 ? 8 : n_components <= 4 ? 4 : 2;
}
constexpr int chunk = 4 * threads;  // columns

template <int K>
struct Points {
  float at[K];
};

/// One point against four others: four columns in a float4 a component.
template <int K, bool is_last>
__device__ void four_pairs(const float4& d, const Points<K>& p, const float4 (&q)[K], float unit,
                           int n_left, float (&pull)[K], float& stress) {
  const float* lengths = &d.x;
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    if (is_last && u >= n_left) break;
    float apart[K];
    float squared = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      apart[k] = p.at[k] - (&q[k].x)[u];
      squared = fmaf(apart[k], apart[k], squared);
    }
    const float inverse = rsqrtf(fmaxf(squared, 1e-30F));
    const float length = lengths[u] * unit;
    const float excess = fmaf(squared, inverse, -length);
    const float c = fmaf(-length, inverse, 1.0F);
    stress = fmaf(excess, excess, stress);
#pragma unroll
    for (int k = 0; k < K; ++k) pull[k] = fmaf(c, apart[k], pull[k]);
  }
}

__device__ double sum_of_block(double value, double* scratch) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_down_sync(~0U, value, o);
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  double total = 0;
  for (int w = 0; w < threads / 32; ++w) total += scratch[w];
  return total;
}

/// Some points against all: their rows are read once, and nothing else leaves the chip.
template <int K>
__global__ void __launch_bounds__(threads, 2)
    pass_kernel(const float* __restrict__ d, std::size_t pitch, int n, float unit,
                const float* __restrict__ x, std::size_t x_pitch, const int* __restrict__ node,
                double* pull, double* stresses) {
  constexpr int rows_a_block = rows_for(K);
  __shared__ double scratch[threads / 32];
  const int first = blockIdx.x * rows_a_block;
  Points<K> p[rows_a_block];
  double sums[rows_a_block][K] = {};
  double stress = 0;
  const float* rows[rows_a_block];
#pragma unroll
  for (int r = 0; r < rows_a_block; ++r) {
    const int i = min(first + r, n - 1);
    rows[r] = d + static_cast<std::size_t>(i) * pitch;
#pragma unroll
    for (int k = 0; k < K; ++k) p[r].at[k] = x[k * x_pitch + i];
  }
  const int whole = n / chunk * chunk;
  for (int base = 0; base < whole; base += chunk) {
    const int j = base + 4 * static_cast<int>(threadIdx.x);
    float4 q[K], lengths[rows_a_block];
#pragma unroll
    for (int r = 0; r < rows_a_block; ++r) {
      lengths[r] = __ldcs(reinterpret_cast<const float4*>(rows[r] + j));
    }
#pragma unroll
    for (int k = 0; k < K; ++k) q[k] = __ldg(reinterpret_cast<const float4*>(x + k * x_pitch + j));
    float misfit = 0;
#pragma unroll
    for (int r = 0; r < rows_a_block; ++r) {
      float part[K] = {};
      float own = 0;
      four_pairs<K, false>(lengths[r], p[r], q, unit, 4, part, own);
      if (first + r < n) misfit += own;
#pragma unroll
      for (int k = 0; k < K; ++k) sums[r][k] += static_cast<double>(part[k]);
    }
    stress += static_cast<double>(misfit);
  }
  const int j = whole + 4 * static_cast<int>(threadIdx.x);
  if (j < n) {
    float4 q[K];
#pragma unroll
    for (int k = 0; k < K; ++k) q[k] = __ldg(reinterpret_cast<const float4*>(x + k * x_pitch + j));
#pragma unroll
    for (int r = 0; r < rows_a_block; ++r) {
      const float4 lengths = __ldcs(reinterpret_cast<const float4*>(rows[r] + j));
      float part[K] = {};
      float own = 0;
      four_pairs<K, true>(lengths, p[r], q, unit, n - j, part, own);
      if (first + r < n) stress += static_cast<double>(own);
#pragma unroll
      for (int k = 0; k < K; ++k) sums[r][k] += static_cast<double>(part[k]);
    }
  }
#pragma unroll
  for (int r = 0; r < rows_a_block; ++r) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const double total = sum_of_block(sums[r][k], scratch);
      if (threadIdx.x == 0 && first + r < n) {
        pull[static_cast<std::size_t>(k) * n + node[first + r]] = total;
      }
    }
  }
  const double total = sum_of_block(stress, scratch);
  if (threadIdx.x == 0) stresses[blockIdx.x] = total;
}

/// Component by component, from points in double to positions in float.
__global__ void to_positions(const double* __restrict__ x, int n, const int* __restrict__ node,
                             float* to, std::size_t pitch) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  to[blockIdx.y * pitch + p] =
      static_cast<float>(x[static_cast<std::size_t>(blockIdx.y) * n + node[p]]);
}

/// out(a, i) = -1/2 sum_j (unit d_ij)^2 v(a, j), eight vectors at once; 32 rows a block, of whose
/// columns each warp has every eighth stretch of 16. Behind the vectors' ends there are zeros.
constexpr int product_vectors = 8;
constexpr int product_rows = 32;
constexpr int product_columns = 16;
__global__ void __launch_bounds__(threads)
    product_kernel(const float* __restrict__ d, std::size_t pitch, int n, double unit,
                   const double* __restrict__ v, std::size_t v_pitch, double* out) {
  constexpr int n_warps = threads / 32;
  __shared__ double parts[n_warps][product_rows][product_vectors];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first = blockIdx.x * product_rows;
  const float* rows[4];
#pragma unroll
  for (int h = 0; h < 4; ++h) {
    rows[h] = d + static_cast<std::size_t>(min(first + 8 * h + lane / 4, n - 1)) * pitch;
  }
  const double* vector = v + static_cast<std::size_t>(lane / 4) * v_pitch;
  double sums[2][4] = {};
  const auto add = [&](int j, auto is_last) {
    float4 lengths[4];
#pragma unroll
    for (int h = 0; h < 4; ++h) lengths[h] = __ldcs(reinterpret_cast<const float4*>(rows[h] + j));
    const double2 low = *reinterpret_cast<const double2*>(vector + j);
    const double2 high = *reinterpret_cast<const double2*>(vector + j + 2);
    const double weights[4] = {low.x, low.y, high.x, high.y};
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      double squares[4];
#pragma unroll
      for (int h = 0; h < 4; ++h) {
        // Past the end a row holds anything: 0 x inf is not 0.
        const bool is_there = !decltype(is_last)::value || j + u < n;
        const double length = is_there ? static_cast<double>((&lengths[h].x)[u]) * unit : 0.0;
        squares[h] = length * length;
      }
      multiply_add(sums[0], squares[0], squares[1], weights[u]);
      multiply_add(sums[1], squares[2], squares[3], weights[u]);
    }
  };
  const int whole = n / product_columns;
#pragma unroll 2
  for (int b = warp; b < whole; b += n_warps) {
    add(product_columns * b + 4 * (lane % 4), std::false_type{});
  }
  if (whole * product_columns < n && whole % n_warps == warp) {
    add(product_columns * whole + 4 * (lane % 4), std::true_type{});
  }
#pragma unroll
  for (int h = 0; h < 4; ++h) {
#pragma unroll
    for (int u = 0; u < 2; ++u) {
      parts[warp][8 * h + lane / 4][2 * (lane % 4) + u] = sums[h / 2][2 * (h % 2) + u];
    }
  }
  __syncthreads();
  const int r = threadIdx.x / product_vectors, a = threadIdx.x % product_vectors;
  double total = 0;
  for (int w = 0; w < n_warps; ++w) total += parts[w][r][a];
  if (first + r < n) out[static_cast<std::size_t>(a) * n + first + r] = -0.5 * total;
}

/// The largest entry; infinite where one is not a finite number >= 0. Bits of such floats rise as
/// they do.
__global__ void largest_kernel(const float* d, std::size_t pitch, int n, unsigned* largest) {
  unsigned most = 0;
  for (int i = blockIdx.x; i < n; i += gridDim.x) {
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
      const float value = d[static_cast<std::size_t>(i) * pitch + j];
      most = max(most, value >= 0 ? __float_as_uint(value + 0.0F) : 0x7f800000U);
    }
  }
  for (int o = 16; o > 0; o /= 2) most = max(most, __shfl_down_sync(~0U, most, o));
  if (threadIdx.x % 32 == 0) atomicMax(largest, most);
}

// The stochastic sweep: as embedding/sgd_mds.cpp, block by block and matching by matching.

constexpr int edge = 64;

struct Sweep {
  const float* d;
  std::size_t pitch;
  const int* order;  // positions, in the order of the sweep
  double* y;         // component by component, in that order
  int n;
  int n_components;
  double unit;
  double share;  // of the misfit
};

/// The distances between the points at rows_from ... and columns_from ... of the order.
__device__ void load_tile(const Sweep& s, int rows_from, int n_rows, int columns_from, int n_columns,
                          float (*tile)[edge + 1]) {
  __shared__ int rows[edge];
  const int l = threadIdx.x;
  rows[l] = s.order[rows_from + min(l, n_rows - 1)];
  const std::size_t column = s.order[columns_from + min(l, n_columns - 1)];
  __syncthreads();
  for (int r = 0; r < n_rows; ++r) {
    __pipeline_memcpy_async(&tile[r][l], s.d + static_cast<std::size_t>(rows[r]) * s.pitch + column,
                            sizeof(float));
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// What a kernel does before may run beside the end of the one before it.
__device__ inline void wait_for_the_one_before() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

template <int K>
__global__ void __launch_bounds__(edge) within_kernel(Sweep s) {
  __shared__ float tile[edge][edge + 1];
  __shared__ double places[edge][K];
  const int begin = blockIdx.x * edge;
  const int m = min(edge, s.n - begin), l = threadIdx.x;
  load_tile(s, begin, m, begin, m, tile);
  if (l < m) {
    for (int k = 0; k < K; ++k) places[l][k] = s.y[static_cast<std::size_t>(k) * s.n + begin + l];
  }
  __syncthreads();
  if (l == 0) {
    for (int i = 0; i + 1 < m; ++i) {
      for (int j = i + 1; j < m; ++j) {
        double apart[K];
        double squared = 0;
#pragma unroll
        for (int k = 0; k < K; ++k) {
          apart[k] = places[i][k] - places[j][k];
          squared = fma(apart[k], apart[k], squared);
        }
        const double length = static_cast<double>(tile[i][j]) * s.unit;
        const double c = 0.5 * s.share * (1 - length * rsqrt(fmax(squared, 1e-300)));
#pragma unroll
        for (int k = 0; k < K; ++k) {
          places[i][k] -= c * apart[k];
          places[j][k] += c * apart[k];
        }
      }
    }
  }
  __syncthreads();
  if (l < m) {
    for (int k = 0; k < K; ++k) s.y[static_cast<std::size_t>(k) * s.n + begin + l] = places[l][k];
  }
}

template <int K>
__global__ void __launch_bounds__(edge) between_kernel(Sweep s, int n_blocks, int even, int round) {
  __shared__ float tile[edge][edge + 1];
  __shared__ double others[K][edge];
  const int place = blockIdx.x;
  // The circle method: even - 1 stays, the others turn.
  const int one = place == 0 ? round : (round + place) % (even - 1);
  const int other = place == 0 ? even - 1 : (round + even - 1 - place) % (even - 1);
  if (one >= n_blocks || other >= n_blocks) return;
  const int lower = max(one, other) * edge, upper = min(one, other) * edge;
  const int m = min(edge, s.n - lower);  // only the last block may be short
  const int i = threadIdx.x;
  load_tile(s, lower, m, upper, edge, tile);
  wait_for_the_one_before();
  double own[K];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    own[k] = i < m ? s.y[static_cast<std::size_t>(k) * s.n + lower + i] : 0;
    others[k][i] = s.y[static_cast<std::size_t>(k) * s.n + upper + i];
  }
  __syncthreads();
  for (int r = 0; r < edge; ++r) {
    const int l = (i + r) % edge;
    if (i < m) {
      double apart[K];
      double squared = 0;
#pragma unroll
      for (int k = 0; k < K; ++k) {
        apart[k] = own[k] - others[k][l];
        squared = fma(apart[k], apart[k], squared);
      }
      const double length = static_cast<double>(tile[i][l]) * s.unit;
      const double c = 0.5 * s.share * (1 - length * rsqrt(fmax(squared, 1e-300)));
#pragma unroll
      for (int k = 0; k < K; ++k) {
        const double move = c * apart[k];
        own[k] -= move;
        others[k][l] += move;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int k = 0; k < K; ++k) {
    if (i < m) s.y[static_cast<std::size_t>(k) * s.n + lower + i] = own[k];
    s.y[static_cast<std::size_t>(k) * s.n + upper + i] = others[k][i];
  }
}

/// Calls work with the number of components as a constant.
template <class Work>
void with_components(std::size_t n_components, const Work& work) {
  switch (n_components) {
    case 1: return work(std::integral_constant<int, 1>{});
    case 2: return work(std::integral_constant<int, 2>{});
    case 3: return work(std::integral_constant<int, 3>{});
    case 4: return work(std::integral_constant<int, 4>{});
    case 5: return work(std::integral_constant<int, 5>{});
    case 6: return work(std::integral_constant<int, 6>{});
    case 7: return work(std::integral_constant<int, 7>{});
    case 8: return work(std::integral_constant<int, 8>{});
    default: throw InvalidArgument("more components than a GPU lays out");
  }
}

class DevicePairs final : public PairSource {
 public:
  explicit DevicePairs(const ResidentDistances& d)
      : d_(d),
        device_(*d.device),
        n_(d.n),
        position_(d.n),
        node_(*d.device, d.node.data(), d.node.size()) {
    for (std::size_t p = 0; p < n_; ++p) position_[static_cast<std::size_t>(d.node[p])] = static_cast<int>(p);
    int generation = 0;
    check_cuda(cudaDeviceGetAttribute(&generation, cudaDevAttrComputeCapabilityMajor, 0),
               "device properties");
    can_start_early_ = generation >= 9;
  }

  std::size_t n() const override { return n_; }

  double largest() override {
    Buffer<unsigned> most(device_, 1);
    most.clear();
    largest_kernel<<<2048, threads, 0, device_.stream()>>>(d_.values, d_.pitch, static_cast<int>(n_),
                                                          most.data());
    check_launch("largest");
    float value;
    unsigned bits;
    most.get(&bits, 1);
    static_assert(sizeof value == sizeof bits);
    std::copy_n(reinterpret_cast<const char*>(&bits), sizeof bits, reinterpret_cast<char*>(&value));
    return static_cast<double>(value);
  }

  double pass(const Matrix<double>& x, Matrix<double>& pull, double unit) override {
    const std::size_t K = x.rows();
    const std::size_t x_pitch = (n_ + 31) / 32 * 32;
    const std::size_t n_blocks = blocks(K);
    if (given_.size() != x.size()) {
      given_ = Buffer<double>(device_, x.size());
      x_ = Buffer<float>(device_, K * x_pitch);
      x_.clear();
      pull_ = Buffer<double>(device_, x.size() + n_blocks);
      staged_.resize(x.size() + n_blocks);
    }
    std::copy_n(x.data(), x.size(), staged_.data());
    given_.put(staged_.data());
    const dim3 grid(blocks_for(n_, threads), static_cast<unsigned>(K));
    to_positions<<<grid, threads, 0, device_.stream()>>>(given_.data(), static_cast<int>(n_),
                                                         node_.data(), x_.data(), x_pitch);
    with_components(K, [&](auto components) {
      pass_kernel<components><<<blocks(K), threads, 0, device_.stream()>>>(
          d_.values, d_.pitch, static_cast<int>(n_), static_cast<float>(unit), x_.data(), x_pitch,
          node_.data(), pull_.data(), pull_.data() + x.size());
    });
    check_launch("stress");
    pull_.get(staged_.data(), staged_.size());
    std::copy_n(staged_.data(), x.size(), pull.data());
    double total = 0;
    for (std::size_t b = 0; b < n_blocks; ++b) total += staged_.data()[x.size() + b];
    return total / 2;  // every pair was met twice
  }

  void squares_times(MatrixView<const double> vectors, MatrixView<double> out,
                     double unit) override {
    // Zeros behind the ends of the rows.
    const std::size_t pitch = d_.pitch;
    std::vector<double> block(product_vectors * pitch);
    Buffer<double> v(device_, block.size()), result(device_, product_vectors * n_);
    for (std::size_t first = 0; first < vectors.rows; first += product_vectors) {
      const std::size_t count = std::min<std::size_t>(product_vectors, vectors.rows - first);
      std::fill(block.begin(), block.end(), 0.0);
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t p = 0; p < n_; ++p) {
          block[a * pitch + p] = vectors(first + a, static_cast<std::size_t>(d_.node[p]));
        }
      }
      v.put(block.data());
      product_kernel<<<blocks_for(n_, product_rows), threads, 0, device_.stream()>>>(
          d_.values, pitch, static_cast<int>(n_), unit, v.data(), pitch, result.data());
      check_launch("product");
      result.get(block.data(), result.size());
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t p = 0; p < n_; ++p) {
          out(first + a, static_cast<std::size_t>(d_.node[p])) = block[a * n_ + p];
        }
      }
    }
  }

  void stochastic_sweep(std::span<const Index> order, Matrix<double>& y, double share,
                        double unit) override {
    std::vector<int> positions(n_);
    for (std::size_t i = 0; i < n_; ++i) positions[i] = position_[static_cast<std::size_t>(order[i])];
    Buffer<int> at(device_, positions.data(), n_);
    Buffer<double> places(device_, y.data(), y.size());
    const Sweep sweep{d_.values, d_.pitch,
                      at.data(), places.data(),
                      static_cast<int>(n_), static_cast<int>(y.rows()),
                      unit,      share};
    const int n_blocks = static_cast<int>((n_ + edge - 1) / edge);
    const int even = n_blocks + n_blocks % 2;
    // A round fetches its distances while the one before is still under way.
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(even / 2));
    config.blockDim = dim3(edge);
    config.stream = device_.stream();
    config.attrs = &early;
    with_components(y.rows(), [&](auto components) {
      within_kernel<components><<<n_blocks, edge, 0, device_.stream()>>>(sweep);
      for (int round = 0; round + 1 < even; ++round) {
        config.numAttrs = round > 0 && can_start_early_ ? 1 : 0;
        check_cuda(cudaLaunchKernelEx(&config, between_kernel<components>, sweep, n_blocks, even,
                                      round),
                   "stochastic sweep");
      }
    });
    check_launch("stochastic sweep");
    places.get(y.data(), y.size());
  }

 private:
  unsigned blocks(std::size_t n_components) const {
    return blocks_for(n_, static_cast<std::size_t>(rows_for(static_cast<int>(n_components))));
  }

  const ResidentDistances& d_;
  Device& device_;
  std::size_t n_;
  std::vector<int> position_;
  bool can_start_early_ = false;
  Buffer<int> node_;
  PinnedBuffer<double> staged_;
  Buffer<double> given_, pull_;  // pull, and the stress of each block behind it
  Buffer<float> x_;
};

}  // namespace

std::unique_ptr<PairSource> device_pairs(const ResidentDistances& distances) {
  return std::make_unique<DevicePairs>(distances);
}

}  // namespace geotherm::detail
