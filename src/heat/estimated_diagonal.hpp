// The diagonal of a heat kernel without n x n numbers.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "geotherm/heat.hpp"

namespace geotherm::detail {

/// h_t(i, i) for all i from the kernel of time t / 2, to a per cent or so: some 450 products.
std::vector<double> estimated_diagonal(const DiffusionKernel& half_time, const Context&);

/// The same for several times at once, times x n, by Hutchinson's estimator alone: its relative
/// error is about sqrt(2 / n_probes). Probes are the streams (seed, purpose, 0), ...
Matrix<double> estimated_diagonals(const Laplacian&, std::span<const double> times,
                                   std::size_t n_probes, std::string_view purpose, const Context&);

}  // namespace geotherm::detail
