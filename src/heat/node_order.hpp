// An order of the points in which neighbours lie close together: breadth first from the rim of each
// component. Blocks of vectors stored in it stay in cache, and what a point reaches in k hops is a
// short range of positions.
#pragma once

#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

struct NodeOrder {
  std::vector<Index> node;                         ///< position -> point
  std::vector<Index> position;                     ///< point -> position
  std::vector<std::size_t> component_begin = {0};  ///< positions; one more than components
  std::vector<Index>
      centre;  ///< position of a point halfway along a longest hop path, by component

  std::size_t n_components() const { return centre.size(); }
};

/// Edges are the stored entries of `a`, taken in both directions; `transposed` is a's transpose
/// where the pattern is not symmetric, null where it is. O(entries).
NodeOrder breadth_first_order(const SparseMatrix& a, const SparseMatrix* transposed = nullptr);

/// P a P^T: rows and columns renumbered by position.
SparseMatrix renumbered(const SparseMatrix& a, const NodeOrder& order);

}  // namespace geotherm::detail
