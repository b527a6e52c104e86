// One CUDA device: its stream, its memory pool, its BLAS; buffers that give their memory back.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <string>

#include "core/device.hpp"

namespace geotherm::detail {

/// Throws std::bad_alloc where memory ended, std::runtime_error else.
void check_cuda(cudaError_t status, const char* what);
void check_cublas(cublasStatus_t status, const char* what);

class Device {
 public:
  Device();
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  cudaStream_t stream() const { return stream_; }
  /// Made when first asked for.
  cublasHandle_t blas();
  const DeviceInfo& info() const { return info_; }
  std::size_t memory_free() const;
  void* allocate(std::size_t n_bytes);
  void free(void* place) noexcept;
  void wait() const { check_cuda(cudaStreamSynchronize(stream_), "wait"); }
  /// Every copy to the host is made by this one; it has ended after wait().
  void copy_to_host(void* to, const void* from, std::size_t n_bytes) {
    check_cuda(cudaMemcpyAsync(to, from, n_bytes, cudaMemcpyDeviceToHost, stream_),
               "copy from the device");
    bytes_to_host_ += n_bytes;
  }
  std::size_t bytes_to_host() const { return bytes_to_host_; }

 private:
  DeviceInfo info_;
  cudaStream_t stream_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
  cublasHandle_t blas_ = nullptr;
  std::size_t bytes_to_host_ = 0;
};

/// Memory of the device's pool, given back in the order of its stream.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, std::size_t size)
      : device_(&device), size_(size), data_(static_cast<T*>(device.allocate(size * sizeof(T)))) {}
  Buffer(Device& device, const T* host, std::size_t size) : Buffer(device, size) { put(host); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) device_->free(data_);
  }
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  void put(const T* host) {
    check_cuda(cudaMemcpyAsync(data_, host, size_ * sizeof(T), cudaMemcpyHostToDevice,
                               device_->stream()),
               "copy to the device");
  }
  /// Waits until the values are there.
  void get(T* host, std::size_t count, std::size_t from = 0) const {
    device_->copy_to_host(host, data_ + from, count * sizeof(T));
    device_->wait();
  }
  void clear() {
    check_cuda(cudaMemsetAsync(data_, 0, size_ * sizeof(T), device_->stream()), "clear");
  }

 private:
  Device* device_ = nullptr;
  std::size_t size_ = 0;
  T* data_ = nullptr;
};

/// Memory of the host that copies need no detour from.
template <class T>
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() {
    if (data_ != nullptr) cudaFreeHost(data_);
  }
  void resize(std::size_t size) {
    if (size == size_) return;
    if (data_ != nullptr) cudaFreeHost(data_);
    data_ = nullptr;
    check_cuda(cudaMallocHost(reinterpret_cast<void**>(&data_), size * sizeof(T)), "host memory");
    size_ = size;
  }
  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

inline unsigned blocks_for(std::size_t n, std::size_t per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}
inline void check_launch(const char* what) { check_cuda(cudaGetLastError(), what); }

}  // namespace geotherm::detail
