#include "points/truncated_svd.hpp"

#include <Eigen/SVD>

#if !EIGEN_VERSION_AT_LEAST(3, 4, 90)
namespace Eigen {
/// irlba says in the type what is computed, as later versions of Eigen want it; 3.4 asks with the
/// size.
template <>
class JacobiSVD<MatrixXd, ComputeThinU | ComputeThinV> : public JacobiSVD<MatrixXd> {
 public:
  JacobiSVD(Index rows, Index cols)
      : JacobiSVD<MatrixXd>(rows, cols, ComputeThinU | ComputeThinV) {}
};
}  // namespace Eigen
#endif

#include <algorithm>
#include <irlba/compute.hpp>
#include <memory>
#include <stdexcept>

namespace geotherm::detail {
namespace {

using Product = std::function<void(std::span<const double>, std::span<double>)>;

template <class Base>
class ProductWorkspace final : public Base {
 public:
  ProductWorkspace(const Product& product, const Context& context)
      : product_(product), context_(context) {}
  void multiply(const Eigen::VectorXd& in, Eigen::VectorXd& out) override {
    // The only place between two products at which the iteration can be left.
    context_.report_or_throw({.stage = "pca"});
    product_({in.data(), static_cast<std::size_t>(in.size())},
             {out.data(), static_cast<std::size_t>(out.size())});
  }

 private:
  const Product& product_;
  const Context& context_;
};

/// What irlba multiplies by.
class Operator final : public irlba::Matrix<Eigen::VectorXd, Eigen::MatrixXd> {
 public:
  Operator(const LinearOperator& source, const Context& context)
      : source_(source), context_(context) {}
  Eigen::Index rows() const override { return static_cast<Eigen::Index>(source_.rows); }
  Eigen::Index cols() const override { return static_cast<Eigen::Index>(source_.cols); }
  std::unique_ptr<irlba::Workspace<Eigen::VectorXd>> new_workspace() const override {
    return std::make_unique<ProductWorkspace<irlba::Workspace<Eigen::VectorXd>>>(source_.multiply,
                                                                                 context_);
  }
  std::unique_ptr<irlba::AdjointWorkspace<Eigen::VectorXd>> new_adjoint_workspace() const override {
    return std::make_unique<ProductWorkspace<irlba::AdjointWorkspace<Eigen::VectorXd>>>(
        source_.multiply_transposed, context_);
  }
  std::unique_ptr<irlba::RealizeWorkspace<Eigen::MatrixXd>> new_realize_workspace() const override {
    throw std::logic_error("truncated_svd asks irlba for iterations only");
  }

 private:
  const LinearOperator& source_;
  const Context& context_;
};

}  // namespace

TruncatedSvd truncated_svd(const LinearOperator& source, std::size_t rank, const Context& context) {
  irlba::Options<Eigen::VectorXd> options;
  options.exact_for_small_matrix = false;
  options.exact_for_large_number = false;
  options.convergence_tolerance = 1e-10;
  // A wider subspace needs far fewer restarts where the wanted values lie close together.
  options.extra_work = static_cast<int>(std::max<std::size_t>(20, rank / 2));
  Rng rng(context.seed, "pca.start");
  Eigen::VectorXd start(static_cast<Eigen::Index>(source.cols));
  for (double& x : start) x = rng.normal();
  options.initial = start;
  options.seed = rng.next();

  const Operator matrix(source, context);
  Eigen::MatrixXd left, right;
  Eigen::VectorXd values;
  const bool has_converged =
      irlba::compute(matrix, static_cast<Eigen::Index>(rank), left, right, values, options).first;

  TruncatedSvd result;
  result.outcome = has_converged ? Outcome::converged : Outcome::iteration_limit;
  result.values.assign(values.begin(), values.end());
  result.right = Matrix<double>(rank, source.cols);
  for (std::size_t r = 0; r < rank; ++r) {
    for (std::size_t j = 0; j < source.cols; ++j) {
      result.right(r, j) = right(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(r));
    }
  }
  return result;
}

}  // namespace geotherm::detail
