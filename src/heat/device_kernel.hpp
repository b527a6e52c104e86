// What BlockwiseKernel does, on a GPU: for kernels that are a series (BlockwiseKernel::series).
#pragma once

#include "heat/blockwise_kernel.hpp"

namespace geotherm::detail {

Matrix<double> device_apply(Device&, const BlockwiseKernel&, MatrixView<const double> block,
                            const Context&);
Matrix<double> device_rows(Device&, const BlockwiseKernel&, std::span<const Index> points,
                           const Context&);
Matrix<double> device_dense(Device&, const BlockwiseKernel&, const Context&);
std::vector<double> device_diagonal(Device&, const BlockwiseKernel&, const Context&);

}  // namespace geotherm::detail
