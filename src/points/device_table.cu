// Rows are taken in blocks that are centred in double; products of matrices are cuBLAS's.
#include "points/device_table.hpp"

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <type_traits>
#include <vector>

#include "core/cuda.cuh"

namespace geotherm::detail {
namespace {

constexpr int threads = 256;
constexpr std::size_t most_centred = std::size_t{1} << 26;  // entries of a block: 512 MB

struct Found {
  unsigned long long first_bad;  // entry; ~0: none
  unsigned long long largest;    // bits of a double >= 0, which lie as the numbers do
};

template <class T>
__global__ void __launch_bounds__(threads)
    look_kernel(const T* table, std::size_t size, Found* found) {
  unsigned long long bad = ~0ULL, most = 0;
  const std::size_t at_once = static_cast<std::size_t>(gridDim.x) * threads;
  for (std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x; k < size;
       k += at_once) {
    const auto x = static_cast<double>(table[k]);
    if (!isfinite(x)) {
      bad = min(bad, static_cast<unsigned long long>(k));
    } else {
      most = max(most, static_cast<unsigned long long>(__double_as_longlong(fabs(x))));
    }
  }
  if (bad != ~0ULL) atomicMin(&found->first_bad, bad);
  __shared__ unsigned long long of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  atomicMax(&of_block, most);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(&found->largest, of_block);
}

__device__ inline unsigned long long turned(unsigned long long x, int by) {
  return x << by | x >> (64 - by);
}
/// As in model/preparation.cpp.
__device__ inline unsigned long long mixed(unsigned long long hash, unsigned long long bits) {
  hash = turned(hash ^ bits, 27) * 0x9fb21c651e98df25ULL;
  return hash ^ (hash >> 32);
}

template <class T>
__global__ void __launch_bounds__(threads)
    key_kernel(const T* table, std::size_t rows, std::size_t cols, ulonglong2* keys,
               unsigned long long* first_words) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (i >= rows) return;
  ulonglong2 key = {0x9e3779b97f4a7c15ULL, 0xd1b54a32d192ed03ULL};
  for (std::size_t j = 0; j < cols; ++j) {
    const auto x = static_cast<double>(table[i * cols + j]);
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(x == 0 ? 0.0 : x));
    key.x = mixed(key.x, bits);
    key.y = mixed(key.y, turned(bits, 31) + key.y);
  }
  keys[i] = key;
  first_words[i] = key.x;
}

__global__ void __launch_bounds__(threads)
    equal_kernel(const unsigned long long* sorted, std::size_t n, unsigned* any) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (i + 1 < n && sorted[i] == sorted[i + 1]) *any = 1;
}

template <class T>
__global__ void __launch_bounds__(threads)
    take_kernel(const T* table, std::size_t cols, const int* rows, std::size_t size, T* out) {
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (k >= size) return;
  out[k] = table[static_cast<std::size_t>(rows[k / cols]) * cols + k % cols];
}

/// out <- scale * table - mean, for `size` entries that begin a row.
template <class T>
__global__ void __launch_bounds__(threads)
    centre_kernel(const T* table, std::size_t size, std::size_t cols, double scale,
                  const double* mean, double* out) {
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (k >= size) return;
  out[k] = scale * static_cast<double>(table[k]) - mean[k % cols];
}

__global__ void fill_kernel(double* values, std::size_t size, double value) {
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
  if (k < size) values[k] = value;
}

}  // namespace

struct DeviceTable::State {
  Device& device;
  DevicePoints points;
  Buffer<char> kept;  // of keep()
  Buffer<ulonglong2> keys;
  Buffer<unsigned long long> first_words;

  std::size_t size() const { return points.rows * points.cols; }
  /// work(pointer to the entries)
  template <class Work>
  void with_type(const Work& work) const {
    if (points.is_single) {
      work(static_cast<const float*>(points.data));
    } else {
      work(static_cast<const double*>(points.data));
    }
  }
  std::size_t rows_at_once() const {
    return std::clamp<std::size_t>(most_centred / points.cols, 1, points.rows);
  }
  /// Rows from `first` on, into `out`.
  void centre(std::size_t first, std::size_t count, double scale, const Buffer<double>& mean,
              const Buffer<double>& out) const {
    with_type([&](const auto* table) {
      const std::size_t entries = count * points.cols;
      centre_kernel<<<blocks_for(entries, threads), threads, 0, device.stream()>>>(
          table + first * points.cols, entries, points.cols, scale, mean.data(), out.data());
      check_launch("centre");
    });
  }
  Found look() const {
    const Found nothing{~0ULL, 0};
    Buffer<Found> found(device, &nothing, 1);
    with_type([&](const auto* table) {
      const unsigned blocks = std::min(blocks_for(size(), threads), 2048U);
      look_kernel<<<blocks, threads, 0, device.stream()>>>(table, size(), found.data());
      check_launch("checks");
    });
    Found result{};
    found.get(&result, 1);
    return result;
  }
};

