// Branches of an order, by the persistence of its maxima.
#pragma once

#include <span>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm::detail {

/// One maximum of the order with the cells that lead up to it and to no higher one.
struct OrderBranch {
  double top = 0;  ///< value of the maximum
  Index top_cell = 0;
  double saddle =
      0;  ///< value at which it joins its parent; the order's least value for the main branch
  Index parent = -1;  ///< the branch with the higher maximum that it joins; -1: the main branch
};
struct OrderBranches {
  std::vector<OrderBranch> branches;  ///< parents before children
  std::vector<Index> branch_of;       ///< of each cell
};
/// The merge tree of the sets {order >= level} on a connected graph (0-dimensional persistence): a
/// maximum is a branch where top - saddle >= `least_length` and at least `least_cells` cells lie
/// above the saddle; others are part of the branch that they join. O(edges log n).
OrderBranches branches_of(const SparseMatrix& graph, std::span<const double> order,
                          double least_length, std::size_t least_cells);

/// The order with the branches stretched from their saddles on so that a branch's top T becomes
/// T^(1 - share) M^share, M the highest top: 0 leaves the order as it is, 1 ends all branches
/// together. Order within a branch stays; no branch is shortened. Values are >= 0.
std::vector<double> with_even_ends(std::span<const double> order, const OrderBranches&,
                                   double share);

}  // namespace geotherm::detail
