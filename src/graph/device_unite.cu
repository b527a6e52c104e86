// A warp a point. What a point makes of its neighbours first; then each entry looks itself up in
// the list of the other end; then rows are filled in any order and sorted by column: the same bits
// from run to run.
#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "core/cuda.cuh"
#include "core/large_pages.hpp"
#include "graph/device_unite.hpp"

namespace geotherm::detail {
namespace {

constexpr int threads = 256;
constexpr int lanes = 32;
constexpr std::size_t fewest_points = 20000;

/// Rows of a matrix on the device.
struct Lists {
  const std::size_t* offsets;
  const int* to;
  const double* lengths;
  unsigned n;
};

/// Each entry's weight (0: left out) and length; how many entries each row of the union has.
struct Edges {
  double* weights;
  double* lengths;
  unsigned* degree;
};

__device__ inline unsigned row_of_warp() { return (blockIdx.x * threads + threadIdx.x) / lanes; }
__device__ inline unsigned lane() { return threadIdx.x % lanes; }

__global__ void __launch_bounds__(threads)
    alpha_decay_kernel(Lists lists, std::size_t knn, double decay, double threshold,
                       double* views) {
  const unsigned i = row_of_warp();
  if (i >= lists.n) return;
  const double bandwidth = lists.lengths[lists.offsets[i] + knn - 1];
  for (std::size_t e = lists.offsets[i] + lane(); e < lists.offsets[i + 1]; e += lanes) {
    const double length = lists.lengths[e];
    double view = length == 0 ? 1.0 : 0.0;
    if (bandwidth > 0) {
      view = exp(-pow(length / bandwidth, decay));
      if (view < threshold) view = 0;
    }
    views[e] = view;
  }
}

__global__ void __launch_bounds__(threads)
    sizes_kernel(const std::size_t* offsets, std::size_t most, unsigned n, unsigned* sizes) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < n) sizes[i] = static_cast<unsigned>(min(most, offsets[i + 1] - offsets[i]));
}

/// The nearest of each row, ties by index.
__global__ void __launch_bounds__(threads)
    nearest_kernel(Lists all, const std::size_t* offsets, int* to, double* lengths) {
  const unsigned i = row_of_warp();
  if (i >= all.n) return;
  const std::size_t begin = all.offsets[i], end = all.offsets[i + 1];
  const std::size_t kept = offsets[i + 1] - offsets[i];
  for (std::size_t e = begin + lane(); e < end; e += lanes) {
    const double length = all.lengths[e];
    std::size_t rank = 0;  // columns ascend within a row
    for (std::size_t f = begin; f < end; ++f) {
      const double other = __ldg(all.lengths + f);
      rank += other < length || (other == length && f < e) ? 1 : 0;
    }
    if (rank >= kept) continue;
    to[offsets[i] + rank] = all.to[e];
    lengths[offsets[i] + rank] = length;
  }
}

__global__ void __launch_bounds__(threads) row_sum_kernel(Lists lists, double* sums) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i >= lists.n) return;
  double sum = 0;
  for (std::size_t e = lists.offsets[i]; e < lists.offsets[i + 1]; ++e) sum += lists.lengths[e];
  sums[i] = sum;
}

/// smooth_distance of fuzzy_union.cpp, and the memberships that follow from it.
__global__ void __launch_bounds__(threads)
    fuzzy_kernel(Lists lists, const double* sums, double mean_of_all, double* views) {
  constexpr int most_steps = 64;
  constexpr double tolerance = 1e-5, least_scale = 1e-3;
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i >= lists.n) return;
  const std::size_t begin = lists.offsets[i], end = lists.offsets[i + 1];
  const double n_neighbors = static_cast<double>(end - begin + 1);
  const double target = log2(n_neighbors), mean = sums[i] / n_neighbors;
  double rho = 0;
  for (std::size_t e = begin; e < end && rho == 0; ++e) rho = lists.lengths[e];
  double low = 0, high = INFINITY, sigma = mean > 0 ? mean : 1;
  for (int step = 0; step < most_steps; ++step) {
    double total = 0;
    for (std::size_t e = begin; e < end; ++e) {
      const double past = lists.lengths[e] - rho;
      total += past > 0 ? exp(-past / sigma) : 1;
    }
    if (fabs(total - target) < tolerance) break;
    (total > target ? high : low) = sigma;
    sigma = isinf(high) ? 2 * sigma : 0.5 * (low + high);
  }
  sigma = fmax(sigma, least_scale * (rho > 0 ? mean : mean_of_all));
  for (std::size_t e = begin; e < end; ++e) {
    const double past = lists.lengths[e] - rho;
    views[e] = past <= 0 || sigma == 0 ? 1.0 : exp(-past / sigma);
  }
}

