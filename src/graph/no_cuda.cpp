// Shortest paths of a library that was built for the CPU alone: none on a device.
#include "graph/device_paths.hpp"

namespace geotherm::detail {

std::unique_ptr<DevicePaths> device_paths(const Context&, const SparseMatrix&,
                                          std::span<const double>) {
  return nullptr;
}

}  // namespace geotherm::detail
