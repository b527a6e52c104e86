// A block of threads has up to 64 points of one cell. It finds the cells that they look into, then
// goes through the members twice, 64 at a time, every point against every member: first for a bound
// on the k-th nearest, from the minima of 128 groups of members, then for everyone within it.
#include <algorithm>

#include "core/cuda.cuh"
#include "neighbors/device_cells.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 256;
constexpr int n_warps = threads / 32;
constexpr int side = 16;            // threads along either edge of a tile
constexpr int tile_members = 64;
constexpr int pitch = tile_members + 4;
constexpr int n_groups = 2 * tile_members;
constexpr std::size_t most_dims = 128, longest_list = 48, most_near = 2048;
/// More than float32 loses in a sum of squared differences.
constexpr float margin = 1 + 2e-5F;

__global__ void least_kernel(const float* products, const float* prepared, int dims, int n_centers,
                             int count, int* nearest) {
  const int i = static_cast<int>((blockIdx.x * threads + threadIdx.x) / 32);
  const int lane = threadIdx.x % 32;
  if (i >= count) return;
  const float* row = products + static_cast<std::size_t>(i) * n_centers;
  float least = INFINITY;
  int at = n_centers;
  for (int c = lane; c < n_centers; c += 32) {
    const float value = row[c] + prepared[static_cast<std::size_t>(c) * (dims + 1) + dims];
    if (value < least) {
      least = value;
      at = c;
    }
  }
  for (int o = 16; o > 0; o /= 2) {
    const float other = __shfl_down_sync(~0U, least, o);
    const int place = __shfl_down_sync(~0U, at, o);
    if (other < least || (other == least && place < at)) {
      least = other;
      at = place;
    }
  }
  if (lane == 0) nearest[i] = min(at, n_centers - 1);
}

/// The `rank`-th smallest (from 1) of numbers >= 0, some of them in each lane of a warp: value(i)
/// for i < count. Infinite where there are fewer finite ones.
template <class Value>
__device__ float ranked(int rank, int count, const Value& value) {
  unsigned found = 0;
  for (int bit = 30; bit >= 0; --bit) {
    const unsigned trial = found | (1U << bit);
    int below = 0;
    for (int i = 0; i < count; ++i) below += __float_as_uint(value(i)) < trial ? 1 : 0;
    below = __reduce_add_sync(~0U, below);
    if (below < rank) found = trial;
  }
  return __uint_as_float(min(found, 0x7f800000U));
}

template <int count>
struct alignas(4 * count) Several {
  float values[count];
};

struct CellScan {
  const float* rows;
  const float* centers;
  const int* offsets;
  const int* near;
  const CellQueries* queries;
  const int* first_row;  // of a block's queries, in ids and counts
  int dims, n_cells, n_near, n_probes, knn, capacity;
  float reach;
  int* ids;
  int* counts;
};

template <int per>
__global__ void __launch_bounds__(threads) scan_kernel(CellScan s) {
  constexpr int n_queries = per * side;
  constexpr int query_pitch = n_queries + 4;
  extern __shared__ float shared[];
  __shared__ unsigned is_wanted[most_near / 32];
  __shared__ float limits[n_queries];
  __shared__ int n_found[n_queries];
  float* queries = shared;                               // by dimension
  float* members = queries + s.dims * query_pitch;       // likewise
  const CellQueries own = s.queries[blockIdx.x];
  const int n_own = own.end - own.begin;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int k = threadIdx.x; k < n_queries * s.dims; k += threads) {
    const int q = k / s.dims, c = k % s.dims;
    queries[c * query_pitch + q] =
        s.rows[static_cast<std::size_t>(own.begin + min(q, n_own - 1)) * s.dims + c];
  }
  for (int k = threadIdx.x; k < most_near / 32; k += threads) is_wanted[k] = 0;
  for (int k = threadIdx.x; k < n_queries; k += threads) n_found[k] = 0;
  __syncthreads();
  const bool has_all = s.near == nullptr;
  const int* near = has_all ? nullptr : s.near + static_cast<std::size_t>(own.cell) * s.n_near;
  if (!has_all) {
    float* apart = members + warp * s.n_near;
    const int each = (s.n_near - lane + 31) / 32;
    for (int q = warp; q < n_own; q += n_warps) {
      for (int i = 0; i < each; ++i) {
        const float* center = s.centers + static_cast<std::size_t>(near[lane + 32 * i]) * s.dims;
        float sum = 0;
        for (int c = 0; c < s.dims; ++c) {
          const float gap = queries[c * query_pitch + q] - __ldg(center + c);
          sum = fmaf(gap, gap, sum);
        }
        apart[lane + 32 * i] = sum;
      }
      const float limit =
          ranked(s.n_probes, each, [&](int i) { return apart[lane + 32 * i]; });
      for (int i = 0; i < each; ++i) {
        const int c = lane + 32 * i;
        if (apart[c] <= limit) atomicOr(is_wanted + c / 32, 1U << (c % 32));
      }
    }
  }
  __syncthreads();
  const int tx = threadIdx.x % side, ty = threadIdx.x / side;
  // Calls use(query, member of the chunk, row, squared distance, number of the chunk).
  const auto for_all_pairs = [&](const auto& use) {
    int chunk = 0;
    const int n_looked = has_all ? 1 : s.n_near;
    for (int at = 0; at < n_looked; ++at) {
      if (!has_all && (is_wanted[at / 32] >> (at % 32) & 1U) == 0) continue;
      const int begin = has_all ? 0 : s.offsets[near[at]];
      const int end = has_all ? s.offsets[s.n_cells] : s.offsets[near[at] + 1];
      for (int first = begin; first < end; first += tile_members, ++chunk) {
        const int count = min(tile_members, end - first);
        __syncthreads();
        const int m = static_cast<int>(threadIdx.x) / 4;
        if (m < count) {
          const float* row = s.rows + static_cast<std::size_t>(first + m) * s.dims;
          for (int c = threadIdx.x % 4; c < s.dims; c += 4) members[c * pitch + m] = row[c];
        }
        __syncthreads();
        float sums[per][4] = {};
        for (int c = 0; c < s.dims; ++c) {
          const float4 m = *reinterpret_cast<const float4*>(members + c * pitch + 4 * tx);
          const Several<per> several =
              *reinterpret_cast<const Several<per>*>(queries + c * query_pitch + per * ty);
#pragma unroll
          for (int i = 0; i < per; ++i) {
            const float q = several.values[i];
            float gap = q - m.x;
            sums[i][0] = fmaf(gap, gap, sums[i][0]);
            gap = q - m.y;
            sums[i][1] = fmaf(gap, gap, sums[i][1]);
            gap = q - m.z;
            sums[i][2] = fmaf(gap, gap, sums[i][2]);
            gap = q - m.w;
            sums[i][3] = fmaf(gap, gap, sums[i][3]);
          }
        }
#pragma unroll
        for (int i = 0; i < per; ++i) {
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            const int row = first + 4 * tx + j;
            if (4 * tx + j < count && row != own.begin + per * ty + i) {
              use(i, j, row, sums[i][j], chunk);
            }
          }
        }
      }
    }
  };
  float minima[2][per][4];
