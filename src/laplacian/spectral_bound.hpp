// Graph weights -> a number no eigenvalue of the combinatorial Laplacian exceeds.
#pragma once

#include <span>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Upper bound on the spectrum of Q - W for symmetric, non-negative W. `degree` holds the row sums
/// of W without its diagonal. Never above 2 max degree (Gershgorin). O(edges).
double combinatorial_spectral_bound(const SparseMatrix& weights, std::span<const double> degree);

}  // namespace geotherm::detail
