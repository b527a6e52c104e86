// Approximate neighbours of many points in many dimensions.
#pragma once

#include "neighbors/lists.hpp"

namespace geotherm::detail {

/// Measures must be squared. Needs a few hundred points at least.
template <class T>
NeighborLists approximate_search(const Space<T>&, const Cut&, const Context&);

/// Below this number of points the approximate search has nothing to gain.
constexpr std::size_t least_for_approximate = 1000;

}  // namespace geotherm::detail