#pragma unroll
  for (int p = 0; p < 2; ++p) {
#pragma unroll
    for (int i = 0; i < per; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) minima[p][i][j] = INFINITY;
    }
  }
  for_all_pairs([&](int i, int j, int, float apart, int chunk) {
    if (chunk % 2 == 0) {
      minima[0][i][j] = fminf(minima[0][i][j], apart);
    } else {
      minima[1][i][j] = fminf(minima[1][i][j], apart);
    }
  });
  __syncthreads();
  float* groups = members;  // n_groups for each query
#pragma unroll
  for (int p = 0; p < 2; ++p) {
#pragma unroll
    for (int i = 0; i < per; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        groups[(per * ty + i) * n_groups + p * tile_members + 4 * tx + j] = minima[p][i][j];
      }
    }
  }
  __syncthreads();
  for (int q = warp; q < n_queries; q += n_warps) {
    const float kth = ranked(s.knn, n_groups / 32,
                             [&](int i) { return groups[q * n_groups + lane + 32 * i]; });
    if (lane == 0) {
      // The rows are rounded to float32 themselves.
      const float far = sqrtf(kth) + 6e-7F * sqrtf(static_cast<float>(s.dims));
      limits[q] = far * far * margin * s.reach;
    }
  }
  __syncthreads();
  float within[per];
#pragma unroll
  for (int i = 0; i < per; ++i) within[i] = limits[per * ty + i];
  const int first_row = s.first_row[blockIdx.x];
  for_all_pairs([&](int i, int, int row, float apart, int) {
    if (!(apart <= within[i])) return;
    const int q = per * ty + i;
    const int place = atomicAdd(n_found + q, 1);
    if (place < s.capacity && q < n_own) {
      s.ids[static_cast<std::size_t>(first_row + q) * s.capacity + place] = row;
    }
  });
  __syncthreads();
  for (int q = threadIdx.x; q < n_own; q += threads) s.counts[first_row + q] = n_found[q];
}

std::size_t shared_floats(std::size_t per, std::size_t dims, std::size_t n_near) {
  const std::size_t n_queries = per * side;
  const std::size_t beside =
      std::max({dims * pitch, n_warps * n_near, n_queries * n_groups});
  return dims * (n_queries + 4) + beside;
}

}  // namespace

std::vector<Index> nearest_centers(Device& device, const Matrix<float>& points,
                                   const Centers& centers) {
  const std::size_t n = points.rows(), dims = points.cols(), k = centers.size();
  const std::size_t at_once = std::clamp<std::size_t>((std::size_t{1} << 28) / k, 1, n);
  const Buffer<float> rows(device, points.data(), n * dims);
  const Buffer<float> prepared(device, centers.prepared.data(), centers.prepared.size());
  Buffer<float> products(device, at_once * k);
  Buffer<int> nearest(device, n);
  const float one = 1, zero = 0;
  for (std::size_t first = 0; first < n; first += at_once) {
    const std::size_t count = std::min(at_once, n - first);
    check_cublas(cublasSgemm(device.blas(), CUBLAS_OP_T, CUBLAS_OP_N, static_cast<int>(k),
                             static_cast<int>(count), static_cast<int>(dims), &one,
                             prepared.data(), static_cast<int>(dims + 1),
                             rows.data() + first * dims, static_cast<int>(dims), &zero,
                             products.data(), static_cast<int>(k)),
                 "product");
    least_kernel<<<blocks_for(32 * count, threads), threads, 0, device.stream()>>>(
        products.data(), prepared.data(), static_cast<int>(dims), static_cast<int>(k),
        static_cast<int>(count), nearest.data() + first);
    check_launch("nearest centre");
  }
  std::vector<Index> result(n);
  nearest.get(result.data(), n);
  return result;
}

