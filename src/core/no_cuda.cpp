// What a library that was built for the CPU alone says of CUDA devices.
#include "core/device.hpp"

namespace geotherm {
namespace detail {

class Device {};

}  // namespace detail

namespace {

constexpr const char* no_cuda =
    "this program was built for the CPU alone; configure with -DGEOTHERM_WITH_CUDA=ON (CUDA 12 or "
    "later), see docs/gpu.md";

}  // namespace

bool is_built_with_cuda() noexcept { return false; }

std::optional<DeviceInfo> cuda_device() { return std::nullopt; }
std::string why_no_cuda_device() { return no_cuda; }

DeviceExecutor::DeviceExecutor(Executor* threads) : threads_(threads) {
  throw InvalidArgument(no_cuda);
}

DeviceExecutor::~DeviceExecutor() = default;

}  // namespace geotherm
