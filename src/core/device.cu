#include <algorithm>
#include <new>
#include <vector>

#include "core/cuda.cuh"

namespace geotherm {
namespace detail {

void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  throw std::runtime_error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

void check_cublas(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string("cuBLAS: ") + what + ": " + cublasGetStatusString(status));
}

std::size_t free_memory(const Device& device) { return device.memory_free(); }

std::size_t bytes_to_host(const Device& device) { return device.bytes_to_host(); }

void device_wait(const Device& device) { device.wait(); }

double copy_bandwidth(Device& device) {
  constexpr std::size_t size = std::size_t{1} << 32;
  constexpr int repeats = 10;
  Buffer<char> from(device, size), to(device, size);
  from.clear();
  cudaEvent_t begin, end;
  check_cuda(cudaEventCreate(&begin), "event");
  check_cuda(cudaEventCreate(&end), "event");
  for (int r = 0; r <= repeats; ++r) {  // the first is not counted
    if (r == 1) check_cuda(cudaEventRecord(begin, device.stream()), "event");
    check_cuda(cudaMemcpyAsync(to.data(), from.data(), size, cudaMemcpyDeviceToDevice,
                               device.stream()),
               "copy");
  }
  check_cuda(cudaEventRecord(end, device.stream()), "event");
  device.wait();
  float taken_ms = 0;
  check_cuda(cudaEventElapsedTime(&taken_ms, begin, end), "event");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return 2.0 * repeats * static_cast<double>(size) / (1e-3 * static_cast<double>(taken_ms));
}

namespace {

constexpr int gather_threads = 256, units_of_row = 16;

/// Rows of 256 bytes from anywhere, eight at once, then as many others written as there are rows.
__global__ void __launch_bounds__(gather_threads)
    gather_kernel(const double2* x, double2* y, const int* places, int n_places, int n_rows) {
  const std::size_t panel = blockIdx.y * static_cast<std::size_t>(n_rows) * units_of_row;
  const int unit = threadIdx.x % units_of_row;
  const int first = (blockIdx.x * gather_threads + threadIdx.x) / units_of_row;
  const int at_once = gridDim.x * (gather_threads / units_of_row);
  constexpr int ahead = 8;
  double2 sum = {};
  for (int r = first; r < n_places; r += ahead * at_once) {
    double2 values[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      const int place = places[min(r + k * at_once, n_places - 1)];
      values[k] = __ldcg(x + panel + static_cast<std::size_t>(place) * units_of_row + unit);
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      sum.x += values[k].x;
      sum.y += values[k].y;
    }
  }
  for (int r = first; r < n_rows; r += at_once) {
    __stcs(y + panel + static_cast<std::size_t>(r) * units_of_row + unit, sum);
  }
}

}  // namespace

double gather_bandwidth(Device& device, std::size_t n_rows, std::size_t n_panels) {
  constexpr int repeats = 10;
  const std::size_t size = n_rows * n_panels * units_of_row, n_places = 11 * n_rows / 5;
  Buffer<double2> x(device, size), y(device, size);
  x.clear();
  std::vector<int> places(n_places);
  Rng rng(1, "device.gather");
  for (int& place : places) place = static_cast<int>(rng.below(n_rows));
  const Buffer<int> from(device, places.data(), n_places);
  const double bytes = 16.0 * units_of_row * static_cast<double>((n_places + n_rows) * n_panels);
  cudaEvent_t begin, end;
  check_cuda(cudaEventCreate(&begin), "event");
  check_cuda(cudaEventCreate(&end), "event");
  double best = 0;
  for (const int blocks_each : {2, 4, 8, 16}) {
    const dim3 grid(static_cast<unsigned>(blocks_each * device.info().n_multiprocessors),
                    static_cast<unsigned>(n_panels));
    for (int r = 0; r <= repeats; ++r) {  // the first is not counted
      if (r == 1) check_cuda(cudaEventRecord(begin, device.stream()), "event");
      gather_kernel<<<grid, gather_threads, 0, device.stream()>>>(
          x.data(), y.data(), from.data(), static_cast<int>(n_places), static_cast<int>(n_rows));
    }
    check_launch("gather");
    check_cuda(cudaEventRecord(end, device.stream()), "event");
    device.wait();
    float taken_ms = 0;
    check_cuda(cudaEventElapsedTime(&taken_ms, begin, end), "event");
    best = std::max(best, repeats * bytes / (1e-3 * static_cast<double>(taken_ms)));
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return best;
}

std::unique_ptr<Device> make_device() { return std::make_unique<Device>(); }

namespace {

DeviceInfo info_of(int number) {
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, number), "device properties");
  DeviceInfo info;
  info.name = properties.name;
  info.memory = properties.totalGlobalMem;
  info.n_multiprocessors = properties.multiProcessorCount;
  info.cache = static_cast<std::size_t>(properties.l2CacheSize);
  return info;
}

}  // namespace

Device::Device() : info_(info_of(0)) {
  check_cuda(cudaSetDevice(0), "choose the device");
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = 0;
  check_cuda(cudaMemPoolCreate(&pool_, &properties), "memory pool");
  // What was given back stays with the pool: stages ask for the same sizes again.
  std::uint64_t keep = UINT64_MAX;
  check_cuda(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), "memory pool");
}

