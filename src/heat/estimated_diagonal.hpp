// The diagonal of a heat kernel without n x n numbers.
#pragma once

#include <vector>

#include "geotherm/heat.hpp"

namespace geotherm::detail {

/// h_t(i, i) for all i from the kernel of time t / 2, to a per cent or so: some 450 products.
std::vector<double> estimated_diagonal(const DiffusionKernel& half_time, const Context&);

}  // namespace geotherm::detail
