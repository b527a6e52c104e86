// An order of points in which those that are near in space are near as a rule.
#pragma once

#include <vector>

#include "neighbors/space.hpp"

namespace geotherm::detail {

/// Halves by the column that varies most, over and over, down to groups of at most `most` points;
/// those of a group ascending. O(n d) for each halving at most.
template <class T>
std::vector<Index> spatial_order(const Matrix<T>& rows, std::size_t most, const Context& context);
extern template std::vector<Index> spatial_order(const Matrix<float>&, std::size_t,
                                                 const Context&);
extern template std::vector<Index> spatial_order(const Matrix<double>&, std::size_t,
                                                 const Context&);

}  // namespace geotherm::detail
