// Dense products on one thread: BLAS where the build found one, Eigen elsewhere. Callers cut the
// work into fixed tiles and run those in parallel themselves, so the bits do not depend on threads.
#pragma once

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// C = alpha op(A) op(B) + beta C for row-major views; op transposes where asked.
void gemm(double alpha, MatrixView<const double> a, bool transpose_a, MatrixView<const double> b,
          bool transpose_b, double beta, MatrixView<double> c);
void gemm(float alpha, MatrixView<const float> a, bool transpose_a, MatrixView<const float> b,
          bool transpose_b, float beta, MatrixView<float> c);

/// What stands behind: "OpenBLAS 0.3.21 ..." or "Eigen".
const char* blas_name();

}  // namespace geotherm::detail
