#include "points/decompose.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/blas.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "points/orthonormal_rows.hpp"
#include "points/truncated_svd.hpp"

namespace geotherm::detail {
namespace {

/// Up to this length a full decomposition costs next to nothing (0.1 s).
constexpr std::size_t small_side = 500;

TruncatedSvd run_truncated(const LinearOperator& source, std::size_t rank, const Context& context) {
  TruncatedSvd svd = truncated_svd(source, rank, context);
  if (svd.outcome != Outcome::converged) {
    context.warn("pca: not all of " + std::to_string(rank) +
                 " components had converged at the iteration limit (ask for fewer)");
  }
  return svd;
}

/// Leading eigenpairs of a symmetric matrix without negative eigenvalues; `unit` is no larger than
/// the largest of them.
TruncatedSvd leading_pairs(const Matrix<double>& products, std::size_t rank, double unit,
                           const Context& context) {
  const std::size_t side = products.rows();
  const auto times = [&](std::span<const double> x, std::span<double> y) {
    parallel_for(context, side, 128, [&](std::size_t begin, std::size_t end) {
      gemm(1 / unit, {products.row(begin).data(), end - begin, side, side}, false,
           {x.data(), side, 1, 1}, false, 0.0, {y.data() + begin, end - begin, 1, 1});
    });
  };
  TruncatedSvd svd = run_truncated({side, side, times, times}, rank, context);
  for (double& value : svd.values) value *= unit;
  return svd;
}

}  // namespace

Decomposition decompose_products(const CentredTable& table, std::optional<std::size_t> rank,
                                 const Context& context) {
  const bool of_columns = table.cols() <= table.rows() || table.points.blocks != nullptr;
  const std::size_t side = of_columns ? table.cols() : table.rows();
  const Matrix<double> products =
      inner_products(table, of_columns ? Between::columns : Between::rows, context);
  context.report_or_throw({.stage = "pca", .done = 1, .total = 3});

  double trace = 0;
  for (std::size_t i = 0; i < side; ++i) trace += products(i, i);
  const std::size_t n_wanted = rank.value_or(side);
  Decomposition result;
  result.has_left_vectors = !of_columns;
  result.how = of_columns ? "covariance matrix" : "Gram matrix";
  if (trace > 0 && side > small_side && 8 * n_wanted <= side) {
    TruncatedSvd svd =
        leading_pairs(products, n_wanted, trace / static_cast<double>(side), context);
    result.values = std::move(svd.values);
    result.vectors = std::move(svd.right);
    orthonormalize_rows(result.vectors, 0, context);
    result.how += ", leading part";
  } else {
    const SymmetricEigen eigen = symmetric_eigen(products);
    result.values.assign(eigen.values.rbegin(), eigen.values.rend());
    result.vectors = Matrix<double>(n_wanted, side);
    for (std::size_t r = 0; r < n_wanted; ++r) {
      for (std::size_t i = 0; i < side; ++i) result.vectors(r, i) = eigen.vectors(i, side - 1 - r);
    }
  }
  for (double& value : result.values) value = std::sqrt(std::max(value, 0.0));
  context.report_or_throw({.stage = "pca", .done = 2, .total = 3});
  return result;
}

Decomposition decompose_truncated(const CentredTable& table, std::size_t rank, double squared_norm,
                                  const Context& context) {
  Decomposition result;
  result.how = "truncated, irlba";
  if (squared_norm == 0) {
    result.values.assign(rank, 0.0);
    result.vectors = Matrix<double>(rank, table.cols());
  } else {
    // The largest singular value is at least the root mean square one, so 1 or more in this unit.
    const auto side = static_cast<double>(std::min(table.rows(), table.cols()));
    const double unit = std::sqrt(squared_norm / side);
    const auto times = [&](std::span<const double> x, std::span<double> y) {
      multiply(table, x, y, context);
      for (double& value : y) value /= unit;
    };
    const auto times_transposed = [&](std::span<const double> y, std::span<double> x) {
      multiply_transposed(table, y, x, context);
      for (double& value : x) value /= unit;
    };
    TruncatedSvd svd =
        run_truncated({table.rows(), table.cols(), times, times_transposed}, rank, context);
    for (const double value : svd.values) result.values.push_back(value * unit);
    result.vectors = std::move(svd.right);
  }
  orthonormalize_rows(result.vectors, 0, context);
  return result;
}

Matrix<double> components_of(const Decomposition& d, std::size_t rank, const CentredTable& table,
                             const Context& context) {
  const MatrixView<const double> kept{d.vectors.data(), rank, d.vectors.cols(), d.vectors.cols()};
  Matrix<double> result;
  if (d.has_left_vectors) {
    // v = X^T u / s. Orthogonality is lost in proportion to (s_1 / s)^2: rows past the bound, and
    // those without variance, are made orthogonal one by one.
    result = multiply_from_left(kept, table, context);
    const double weak = d.values[0] * 1e-2;
    std::size_t first_weak = 0;
    for (; first_weak < rank && d.values[first_weak] > weak; ++first_weak) {
      for (double& x : result.row(first_weak)) x /= d.values[first_weak];
    }
    orthonormalize_rows(result, first_weak, context);
  } else {
    result = Matrix<double>::uninitialized(rank, kept.cols);
    std::copy_n(kept.data, rank * kept.cols, result.data());
  }
  fix_row_signs(result);
  return result;
}

}  // namespace geotherm::detail
