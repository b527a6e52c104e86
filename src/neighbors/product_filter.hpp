// Rules pairs out by a matrix product: |a - b|^2 = |a|^2 + |b|^2 - 2ab with a known error bound.
// In: points and queries in one frame. Out: for each query the points that the bound leaves.
#pragma once

#include <span>
#include <vector>

#include "neighbors/lists.hpp"

namespace geotherm::detail {

/// Centred points with |b|^2 as a last coordinate, in F, and the bound on what F loses.
///
/// With unit roundoff u, rounding the coordinates and summing d + 1 products in any order err by at
/// most (d + 4) u (|a| + |b|)^2 <= 2 (d + 4) u (|a|^2 + |b|^2); `loss` has a margin over that, and
/// `floor` covers products that underflow. Centring keeps the norms, and so the loss, near the size
/// of the distances; the power of two keeps them inside the range of F.
template <class F>
struct FilterPoints {
  Matrix<F> rows;             ///< the last column is |b|^2 (1 - loss)
  std::vector<double> norms;  ///< |b|^2
  double loss = 0;
  double floor = 0;
};

/// Of rows order[0], order[1], ...; of all as they are where that is empty.
template <class F, class T>
FilterPoints<F> filter_points(MatrixView<const T> rows, const Frame& frame,
                              std::span<const Index> order = {});

/// Offers to each query of [begin, end) every point whose bounds do not rule it out, then tightens
/// the sieves. Points and queries share a frame; where they are one object, a point is not offered
/// to itself, and those with numbers near its own come first. Points have the names that `order`
/// gives their numbers.
template <class F>
void filter_block(const FilterPoints<F>& points, const FilterPoints<F>& queries, std::size_t begin,
                  std::size_t end, std::vector<Sieve>& sieves, std::span<const Index> order = {});

}  // namespace geotherm::detail
