// The makers behind heat_kernel, one per method; options are already checked.
#pragma once

#include <memory>
#include <string>

#include "geotherm/heat.hpp"

namespace geotherm::detail {

/// `plans_dense`: how the n x n form is best made is found out at once.
std::unique_ptr<DiffusionKernel> uniformization_kernel(const Laplacian&, const HeatKernelOptions&,
                                                       bool plans_dense = true);
std::unique_ptr<DiffusionKernel> chebyshev_kernel(const Laplacian&, const HeatKernelOptions&);
std::unique_ptr<DiffusionKernel> euler_kernel(const Laplacian&, const HeatKernelOptions&);
std::unique_ptr<DiffusionKernel> exact_kernel(const Laplacian&, const HeatKernelOptions&);

/// A number for a message: "0.5", "1e-08".
std::string in_words(double);

}  // namespace geotherm::detail
