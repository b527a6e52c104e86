// Exact neighbours with a GPU: it names the candidates, the CPU measures them.
#pragma once

#include <optional>

#include "core/device.hpp"
#include "neighbors/lists.hpp"

namespace geotherm::detail {

/// Fewer points, more points (all pairs would take longer than an approximate search) and longer
/// lists are left to others.
bool suits_device_search(std::size_t n, const Cut&, Measure);
/// The lists of brute_force, to the bit: candidates are those within reach of the k-th nearest by
/// matrix products in double, with room for the rounding, and are measured as everywhere.
template <class T>
NeighborLists device_search(Device&, const Space<T>&, const Cut&, const Context&);

}  // namespace geotherm::detail
