// Points -> a first guess of their neighbours, by trees of random splits.
#pragma once

#include <vector>

#include "neighbors/near_table.hpp"

namespace geotherm::detail {

/// The points in the order of the cells of one random tree: near in it means near in space.
std::vector<Index> local_order(const Matrix<float>& points, const Context& context);

/// Cuts the points `n_trees` times into small cells by random hyperplanes and offers to each point
/// all others of its cells. Trees and cells are independent, so threads change nothing.
void offer_by_forest(const Matrix<float>& points, std::size_t n_trees, NearTable& table,
                     const Context& context);

}  // namespace geotherm::detail
