// exp(-tL) = V exp(-t lambda) V^T by a full eigendecomposition: right to about 1e-15 absolute, for
// small n and as an oracle. O(n^3) once, then dense products.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "heat/blockwise_kernel.hpp"
#include "heat/methods.hpp"
#include "heat/symmetric_form.hpp"
#include "linalg/blas.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t most_points = 20000;
constexpr std::size_t band = 128;  // rows of a dense product done by one task

class ExactKernel final : public DiffusionKernel {
 public:
  ExactKernel(const SymmetricForm& form, double time) : scale_(form.scale), node_(form.order.node) {
    const std::size_t n = form.size();
    SymmetricEigen eigen = symmetric_eigen(to_dense(form.matrix));
    // Each component has one eigenvalue that is 0; rounding left about 1e-15, which matters at
    // large times.
    for (std::size_t k = 0; k < form.order.n_components(); ++k) eigen.values[k] = 0;
    // H = F F^T with F = V exp(-t lambda / 2), rows by point.
    factor_ = Matrix<double>::uninitialized(n, n);
    for (std::size_t p = 0; p < n; ++p) {
      const auto to = factor_.row(static_cast<std::size_t>(node_[p]));
      for (std::size_t k = 0; k < n; ++k) {
        to[k] = eigen.vectors(p, k) * std::exp(-0.5 * time * std::max(eigen.values[k], 0.0));
      }
    }
    if (!scale_.empty()) {
      for (std::size_t p = 0; p < n; ++p)
        scale_[static_cast<std::size_t>(node_[p])] = form.scale[p];
    }
    report_.method = KernelMethod::exact;
    report_.time = time;
    report_.resolution = 1e-15 * scale_ratio(form);
  }

  std::size_t size() const override { return factor_.rows(); }
  bool is_symmetric() const override { return scale_.empty(); }
  const KernelReport& report() const override { return report_; }

  Matrix<double> apply(MatrixView<const double> block, const Context& context) const override {
    check_block(block, size());
    Matrix<double> scaled(block.rows, block.cols);
    for (std::size_t i = 0; i < block.rows; ++i) {
      for (std::size_t c = 0; c < block.cols; ++c) scaled(i, c) = block(i, c) * scale(i);
    }
    Matrix<double> spectrum(size(), block.cols);
    Matrix<double> out(size(), block.cols);
    if (out.empty()) return out;
    run_bands(context, size(), [&](std::size_t begin, std::size_t end) {
      const MatrixView<const double> columns{factor_.data() + begin, size(), end - begin, size()};
      gemm(1.0, columns, true, scaled, false, 0.0, slice(spectrum, begin, end));
    });
    run_bands(context, size(), [&](std::size_t begin, std::size_t end) {
      gemm(1.0, slice(factor_, begin, end), false, spectrum, false, 0.0, slice(out, begin, end));
      for (std::size_t i = begin; i < end; ++i) {
        for (double& value : out.row(i)) value /= scale(i);
      }
    });
    return out;
  }

  Matrix<double> dense(const Context& context) const override {
    auto out = Matrix<double>::uninitialized(size(), size());
    run_bands(context, size(), [&](std::size_t begin, std::size_t end) {
      const MatrixView<double> to{out.data() + begin * size() + begin, end - begin, size() - begin,
                                  size()};
      gemm(1.0, slice(factor_, begin, end), false, slice(factor_, begin, size()), true, 0.0, to);
    });
    mirror_upper(context, out);
    if (scale_.empty()) return out;
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t j = 0; j < size(); ++j) out(i, j) *= scale(j) / scale(i);
    }
    return out;
  }

  Matrix<double> rows(std::span<const Index> points, const Context& context) const override {
    check_points(points, size());
    auto out = Matrix<double>::uninitialized(points.size(), size());
    run_bands(context, points.size(), [&](std::size_t begin, std::size_t end) {
      Matrix<double> chosen(end - begin, size());
      for (std::size_t r = begin; r < end; ++r) {
        const auto from = factor_.row(static_cast<std::size_t>(points[r]));
        std::copy(from.begin(), from.end(), chosen.row(r - begin).begin());
      }
      gemm(1.0, chosen, false, factor_, true, 0.0, slice(out, begin, end));
      for (std::size_t r = begin; r < end; ++r) {
        const double own = scale(static_cast<std::size_t>(points[r]));
        for (std::size_t j = 0; j < size(); ++j) out(r, j) *= scale(j) / own;
      }
    });
    return out;
  }

  std::vector<double> diagonal(const Context&) const override {
    std::vector<double> values(size());
    for (std::size_t i = 0; i < size(); ++i) {
      for (const double f : factor_.row(i)) values[i] += f * f;
    }
    return values;
  }

 private:
  double scale(std::size_t point) const { return scale_.empty() ? 1.0 : scale_[point]; }

  static MatrixView<double> slice(Matrix<double>& m, std::size_t begin, std::size_t end) {
    return {m.data() + begin * m.cols(), end - begin, m.cols(), m.cols()};
  }
  static MatrixView<const double> slice(const Matrix<double>& m, std::size_t begin,
                                        std::size_t end) {
    return {m.data() + begin * m.cols(), end - begin, m.cols(), m.cols()};
  }
  static void run_bands(const Context& context, std::size_t n,
                        const std::function<void(std::size_t, std::size_t)>& work) {
    run_blocks(context, "heat kernel", (n + band - 1) / band,
               [&](std::size_t b) { work(b * band, std::min(n, (b + 1) * band)); });
  }

  std::vector<double> scale_;  // by point
  std::vector<Index> node_;
  Matrix<double> factor_;
  KernelReport report_;
};

}  // namespace

std::unique_ptr<DiffusionKernel> exact_kernel(const Laplacian& laplacian,
                                              const HeatKernelOptions& options) {
  if (laplacian.size() > most_points) {
    throw InvalidArgument("method is exact with " + std::to_string(laplacian.size()) +
                          " points: it needs a full eigendecomposition and takes at most " +
                          std::to_string(most_points) + "; use uniformization or chebyshev");
  }
  return std::make_unique<ExactKernel>(symmetric_form(laplacian), options.time);
}

}  // namespace geotherm::detail
