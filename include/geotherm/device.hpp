// Where the costly stages of a run are computed: the CPU, or a CUDA device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "geotherm/core.hpp"

namespace geotherm {

/// automatic: the GPU where the library was built for one and a device is there, else the CPU.
enum class DeviceKind { cpu, cuda, automatic };
std::string_view to_string(DeviceKind);
std::optional<DeviceKind> device_kind_named(std::string_view);

struct DeviceInfo {
  std::string name;             ///< as the driver has it
  std::size_t memory = 0;       ///< bytes
  std::size_t memory_free = 0;  ///< bytes, when asked
  int n_multiprocessors = 0;
  std::size_t cache = 0;  ///< bytes of the second-level cache
};

/// A table in the GPU's memory, made elsewhere (CuPy, torch, ...): row-major, without gaps. A view.
struct DevicePoints {
  const void* data = nullptr;  ///< not readable from the host
  bool is_single = false;      ///< float32, else float64
  std::size_t rows = 0, cols = 0;
};

/// Whether this library was built with -DGEOTHERM_WITH_CUDA=ON.
bool is_built_with_cuda() noexcept;
/// The first CUDA device; empty where there is none.
std::optional<DeviceInfo> cuda_device();
/// Why there is none, with the remedy; empty where there is one.
std::string why_no_cuda_device();

/// Bytes of GPU memory that the exact method needs for n points: distances at two times in float32,
/// and the columns of the kernel that are being computed.
double exact_device_memory(std::size_t n_points);

namespace detail {
class Device;
}

/// Threads as those of another executor, and a GPU: modules with a device implementation use it.
/// One run at a time.
class DeviceExecutor final : public Executor {
 public:
  /// `threads` must outlive it. Refuses where no device can be used (InvalidArgument).
  explicit DeviceExecutor(Executor* threads);
  ~DeviceExecutor() override;
  void run(std::size_t n_blocks, const std::function<void(std::size_t)>& work) override;
  std::size_t n_threads() const override;
  detail::Device& device() const { return *device_; }

 private:
  Executor* threads_;
  std::unique_ptr<detail::Device> device_;
};

/// A context, and the executor of its device, which has to live as long; null on the CPU.
struct DeviceContext {
  Context context;
  std::unique_ptr<Executor> executor;
};
/// The context with a device, or as it was. cuda: refused where there is no device. automatic: the
/// log says which one is used.
DeviceContext on_device(DeviceKind, const Context&);

}  // namespace geotherm
