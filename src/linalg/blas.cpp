#include "linalg/blas.hpp"

#ifdef GEOTHERM_WITH_BLAS
#include <cblas.h>

#include "core/blas_area.hpp"
#else
#include <Eigen/Core>
#endif

namespace geotherm::detail {

#ifdef GEOTHERM_WITH_BLAS

extern "C" {
// OpenBLAS's own; absent from other BLAS libraries, hence weak.
__attribute__((weak)) char* openblas_get_config();
}

namespace {

CBLAS_TRANSPOSE flag(bool transpose) { return transpose ? CblasTrans : CblasNoTrans; }

template <class T>
int leading(const MatrixView<T>& m) {
  return static_cast<int>(m.stride > 0 ? m.stride : 1);
}

}  // namespace

void gemm(double alpha, MatrixView<const double> a, bool transpose_a, MatrixView<const double> b,
          bool transpose_b, double beta, MatrixView<double> c) {
  const BlasTurn turn;
  const std::size_t inner = transpose_a ? a.rows : a.cols;
  cblas_dgemm(CblasRowMajor, flag(transpose_a), flag(transpose_b), static_cast<int>(c.rows),
              static_cast<int>(c.cols), static_cast<int>(inner), alpha, a.data, leading(a), b.data,
              leading(b), beta, c.data, leading(c));
}

void gemm(float alpha, MatrixView<const float> a, bool transpose_a, MatrixView<const float> b,
          bool transpose_b, float beta, MatrixView<float> c) {
  const BlasTurn turn;
  const std::size_t inner = transpose_a ? a.rows : a.cols;
  cblas_sgemm(CblasRowMajor, flag(transpose_a), flag(transpose_b), static_cast<int>(c.rows),
              static_cast<int>(c.cols), static_cast<int>(inner), alpha, a.data, leading(a), b.data,
              leading(b), beta, c.data, leading(c));
}

const char* blas_name() { return openblas_get_config != nullptr ? openblas_get_config() : "BLAS"; }

#else

namespace {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using Strided = Eigen::Map<T, 0, Eigen::OuterStride<> >;

template <class T>
void eigen_gemm(T alpha, MatrixView<const T> a, bool transpose_a, MatrixView<const T> b,
                bool transpose_b, T beta, MatrixView<T> c) {
  const auto rows = [](auto& m) { return static_cast<Eigen::Index>(m.rows); };
  const auto cols = [](auto& m) { return static_cast<Eigen::Index>(m.cols); };
  const auto stride = [](auto& m) {
    return Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride));
  };
  const Strided<const RowMajor<T> > ma(a.data, rows(a), cols(a), stride(a));
  const Strided<const RowMajor<T> > mb(b.data, rows(b), cols(b), stride(b));
  Strided<RowMajor<T> > mc(c.data, rows(c), cols(c), stride(c));
  if (beta == T{0}) {
    mc.setZero();
  } else if (beta != T{1}) {
    mc *= beta;
  }
  if (transpose_a && transpose_b) {
    mc.noalias() += alpha * ma.transpose() * mb.transpose();
  } else if (transpose_a) {
    mc.noalias() += alpha * ma.transpose() * mb;
  } else if (transpose_b) {
    mc.noalias() += alpha * ma * mb.transpose();
  } else {
    mc.noalias() += alpha * ma * mb;
  }
}

}  // namespace

void gemm(double alpha, MatrixView<const double> a, bool transpose_a, MatrixView<const double> b,
          bool transpose_b, double beta, MatrixView<double> c) {
  eigen_gemm(alpha, a, transpose_a, b, transpose_b, beta, c);
}

void gemm(float alpha, MatrixView<const float> a, bool transpose_a, MatrixView<const float> b,
          bool transpose_b, float beta, MatrixView<float> c) {
  eigen_gemm(alpha, a, transpose_a, b, transpose_b, beta, c);
}

const char* blas_name() { return "Eigen"; }

#endif

}  // namespace geotherm::detail
