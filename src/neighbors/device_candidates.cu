// All pairs of a block of queries by a matrix product in double; then, query by query, a bound on the
// k-th nearest from the minima of 1,024 groups of points, and everyone within it.
#include "neighbors/device_candidates.hpp"

#include <algorithm>

#include "core/cuda.cuh"

namespace geotherm::detail {
namespace {

constexpr int threads = 256;
constexpr int n_groups = 1024;
constexpr int groups_a_thread = n_groups / threads;

/// products: -2 <q, p>. The k-th smallest of the groups' minima is at or above the k-th nearest,
/// since each of k groups has a point below it; few others are.
__global__ void __launch_bounds__(threads)
    pick_kernel(const double* __restrict__ products, std::size_t n, std::size_t first,
                const double* __restrict__ norms, double most_norm, int knn, double reach,
                double loss, int capacity, int* ids, int* counts) {
  __shared__ double minima[n_groups];
  __shared__ int n_picked;
  const std::size_t query = first + blockIdx.x;
  const double* row = products + blockIdx.x * n;
  const double own = norms[query];
  double least[groups_a_thread];
#pragma unroll
  for (int g = 0; g < groups_a_thread; ++g) least[g] = 1e300;
  for (std::size_t base = 0; base < n; base += n_groups) {
#pragma unroll
    for (int g = 0; g < groups_a_thread; ++g) {
      const std::size_t j = base + g * threads + threadIdx.x;
      if (j < n && j != query) least[g] = fmin(least[g], row[j] + norms[j]);
    }
  }
#pragma unroll
  for (int g = 0; g < groups_a_thread; ++g) minima[g * threads + threadIdx.x] = least[g];
  if (threadIdx.x == 0) n_picked = 0;
  // Bitonic sort.
  for (int size = 2; size <= n_groups; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      for (int t = threadIdx.x; t < n_groups / 2; t += threads) {
        const int a = 2 * t - (t & (step - 1)), b = a + step;
        const bool rises = (a & size) == 0;
        const double low = minima[a], high = minima[b];
        if ((low > high) == rises) {
          minima[a] = high;
          minima[b] = low;
        }
      }
    }
  }
  __syncthreads();
  // Upper bound of the k-th distance's square, stretched by the reach, as a bound on row + norm.
  const double slack = 2 * loss * (own + most_norm);
  const double kth = fmax(0.0, minima[knn - 1] + own) + slack;
  const double limit = kth * reach + slack - own;
  int* mine = ids + static_cast<std::size_t>(blockIdx.x) * capacity;
  for (std::size_t j = threadIdx.x; j < n; j += threads) {
    if (j == query || !(row[j] + norms[j] <= limit)) continue;
    const int place = atomicAdd(&n_picked, 1);
    if (place < capacity) mine[place] = static_cast<int>(j);
  }
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = n_picked;
}

}  // namespace

struct CandidateSearch::State {
  Device& device;
  std::size_t n, dims, block, capacity, knn;
  double reach, loss, most_norm = 0;
  Buffer<double> rows, norms, products;
  Buffer<int> ids, counts;

  std::size_t first = 0, count = 0;  // queries under way

  State(Device& d, MatrixView<const double> points, std::span<const double> squares, std::size_t k,
        double measured_reach, double l)
      : device(d),
        n(points.rows),
        dims(points.cols),
        block(std::clamp<std::size_t>((std::size_t{1} << 30) / (8 * points.rows), 64, 4096)),
        capacity(
            static_cast<std::size_t>(2 * static_cast<double>(k) * std::max(1.0, measured_reach)) +
            64),
        knn(k),
        reach(measured_reach),
        loss(l),
        most_norm(*std::max_element(squares.begin(), squares.end())),
        rows(d, points.data, points.rows * points.cols),
        norms(d, squares.data(), squares.size()),
        products(d, block * n),
        ids(d, block * capacity),
        counts(d, block) {
    d.wait();
  }
};

CandidateSearch::CandidateSearch(Device& device, MatrixView<const double> rows,
                                 std::span<const double> norms, std::size_t knn,
                                 double measured_reach, double loss)
    : state_(std::make_unique<State>(device, rows, norms, knn, measured_reach, loss)) {}

CandidateSearch::~CandidateSearch() = default;

std::size_t CandidateSearch::block() const { return state_->block; }

void CandidateSearch::start(std::size_t first) {
  State& s = *state_;
  const std::size_t count = std::min(s.block, s.n - first);
  s.first = first;
  s.count = count;
  const double minus_two = -2, zero = 0;
  // Column-major: the n x count product of all points with the queries.
  check_cublas(cublasDgemm(s.device.blas(), CUBLAS_OP_T, CUBLAS_OP_N, static_cast<int>(s.n),
                           static_cast<int>(count), static_cast<int>(s.dims), &minus_two,
                           s.rows.data(), static_cast<int>(s.dims),
                           s.rows.data() + first * s.dims, static_cast<int>(s.dims), &zero,
                           s.products.data(), static_cast<int>(s.n)),
               "product");
  pick_kernel<<<static_cast<unsigned>(count), threads, 0, s.device.stream()>>>(
      s.products.data(), s.n, first, s.norms.data(), s.most_norm, static_cast<int>(s.knn), s.reach,
      s.loss, static_cast<int>(s.capacity), s.ids.data(), s.counts.data());
  check_launch("candidates");
}

void CandidateSearch::collect(DeviceCandidates& found) {
  const State& s = *state_;
  found.first = s.first;
  found.count = s.count;
  found.capacity = s.capacity;
  found.ids.resize(s.count * s.capacity);
  found.counts.resize(s.count);
  s.ids.get(found.ids.data(), found.ids.size());
  s.counts.get(found.counts.data(), s.count);
}

}  // namespace geotherm::detail