DeviceTable::DeviceTable(Device& device, const DevicePoints& points)
    : state_(new State{device, points, {}, {}, {}}) {
  State& s = *state_;
  check_cuda(cudaDeviceSynchronize(), "wait for the table");
  if (points.rows == 0) return;
  s.keys = Buffer<ulonglong2>(device, points.rows);
  s.first_words = Buffer<unsigned long long>(device, points.rows);
  s.with_type([&](const auto* table) {
    key_kernel<<<blocks_for(points.rows, threads), threads, 0, device.stream()>>>(
        table, points.rows, points.cols, s.keys.data(), s.first_words.data());
    check_launch("keys of rows");
  });
}

DeviceTable::~DeviceTable() = default;

std::size_t DeviceTable::rows() const { return state_->points.rows; }
std::size_t DeviceTable::cols() const { return state_->points.cols; }

DeviceTable::Entries DeviceTable::look() const {
  const State& s = *state_;
  const Found found = s.look();
  Entries entries{.largest = std::bit_cast<double>(found.largest)};
  if (found.first_bad == ~0ULL) return entries;
  entries.bad_row = found.first_bad / cols();
  entries.bad_col = found.first_bad % cols();
  s.with_type([&](const auto* table) {
    std::remove_cvref_t<decltype(*table)> value = 0;
    s.device.copy_to_host(&value, table + found.first_bad, sizeof value);
    s.device.wait();
    entries.bad_value = static_cast<double>(value);
  });
  return entries;
}

std::vector<std::array<std::uint64_t, 2>> DeviceTable::keys() const {
  const Buffer<ulonglong2>& keys = state_->keys;
  std::vector<std::array<std::uint64_t, 2>> found(keys.size());
  keys.get(reinterpret_cast<ulonglong2*>(found.data()), found.size());
  return found;
}

bool DeviceTable::may_have_equal_rows() const {
  State& s = *state_;
  const std::size_t n = s.first_words.size();
  Buffer<unsigned long long> sorted(s.device, n);
  std::size_t size = 0;
  const auto sort = [&](void* room) {
    return cub::DeviceRadixSort::SortKeys(room, size, s.first_words.data(), sorted.data(),
                                          static_cast<int>(n), 0, 64, s.device.stream());
  };
  check_cuda(sort(nullptr), "sort");
  Buffer<char> scratch(s.device, size);
  check_cuda(sort(scratch.data()), "sort");
  Buffer<unsigned> any(s.device, 1);
  any.clear();
  equal_kernel<<<blocks_for(n, threads), threads, 0, s.device.stream()>>>(sorted.data(), n,
                                                                          any.data());
  check_launch("equal rows");
  unsigned found = 0;
  any.get(&found, 1);
  return found != 0;
}

void DeviceTable::keep(std::span<const Index> which) {
  State& s = *state_;
  const Buffer<int> rows(s.device, which.data(), which.size());
  const std::size_t size = which.size() * cols();
  s.with_type([&](const auto* table) {
    using T = std::remove_cvref_t<decltype(*table)>;
    Buffer<char> out(s.device, size * sizeof(T));
    auto* const to = reinterpret_cast<T*>(out.data());
    take_kernel<<<blocks_for(size, threads), threads, 0, s.device.stream()>>>(
        table, cols(), rows.data(), size, to);
    check_launch("distinct rows");
    s.kept.swap(out);
  });
  s.device.wait();
  s.points.data = s.kept.data();
  s.points.rows = which.size();
}

