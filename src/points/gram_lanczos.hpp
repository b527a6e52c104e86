// The leading right singular vectors of a sparse table with centred columns, where the table has
// many rows and some thousand columns, and its spectrum is flat, as that of scaled genes is.
#pragma once

#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

struct LeadingDirections {
  Matrix<double> right;        ///< rank x cols, orthonormal rows, largest entry positive
  std::vector<double> values;  ///< singular values, falling
  Outcome outcome = Outcome::converged;
};
/// Lanczos on A^T A with reorthogonalisation where it is due and no restarts, A = table - 1 mean^T:
/// memory for a second copy of the table and some 10 x rank vectors of `cols` at the most. Squares
/// of singular values have settled to 1e-10 of the largest. rank < min(rows, cols).
LeadingDirections leading_directions(const SparseMatrix& table, std::span<const double> mean,
                                     std::size_t rank, const Context& context);

/// y += factor * x.
void add_multiple(double factor, const double* x, double* y, std::size_t n);

}  // namespace geotherm::detail
