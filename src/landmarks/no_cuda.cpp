// Shares of landmarks in a library that was built for the CPU alone: none on a device.
#include "landmarks/device_shares.hpp"

namespace geotherm::detail {

bool spread_on_device(const Context&, const SparseMatrix&, std::size_t,
                      std::span<std::pair<Index, float>>) {
  return false;
}

}  // namespace geotherm::detail
