// Classical scaling behind its public function: of a problem that has been checked.
#pragma once

#include "embedding/problem.hpp"

namespace geotherm::detail {

struct ClassicalLayout {
  Matrix<double> coordinates;  ///< n x n_components, oriented, in the caller's units
  std::size_t n_products = 0;
  Outcome outcome = Outcome::converged;
};
/// `tolerance`: residual of the eigenvectors; 1e-10 for a result, 1e-3 for a start.
ClassicalLayout classical_layout(const Problem&, std::size_t n_components, double tolerance,
                                 const Context&);

}  // namespace geotherm::detail