/// Both ends' views of an entry become its weight; who is listed without listing gets an entry
/// more.
template <bool is_fuzzy>
__global__ void __launch_bounds__(threads)
    join_kernel(Lists lists, const double* views, Edges edges, unsigned char* is_alone) {
  const unsigned i = row_of_warp();
  if (i >= lists.n) return;
  unsigned own_count = 0;
  for (std::size_t e = lists.offsets[i] + lane(); e < lists.offsets[i + 1]; e += lanes) {
    const int j = lists.to[e];
    const std::size_t end = lists.offsets[j + 1];
    std::size_t back = lists.offsets[j];
    while (back < end && __ldg(lists.to + back) != static_cast<int>(i)) ++back;
    const double own = views[e], other = back < end ? views[back] : 0;
    double length = own > 0 ? lists.lengths[e] : INFINITY;
    if (other > 0) length = fmin(length, lists.lengths[back]);
    const double weight = is_fuzzy ? own + other - own * other : 0.5 * (own + other);
    const bool is_kept = (own > 0 || other > 0) && weight > 0;
    edges.weights[e] = is_kept ? weight : 0;
    edges.lengths[e] = length;
    is_alone[e] = is_kept && back == end ? 1 : 0;
    if (!is_kept) continue;
    ++own_count;
    if (back == end) atomicAdd(edges.degree + j, 1U);
  }
#pragma unroll
  for (int o = lanes / 2; o > 0; o /= 2) own_count += __shfl_down_sync(~0U, own_count, o);
  if (lane() == 0 && own_count > 0) atomicAdd(edges.degree + i, own_count);
}

__global__ void __launch_bounds__(threads)
    fill_kernel(Lists lists, const double* weights, const unsigned char* is_alone,
                const std::size_t* offsets, unsigned* filled, int* columns, unsigned* entries) {
  const unsigned i = row_of_warp();
  if (i >= lists.n) return;
  for (std::size_t e = lists.offsets[i] + lane(); e < lists.offsets[i + 1]; e += lanes) {
    if (!(weights[e] > 0)) continue;
    const auto put = [&](unsigned row, int column) {
      const std::size_t at = offsets[row] + atomicAdd(filled + row, 1U);
      columns[at] = column;
      entries[at] = static_cast<unsigned>(e);
    };
    const int j = lists.to[e];
    put(i, j);
    if (is_alone[e] != 0) put(static_cast<unsigned>(j), static_cast<int>(i));
  }
}

__global__ void __launch_bounds__(threads)
    sort_kernel(const std::size_t* offsets, const int* columns, const unsigned* entries,
                const double* weights, const double* lengths, unsigned n, int* to, double* values,
                double* apart) {
  const unsigned i = row_of_warp();
  if (i >= n) return;
  const std::size_t begin = offsets[i], end = offsets[i + 1];
  for (std::size_t k = begin + lane(); k < end; k += lanes) {
    const int column = columns[k];
    std::size_t place = begin;
    for (std::size_t l = begin; l < end; ++l) place += __ldg(columns + l) < column ? 1 : 0;
    to[place] = column;
    values[place] = weights[entries[k]];
    if (apart != nullptr) apart[place] = lengths[entries[k]];
  }
}

/// offsets[0] = 0, then the sums of counts.
Buffer<std::size_t> summed(Device& device, const Buffer<unsigned>& counts) {
  const auto n = static_cast<int>(counts.size());
  Buffer<std::size_t> offsets(device, counts.size() + 1);
  check_cuda(cudaMemsetAsync(offsets.data(), 0, sizeof(std::size_t), device.stream()), "clear");
  std::size_t n_bytes = 0;
  check_cuda(cub::DeviceScan::InclusiveSum(nullptr, n_bytes, counts.data(), offsets.data() + 1, n,
                                           device.stream()),
             "sums of counts");
  Buffer<char> memory(device, n_bytes);
  check_cuda(cub::DeviceScan::InclusiveSum(memory.data(), n_bytes, counts.data(),
                                           offsets.data() + 1, n, device.stream()),
             "sums of counts");
  return offsets;
}

double sum_of(Device& device, const Buffer<double>& values) {
  const auto n = static_cast<int>(values.size());
  Buffer<double> sum(device, 1);
  std::size_t n_bytes = 0;
  check_cuda(
      cub::DeviceReduce::Sum(nullptr, n_bytes, values.data(), sum.data(), n, device.stream()),
      "sum");
  Buffer<char> memory(device, n_bytes);
  check_cuda(
      cub::DeviceReduce::Sum(memory.data(), n_bytes, values.data(), sum.data(), n, device.stream()),
      "sum");
  double result = 0;
  sum.get(&result, 1);
  return result;
}

unsigned warps_for(std::size_t n) { return blocks_for(n, threads / lanes); }

