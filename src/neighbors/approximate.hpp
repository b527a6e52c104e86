// Approximate neighbours by cells: each point is compared with those of the cells nearest to it.
#pragma once

#include "neighbors/lists.hpp"

namespace geotherm::detail {

/// Measures must be squared. How many cells a point looks into is chosen on a sample whose true
/// neighbours are known, so that .99 of them are found; where that takes more than 65,536
/// comparisons a point, fewer are, and a warning says how many. Where it takes most of the cells,
/// brute force (NeighborLists::search_used says so).
template <class T>
NeighborLists approximate_search(const Space<T>&, const Cut&, const Context&);

/// Below this number of points the approximate search has nothing to gain.
constexpr std::size_t least_for_approximate = 1000;

/// For measures without products: candidates from a Euclidean space that resembles theirs, measured
/// as they are; then the neighbours of neighbours, until a sample shows that .99 are found or that
/// it is of no use. Warns where many are missed. All pairs of so few rows that they cost no more.
template <class T>
NeighborLists search_by_proxy(const Space<T>& space, const Cut& cut, const Context& context);

}  // namespace geotherm::detail