bool suits_device_cells(const CellSearchLimits& l) {
  return l.dims <= most_dims && l.knn <= longest_list && l.near <= most_near &&
         l.probes <= l.near;
}

std::size_t cell_queries_at_once() { return 4 * side; }

struct CellCandidates::State {
  Device& device;
  std::size_t n, dims, n_cells;
  Buffer<float> rows, centers;
  Buffer<int> offsets, near;
  std::size_t n_near = 0, n_probes = 0;

  struct Run {
    Buffer<CellQueries> queries;
    Buffer<int> first_row, ids, counts;
    std::size_t count = 0, capacity = 0;
  };
  Run run;

  State(Device& d, const Matrix<float>& r, const Centers& c, std::span<const std::size_t> o)
      : device(d),
        n(r.rows()),
        dims(r.cols()),
        n_cells(c.size()),
        rows(d, r.data(), r.rows() * r.cols()),
        centers(d, c.rows.data(), c.rows.rows() * c.rows.cols()) {
    const std::vector<int> begins(o.begin(), o.end());
    offsets = Buffer<int>(d, begins.data(), begins.size());
    d.wait();
  }
};

CellCandidates::CellCandidates(Device& device, const Matrix<float>& rows, const Centers& centers,
                               std::span<const std::size_t> offsets)
    : state_(std::make_unique<State>(device, rows, centers, offsets)) {}

CellCandidates::~CellCandidates() = default;

void CellCandidates::look_into(std::span<const Index> near, std::size_t n_near,
                               std::size_t n_probes) {
  State& s = *state_;
  s.near = near.empty() ? Buffer<int>() : Buffer<int>(s.device, near.data(), near.size());
  s.n_near = n_near;
  s.n_probes = n_probes;
  s.device.wait();
}

void CellCandidates::start(std::span<const CellQueries> queries, std::size_t knn,
                           double measured_reach) {
  State& s = *state_;
  State::Run& run = s.run;
  std::vector<int> first_row;
  run.count = 0;
  for (const CellQueries& q : queries) {
    first_row.push_back(static_cast<int>(run.count));
    run.count += static_cast<std::size_t>(q.end - q.begin);
  }
  run.capacity =
      static_cast<std::size_t>(3 * static_cast<double>(knn) * std::max(1.0, measured_reach)) + 16;
  if (run.ids.size() < run.count * run.capacity) {
    run.ids = Buffer<int>(s.device, run.count * run.capacity);
    run.counts = Buffer<int>(s.device, run.count);
  }
  run.queries = Buffer<CellQueries>(s.device, queries.data(), queries.size());
  run.first_row = Buffer<int>(s.device, first_row.data(), first_row.size());
  const CellScan scan{s.rows.data(),
                      s.centers.data(),
                      s.offsets.data(),
                      s.near.data(),
                      run.queries.data(),
                      run.first_row.data(),
                      static_cast<int>(s.dims),
                      static_cast<int>(s.n_cells),
                      static_cast<int>(s.n_near),
                      static_cast<int>(s.n_probes),
                      static_cast<int>(knn),
                      static_cast<int>(run.capacity),
                      static_cast<float>(measured_reach),
                      run.ids.data(),
                      run.counts.data()};
  const auto launch = [&](auto per) {
    const std::size_t n_bytes =
        sizeof(float) * shared_floats(per, s.dims, s.near.size() == 0 ? 0 : s.n_near);
    check_cuda(cudaFuncSetAttribute(scan_kernel<per>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(n_bytes)),
               "shared memory");
    scan_kernel<per><<<static_cast<unsigned>(queries.size()), threads, n_bytes,
                       s.device.stream()>>>(scan);
    check_launch("search in cells");
  };
  std::size_t longest = 0;
  for (const CellQueries& q : queries) {
    longest = std::max(longest, static_cast<std::size_t>(q.end - q.begin));
  }
  if (longest <= side) {
    launch(std::integral_constant<int, 1>{});
  } else {
    launch(std::integral_constant<int, 4>{});
  }
}

void CellCandidates::collect(DeviceCandidates& found) {
  State& s = *state_;
  const State::Run& run = s.run;
  found.first = 0;
  found.count = run.count;
  found.capacity = run.capacity;
  found.ids.resize(run.count * run.capacity);
  found.counts.resize(run.count);
  run.ids.get(found.ids.data(), found.ids.size());
  run.counts.get(found.counts.data(), run.count);
}

}  // namespace geotherm::detail
