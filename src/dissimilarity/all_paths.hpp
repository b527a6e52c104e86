// A symmetric matrix of lengths -> shortest paths between all of its points.
#pragma once

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Lowers every entry of a symmetric matrix without negative entries to the length of the shortest
/// path over its entries; infinite where there is none, 0 on the diagonal. Floyd and Warshall by
/// tiles: n^3 / 2 sums, another n x n array. Symmetric to the bit.
void lower_to_paths(MatrixView<double> lengths, const Context&);

}  // namespace geotherm::detail
