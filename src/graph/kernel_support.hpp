// Neighbour lists as long as a kernel needs them, within a bound on memory.
#pragma once

#include <functional>

#include "geotherm/neighbors.hpp"

namespace geotherm::detail {

/// Entries of all lists together where a kernel reaches far (small decay): 12 bytes each.
constexpr std::size_t most_kernel_entries = 120'000'000;

/// Whether lists_within_reach asks for whole lists: kernels of so short a reach have few entries.
bool is_searched_at_once(const NeighborOptions& options, std::size_t n_points,
                         std::size_t most_entries = most_kernel_entries);

/// What `find` gives for `options`, whose reach is the kernel's. Where lists could hold more than
/// `most_entries` together they are cut at the same length each, and truncated_share says how many
/// end before the kernel does.
NeighborLists lists_within_reach(const NeighborOptions& options, std::size_t n_points,
                                 const std::function<NeighborLists(const NeighborOptions&)>& find,
                                 std::size_t most_entries = most_kernel_entries);

}  // namespace geotherm::detail