/// The union as rows on the host.
template <bool is_fuzzy>
SparseMatrix united(Device& device, const Lists& lists, std::size_t n_entries,
                    const Buffer<double>& views, std::vector<double>* lengths_out) {
  const cudaStream_t stream = device.stream();
  const std::size_t n = lists.n;
  Buffer<double> weights(device, n_entries), lengths(device, n_entries);
  Buffer<unsigned char> is_alone(device, n_entries);
  Buffer<unsigned> degree(device, n);
  degree.clear();
  join_kernel<is_fuzzy><<<warps_for(n), threads, 0, stream>>>(
      lists, views.data(), {weights.data(), lengths.data(), degree.data()}, is_alone.data());
  check_launch("weights of edges");
  const Buffer<std::size_t> offsets = summed(device, degree);
  SparseMatrix result;
  result.rows = result.cols = n;
  resize_in_large_pages(result.offsets, n + 1);
  offsets.get(result.offsets.data(), n + 1);
  const std::size_t size = result.offsets[n];
  Buffer<int> columns(device, size), to(device, size);
  Buffer<unsigned> entries(device, size);
  Buffer<double> values(device, size), apart;
  if (lengths_out != nullptr) apart = Buffer<double>(device, size);
  degree.clear();
  fill_kernel<<<warps_for(n), threads, 0, stream>>>(lists, weights.data(), is_alone.data(),
                                                    offsets.data(), degree.data(), columns.data(),
                                                    entries.data());
  sort_kernel<<<warps_for(n), threads, 0, stream>>>(offsets.data(), columns.data(), entries.data(),
                                                    weights.data(), lengths.data(), lists.n,
                                                    to.data(), values.data(), apart.data());
  check_launch("rows of edges");
  resize_in_large_pages(result.indices, size);
  resize_in_large_pages(result.values, size);
  to.get(result.indices.data(), size);
  values.get(result.values.data(), size);
  if (lengths_out != nullptr) {
    resize_in_large_pages(*lengths_out, size);
    apart.get(lengths_out->data(), size);
  }
  return result;
}

/// Room for lists, views, weights, and twice as many entries of the union.
Device* device_with_room(const Context& context, std::size_t n, std::size_t n_given,
                         std::size_t n_entries) {
  Device* const device = device_of(context);
  if (device == nullptr || n < fewest_points || n_entries > UINT32_MAX / 2) return nullptr;
  const double needed = 12.0 * static_cast<double>(n_given) +
                        90.0 * static_cast<double>(n_entries) + 64.0 * static_cast<double>(n);
  return needed > 0.9 * static_cast<double>(free_memory(*device)) ? nullptr : device;
}

}  // namespace

std::optional<Graph> alpha_decay_on_device(const Context& context, const NeighborLists& lists,
                                           const AffinityOptions& options) {
  const std::size_t n = lists.n_points, n_entries = lists.indices.size();
  Device* const device = device_with_room(context, n, n_entries, n_entries);
  if (device == nullptr) return std::nullopt;
  const Buffer<std::size_t> offsets(*device, lists.offsets.data(), n + 1);
  const Buffer<int> to(*device, lists.indices.data(), n_entries);
  const Buffer<double> lengths(*device, lists.distances.data(), n_entries);
  const Lists there{offsets.data(), to.data(), lengths.data(), static_cast<unsigned>(n)};
  const Buffer<double> views(*device, n_entries);
  alpha_decay_kernel<<<warps_for(n), threads, 0, device->stream()>>>(
      there, lists.knn, options.decay, options.threshold, views.data());
  check_launch("affinities");
  Graph graph;
  graph.weights = united<false>(*device, there, n_entries, views, &graph.lengths);
  return graph;
}

std::optional<SparseMatrix> memberships_on_device(const Context& context, const Graph& graph,
                                                  std::size_t most) {
  const SparseMatrix& w = graph.weights;
  const std::size_t n = w.rows;
  Device* const device =
      device_with_room(context, n, w.n_entries(), std::min(most * n, w.n_entries()));
  if (device == nullptr) return std::nullopt;
  Buffer<std::size_t> all_offsets(*device, w.offsets.data(), n + 1);
  Buffer<int> all_to(*device, w.indices.data(), w.n_entries());
  Buffer<double> all_lengths(*device, graph.lengths.data(), w.n_entries());
  const Lists all{all_offsets.data(), all_to.data(), all_lengths.data(), static_cast<unsigned>(n)};
  Buffer<unsigned> sizes(*device, n);
  sizes_kernel<<<blocks_for(n, threads), threads, 0, device->stream()>>>(all_offsets.data(), most,
                                                                         all.n, sizes.data());
  const Buffer<std::size_t> offsets = summed(*device, sizes);
  std::size_t n_entries = 0;
  offsets.get(&n_entries, 1, n);
  const Buffer<int> to(*device, n_entries);
  const Buffer<double> lengths(*device, n_entries);
  nearest_kernel<<<warps_for(n), threads, 0, device->stream()>>>(all, offsets.data(), to.data(),
                                                                 lengths.data());
  const Lists lists{offsets.data(), to.data(), lengths.data(), all.n};
  const Buffer<double> sums(*device, n), views(*device, n_entries);
  row_sum_kernel<<<blocks_for(n, threads), threads, 0, device->stream()>>>(lists, sums.data());
  const double mean_of_all =
      sum_of(*device, sums) / (static_cast<double>(n) * static_cast<double>(most + 1));
  fuzzy_kernel<<<blocks_for(n, threads), threads, 0, device->stream()>>>(lists, sums.data(),
                                                                         mean_of_all, views.data());
  check_launch("memberships");
  return united<true>(*device, lists, n_entries, views, nullptr);
}

}  // namespace geotherm::detail
