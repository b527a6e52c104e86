// Paths and weights of a library that was built for the CPU alone: none on a device.
#include "graph/device_paths.hpp"
#include "graph/device_unite.hpp"

namespace geotherm::detail {

std::unique_ptr<DevicePaths> device_paths(const Context&, const SparseMatrix&,
                                          std::span<const double>) {
  return nullptr;
}

std::optional<Graph> alpha_decay_on_device(const Context&, const NeighborLists&,
                                           const AffinityOptions&) {
  return std::nullopt;
}

std::optional<SparseMatrix> memberships_on_device(const Context&, const Graph&, std::size_t) {
  return std::nullopt;
}

}  // namespace geotherm::detail
