// Rows of the heat kernel, to the accuracy that distances in single precision need.
#pragma once

#include <span>

#include "geotherm/heat.hpp"

namespace geotherm::detail {

/// As kernel.rows, with an error of at most about 1e-6 in the logarithm of every entry: by a
/// Chebyshev series, which has a third of the terms, where no entry within a component is so small
/// that rounding shows. `kernel` is that of the Laplacian and symmetric; `component` is that of
/// each point.
Matrix<double> rows_in_single(const DiffusionKernel& kernel, const Laplacian&,
                              std::span<const Index> component, std::span<const Index> points,
                              const Context&);

}  // namespace geotherm::detail
