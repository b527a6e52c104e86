// Neighbour lists of points that were put into an order of their own, near in which is near in
// space: graphs of large tables then find the ends of a point's edges in the cache.
#pragma once

#include <vector>

#include "geotherm/neighbors.hpp"

namespace geotherm::detail {

/// From so many points on the order is worth it: the graph no longer fits into the caches.
inline constexpr std::size_t least_to_order = 100'000;

/// find_neighbors with points renumbered: point k of the lists is row order[k].
template <class T>
NeighborLists neighbors_in_order(MatrixView<const T> points, const NeighborOptions&,
                                 std::vector<Index>& order, const Context&);
extern template NeighborLists neighbors_in_order(MatrixView<const double>, const NeighborOptions&,
                                                 std::vector<Index>&, const Context&);
extern template NeighborLists neighbors_in_order(MatrixView<const float>, const NeighborOptions&,
                                                 std::vector<Index>&, const Context&);

/// From rows -> points -> places in `order` to rows -> places.
inline void renumber(std::vector<Index>& unique_inverse, const std::vector<Index>& order) {
  std::vector<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    place[static_cast<std::size_t>(order[k])] = static_cast<Index>(k);
  }
  for (Index& point : unique_inverse) point = place[static_cast<std::size_t>(point)];
}

}  // namespace geotherm::detail