Moments DeviceTable::moments(double scale, const Context& context) {
  State& s = *state_;
  const std::size_t n = rows(), d = cols(), at_once = s.rows_at_once();
  const auto width = static_cast<int>(d);
  const double one = 1;
  Buffer<double> centred(s.device, at_once * d), ones(s.device, at_once), mean(s.device, d),
      sum(s.device, d), scatter(s.device, d * d);
  fill_kernel<<<blocks_for(at_once, threads), threads, 0, s.device.stream()>>>(ones.data(), at_once,
                                                                              1.0);
  mean.clear();
  scatter.clear();
  std::vector<double> shift(d), rest(d);
  // First around 0, for the mean; then around that, whose rounding the second sum takes away.
  for (const bool is_second : {false, true}) {
    sum.clear();
    for (std::size_t first = 0; first < n; first += at_once) {
      context.report_or_throw({.stage = "pca", .done = first, .total = n});
      const std::size_t count = std::min(at_once, n - first);
      s.centre(first, count, scale, mean, centred);
      // Rows here are the columns of cuBLAS.
      check_cublas(cublasDgemv(s.device.blas(), CUBLAS_OP_N, width, static_cast<int>(count), &one,
                               centred.data(), width, ones.data(), 1, &one, sum.data(), 1),
                   "mean");
      if (!is_second) continue;
      check_cublas(cublasDsyrk(s.device.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, width,
                               static_cast<int>(count), &one, centred.data(), width, &one,
                               scatter.data(), width),
                   "scatter");
    }
    sum.get(rest.data(), d);
    for (std::size_t j = 0; j < d; ++j) {
      rest[j] /= static_cast<double>(n);
      shift[j] += rest[j];
    }
    if (!is_second) mean.put(shift.data());
  }
  Moments all;
  all.n_rows = static_cast<double>(n);
  all.mean = std::move(shift);
  all.scatter = Matrix<double>::uninitialized(d, d);
  scatter.get(all.scatter.data(), d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      // The lower half by columns is the upper one by rows.
      const double value = all.scatter(j, i) - all.n_rows * rest[i] * rest[j];
      all.scatter(i, j) = value;
      all.scatter(j, i) = value;
    }
  }
  return all;
}

Matrix<double> DeviceTable::scores(std::span<const double> mean, const Matrix<double>& components,
                                   const Context& context) {
  State& s = *state_;
  const std::size_t n = rows(), d = cols(), rank = components.rows(), at_once = s.rows_at_once();
  const Buffer<double> shift(s.device, mean.data(), d);
  const Buffer<double> axes(s.device, components.data(), components.size());
  const Buffer<double> centred(s.device, at_once * d), placed(s.device, at_once * rank);
  auto result = Matrix<double>::uninitialized(n, rank);
  const double one = 1, zero = 0;
  for (std::size_t first = 0; first < n; first += at_once) {
    context.report_or_throw({.stage = "pca", .done = first, .total = n});
    const std::size_t count = std::min(at_once, n - first);
    s.centre(first, count, 1.0, shift, centred);
    check_cublas(cublasDgemm(s.device.blas(), CUBLAS_OP_T, CUBLAS_OP_N, static_cast<int>(rank),
                             static_cast<int>(count), static_cast<int>(d), &one, axes.data(),
                             static_cast<int>(d), centred.data(), static_cast<int>(d), &zero,
                             placed.data(), static_cast<int>(rank)),
                 "scores");
    placed.get(result.row(first).data(), count * rank);
  }
  return result;
}

namespace {

template <class T>
void copy_table(Device& device, const DevicePoints& points, MatrixView<T> out) {
  check_cuda(cudaDeviceSynchronize(), "wait for the table");
  device.copy_to_host(out.data, points.data, points.rows * points.cols * sizeof(T));
  device.wait();
}

template <class T>
OwnedDevicePoints made_there(Device& device, MatrixView<const T> rows) {
  const auto buffer = std::make_shared<Buffer<T>>(device, rows.data, rows.rows * rows.cols);
  device.wait();
  return {buffer, {buffer->data(), sizeof(T) == sizeof(float), rows.rows, rows.cols}};
}

}  // namespace

void copy_to_host(Device& device, const DevicePoints& points, MatrixView<double> out) {
  copy_table(device, points, out);
}
void copy_to_host(Device& device, const DevicePoints& points, MatrixView<float> out) {
  copy_table(device, points, out);
}
OwnedDevicePoints copy_to_device(Device& device, MatrixView<const double> rows) {
  return made_there(device, rows);
}
OwnedDevicePoints copy_to_device(Device& device, MatrixView<const float> rows) {
  return made_there(device, rows);
}

}  // namespace geotherm::detail
