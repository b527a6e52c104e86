// Laplacian -> a symmetric matrix with the same heat, in cache-friendly order.
#pragma once

#include <vector>

#include "geotherm/laplacian.hpp"
#include "heat/node_order.hpp"

namespace geotherm::detail {

/// L = S^-1 M S with M symmetric: M = L and S = 1 for the symmetric kinds; for the random walk M is
/// the normalised Laplacian and S = Q^1/2. Then exp(-tL) = S^-1 exp(-tM) S, a change of scale that
/// keeps every entry's relative accuracy.
struct SymmetricForm {
  NodeOrder order;
  SparseMatrix matrix;        ///< M, rows and columns by position; the diagonal is stored
  std::vector<double> scale;  ///< S by position; empty where it is 1
  double spectral_bound = 0;
  double largest_diagonal = 0;
  /// Smallest over largest entry of the vector that M sends to 0: 1, or (q_min / q_max)^1/2.
  double stationary_ratio = 1;

  std::size_t size() const { return matrix.rows; }
};

/// Refuses what is no Laplacian: not square, a positive entry off the diagonal, a missing or
/// negative diagonal, an entry that is not finite.
SymmetricForm symmetric_form(const Laplacian&);

/// Largest S_j / S_i: how far the change of scale can blow up an absolute error.
double scale_ratio(const SymmetricForm&);

}  // namespace geotherm::detail
