#include "core/device.hpp"

namespace geotherm {

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::cuda:
      return "cuda";
    case DeviceKind::automatic:
      return "auto";
  }
  return "unknown";
}

std::optional<DeviceKind> device_kind_named(std::string_view name) {
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::automatic}) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

double exact_device_memory(std::size_t n_points) {
  const double n = static_cast<double>(n_points);
  constexpr double columns = 1024;  // under way at once
  return 2 * 4 * n * n + 4 * 8 * n * columns + 5e8;
}

void DeviceExecutor::run(std::size_t n_blocks, const std::function<void(std::size_t)>& work) {
  if (threads_ != nullptr) {
    threads_->run(n_blocks, work);
    return;
  }
  for (std::size_t b = 0; b < n_blocks; ++b) work(b);
}

std::size_t DeviceExecutor::n_threads() const {
  return threads_ == nullptr ? 1 : threads_->n_threads();
}

DeviceContext on_device(DeviceKind kind, const Context& context) {
  DeviceContext on{.context = context, .executor = nullptr};
  if (kind == DeviceKind::cpu) return on;
  const std::optional<DeviceInfo> info = cuda_device();
  if (!info) {
    if (kind == DeviceKind::cuda)
      throw InvalidArgument("`device` is cuda: " + why_no_cuda_device());
    context.info("device: cpu (" + why_no_cuda_device() + ")");
    return on;
  }
  on.executor = std::make_unique<DeviceExecutor>(context.executor);
  on.context.executor = on.executor.get();
  context.info("device: " + info->name);
  return on;
}

namespace detail {

Device* device_of(const Context& context) {
  if (context.executor == nullptr || !is_built_with_cuda()) return nullptr;
  const auto* executor = dynamic_cast<const DeviceExecutor*>(context.executor);
  return executor == nullptr ? nullptr : &executor->device();
}

}  // namespace detail
}  // namespace geotherm