Device::~Device() {
  if (blas_ != nullptr) cublasDestroy(blas_);
  if (stream_ != nullptr) cudaStreamSynchronize(stream_);
  if (pool_ != nullptr) cudaMemPoolDestroy(pool_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

cublasHandle_t Device::blas() {
  if (blas_ == nullptr) {
    check_cublas(cublasCreate(&blas_), "start");
    check_cublas(cublasSetStream(blas_, stream_), "stream");
  }
  return blas_;
}

std::size_t Device::memory_free() const {
  std::size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "memory");
  std::uint64_t reserved = 0, used = 0;
  check_cuda(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved), "memory");
  check_cuda(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &used), "memory");
  return free + static_cast<std::size_t>(reserved - used);
}

void* Device::allocate(std::size_t n_bytes) {
  void* place = nullptr;
  cudaError_t status =
      cudaMallocFromPoolAsync(&place, std::max<std::size_t>(n_bytes, 1), pool_, stream_);
  if (status == cudaErrorMemoryAllocation) {
    // What the pool keeps may lie in pieces.
    cudaGetLastError();
    wait();
    cudaMemPoolTrimTo(pool_, 0);
    status = cudaMallocFromPoolAsync(&place, n_bytes, pool_, stream_);
  }
  check_cuda(status, "memory");
  return place;
}

void Device::free(void* place) noexcept { cudaFreeAsync(place, stream_); }

namespace {

std::shared_ptr<void> shared_memory(Device& device, std::size_t n_bytes) {
  return {device.allocate(n_bytes), [&device](void* place) { device.free(place); }};
}

constexpr std::size_t rows_at_once = 256;

}  // namespace

ResidentDistances make_resident(Device& device, std::size_t n, std::vector<Index> node) {
  ResidentDistances d;
  d.device = &device;
  d.n = n;
  d.pitch = (n + 31) / 32 * 32;
  d.memory = shared_memory(device, n * d.pitch * sizeof(float));
  d.values = static_cast<float*>(d.memory.get());
  d.node = std::move(node);
  return d;
}

Matrix<double> download_rows(const ResidentDistances& d, std::span<const Index> points) {
  std::vector<std::size_t> position(d.n);
  for (std::size_t p = 0; p < d.n; ++p) position[static_cast<std::size_t>(d.node[p])] = p;
  auto out = Matrix<double>::uninitialized(points.size(), d.n);
  std::vector<float> row(d.n);
  for (std::size_t r = 0; r < points.size(); ++r) {
    const float* from = d.values + position[static_cast<std::size_t>(points[r])] * d.pitch;
    d.device->copy_to_host(row.data(), from, d.n * sizeof(float));
    d.device->wait();
    for (std::size_t p = 0; p < d.n; ++p) {
      out(r, static_cast<std::size_t>(d.node[p])) = static_cast<double>(row[p]);
    }
  }
  return out;
}

Matrix<double> download(const ResidentDistances& d, const Context& context) {
  auto out = Matrix<double>::uninitialized(d.n, d.n);
  std::vector<float> rows(rows_at_once * d.pitch);
  for (std::size_t first = 0; first < d.n; first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, d.n - first);
    d.device->copy_to_host(rows.data(), d.values + first * d.pitch,
                           count * d.pitch * sizeof(float));
    d.device->wait();
    parallel_for(context, count, 8, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        const auto to = out.row(static_cast<std::size_t>(d.node[first + r]));
        for (std::size_t p = 0; p < d.n; ++p) {
          to[static_cast<std::size_t>(d.node[p])] = static_cast<double>(rows[r * d.pitch + p]);
        }
      }
    });
  }
  // The halves come from two sums of the same numbers and differ by a rounding of float32.
  parallel_for(context, d.n, 32, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < i; ++j) out(i, j) = out(j, i);
    }
  });
  return out;
}

void replace(ResidentDistances& d, MatrixView<const double> distances) {
  std::vector<float> rows(rows_at_once * d.pitch, 0.0F);
  for (std::size_t first = 0; first < d.n; first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, d.n - first);
    for (std::size_t r = 0; r < count; ++r) {
      const auto from = distances.row(static_cast<std::size_t>(d.node[first + r]));
      for (std::size_t p = 0; p < d.n; ++p) {
        rows[r * d.pitch + p] = static_cast<float>(from[static_cast<std::size_t>(d.node[p])]);
      }
      rows[r * d.pitch + first + r] = 0;
    }
    check_cuda(cudaMemcpyAsync(d.values + first * d.pitch, rows.data(),
                               count * d.pitch * sizeof(float), cudaMemcpyHostToDevice,
                               d.device->stream()),
               "copy to the device");
    d.device->wait();
  }
}

ResidentDistances upload(Device& device, MatrixView<const double> distances) {
  std::vector<Index> node(distances.rows);
  for (std::size_t i = 0; i < node.size(); ++i) node[i] = static_cast<Index>(i);
  ResidentDistances d = make_resident(device, distances.rows, std::move(node));
  replace(d, distances);
  return d;
}

}  // namespace detail

bool is_built_with_cuda() noexcept { return true; }

std::string why_no_cuda_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return {};
  cudaGetLastError();
  return std::string("no CUDA device was found (") +
         (status == cudaSuccess ? "the driver lists none" : cudaGetErrorString(status)) +
         "); nvidia-smi shows what the driver sees, and device cpu needs none";
}

std::optional<DeviceInfo> cuda_device() {
  if (!why_no_cuda_device().empty()) return std::nullopt;
  DeviceInfo info = detail::info_of(0);
  std::size_t total = 0;
  if (cudaMemGetInfo(&info.memory_free, &total) != cudaSuccess) info.memory_free = 0;
  return info;
}

DeviceExecutor::DeviceExecutor(Executor* threads)
    : threads_(threads), device_(detail::make_device()) {}

DeviceExecutor::~DeviceExecutor() = default;

}  // namespace geotherm
