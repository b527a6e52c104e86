// Lists of some points made anew, where those of the others are as they have to be.
#pragma once

#include <span>

#include "geotherm/neighbors.hpp"

namespace geotherm::detail {

/// The lists with those of `rows` (each once) found again among all points: with all that lies
/// within options.reach of their knn-th neighbour. As find_neighbors by brute force has them, to the
/// bit. O(rows n d), by direct sums.
template <class T>
NeighborLists with_rows_found_again(const NeighborLists& lists, std::span<const Index> rows,
                                    MatrixView<const T> points, const NeighborOptions& options,
                                    const Context& context);
extern template NeighborLists with_rows_found_again(const NeighborLists&, std::span<const Index>,
                                                    MatrixView<const double>,
                                                    const NeighborOptions&, const Context&);
extern template NeighborLists with_rows_found_again(const NeighborLists&, std::span<const Index>,
                                                    MatrixView<const float>,
                                                    const NeighborOptions&, const Context&);

}  // namespace geotherm::detail
