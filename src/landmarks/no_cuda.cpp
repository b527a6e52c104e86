// Shares of landmarks and sweeps in a library that was built for the CPU alone: none on a device.
#include "landmarks/device_shares.hpp"
#include "landmarks/device_sweeps.hpp"

namespace geotherm::detail {

bool spread_on_device(const Context&, const SparseMatrix&, std::size_t,
                      std::span<std::pair<Index, float>>) {
  return false;
}

std::unique_ptr<DeviceSweeps> device_sweeps(const Context&, const SweepProblem&) { return nullptr; }

}  // namespace geotherm::detail
