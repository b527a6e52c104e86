// The diagonal of a heat kernel without n x n numbers.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "geotherm/heat.hpp"

namespace geotherm::detail {

/// h_t(i, i) for all i from some of its rows (those of `points`, r x n) and the kernel of time t /
/// 2, to a per cent or so: 64 products. Of symmetric kernels.
std::vector<double> estimated_diagonal(const Matrix<double>& rows, std::span<const Index> points,
                                       const DiffusionKernel& half_time, const Context&);

/// Of several times at once, times x n, by Hutchinson's estimator alone: its relative
/// error is about sqrt(2 / n_probes). Probes are the streams (seed, purpose, 0), ...
Matrix<double> estimated_diagonals(const Laplacian&, std::span<const double> times,
                                   std::size_t n_probes, std::string_view purpose, const Context&);

}  // namespace geotherm::detail
