// A host's own number of BLAS threads is what it was after our products.
#include <gtest/gtest.h>

#include "geotherm/core.hpp"
#include "linalg/blas.hpp"

extern "C" {
__attribute__((weak)) void openblas_set_num_threads(int);
__attribute__((weak)) int openblas_get_num_threads(void);
}

namespace geotherm::detail {
namespace {

TEST(HostThreads, AreLeftAsTheyWere) {
  if (openblas_set_num_threads == nullptr || openblas_get_num_threads == nullptr) {
    GTEST_SKIP() << "this build has no OpenBLAS";
  }
  const int before = openblas_get_num_threads();
  openblas_set_num_threads(2);
  Matrix<double> a(200, 200, 1.0), c(200, 200);
  gemm(1.0, a, false, a, false, 0.0, c.view());
  EXPECT_EQ(openblas_get_num_threads(), 2);
  ThreadPool pool(4);
  parallel_for({.executor = &pool}, 8, 1, [&](std::size_t, std::size_t) {
    Matrix<double> own(200, 200);
    gemm(1.0, a, false, a, false, 0.0, own.view());
  });
  EXPECT_EQ(openblas_get_num_threads(), 2);
  openblas_set_num_threads(before);
}

}  // namespace
}  // namespace geotherm::detail
