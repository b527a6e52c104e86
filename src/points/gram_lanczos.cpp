// In a flat spectrum restarts throw away what took longest to find: a basis of a few hundred
// vectors as long as a row is cheaper than the products that restarts would repeat.
#include "points/gram_lanczos.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/simd.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t kRowsABlock = 1024;

// Four sums side by side: one would wait for each addition to end.
double sparse_dot(const Index* indices, const double* values, std::size_t n, const double* x) {
  double a = 0, b = 0, c = 0, d = 0;
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    a += values[k] * x[indices[k]];
    b += values[k + 1] * x[indices[k + 1]];
    c += values[k + 2] * x[indices[k + 2]];
    d += values[k + 3] * x[indices[k + 3]];
  }
  for (; k < n; ++k) a += values[k] * x[indices[k]];
  return (a + b) + (c + d);
}

GEOTHERM_WIDE double dot(const double* x, const double* y, std::size_t n) {
  double lanes[8] = {};
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8) {
    for (std::size_t l = 0; l < 8; ++l) lanes[l] += x[k + l] * y[k + l];
  }
  for (; k < n; ++k) lanes[0] += x[k] * y[k];
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

GEOTHERM_WIDE void add_multiple(double factor, const double* x, double* y, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) y[k] += factor * x[k];
}

class Gram {
 public:
  Gram(const SparseMatrix& table, std::span<const double> mean, const Context& context)
      : table_(table), mean_(mean), context_(context) {
    n_blocks_ = (table.rows + kRowsABlock - 1) / kRowsABlock;
    partial_ = Matrix<double>(n_blocks_, table.cols + 1);
  }

  // z = A^T A x in one pass over the table; blocks of rows are added up in their order.
  void multiply(const double* x, double* z) {
    const std::size_t n = table_.cols;
    const double shift = dot(mean_.data(), x, n);
    parallel_for(context_, table_.rows, kRowsABlock, [&](std::size_t begin, std::size_t end) {
      double* part = partial_.row(begin / kRowsABlock).data();
      std::fill(part, part + n + 1, 0.0);
      for (std::size_t i = begin; i < end; ++i) {
        const Index* indices = table_.indices.data() + table_.offsets[i];
        const double* values = table_.values.data() + table_.offsets[i];
        const std::size_t n_row = table_.offsets[i + 1] - table_.offsets[i];
        const double y = sparse_dot(indices, values, n_row, x) - shift;
        for (std::size_t k = 0; k < n_row; ++k) part[indices[k]] += y * values[k];
        part[n] += y;
      }
    });
    std::fill(z, z + n, 0.0);
    double sum = 0;
    for (std::size_t b = 0; b < n_blocks_; ++b) {
      add_multiple(1, partial_.row(b).data(), z, n);
      sum += partial_(b, n);
    }
    add_multiple(-sum, mean_.data(), z, n);
  }

 private:
  const SparseMatrix& table_;
  std::span<const double> mean_;
  const Context& context_;
  std::size_t n_blocks_ = 0;
  Matrix<double> partial_;
};

Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> tridiagonal(const std::vector<double>& alpha,
                                                           const std::vector<double>& beta,
                                                           int what) {
  const auto n = static_cast<Eigen::Index>(alpha.size());
  const Eigen::Map<const Eigen::VectorXd> diagonal(alpha.data(), n), beside(beta.data(), n - 1);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  solver.computeFromTridiagonal(diagonal, beside, what);
  return solver;
}

// The leading Ritz values, falling.
std::vector<double> leading_values(const std::vector<double>& alpha,
                                   const std::vector<double>& beta, std::size_t rank) {
  const Eigen::VectorXd values = tridiagonal(alpha, beta, Eigen::EigenvaluesOnly).eigenvalues();
  return {std::reverse_iterator(values.data() + values.size()),
          std::reverse_iterator(values.data() + values.size() - rank)};
}

}  // namespace

LeadingDirections leading_directions(const SparseMatrix& table, std::span<const double> mean,
                                     std::size_t rank, const Context& context) {
  const std::size_t n = table.cols;
  const std::size_t most = std::min(n, 10 * rank + 200);
  constexpr std::size_t stride = 20;  // steps between two looks at the Ritz values
  Gram gram(table, mean, context);
  std::vector<std::vector<double>> basis;
  std::vector<double> alpha, beta, last;
  LeadingDirections result;
  result.outcome = Outcome::iteration_limit;

  std::vector<double> next(n);
  Rng rng(context.seed, "pca.start");
  for (double& value : next) value = rng.normal();
  double norm = std::sqrt(dot(next.data(), next.data(), n));
  while (true) {
    for (double& value : next) value /= norm;
    basis.push_back(next);
    context.report_or_throw({.stage = "pca", .done = basis.size(), .total = most});
    const double* newest = basis.back().data();
    gram.multiply(newest, next.data());
    alpha.push_back(dot(newest, next.data(), n));
    add_multiple(-alpha.back(), newest, next.data(), n);
    if (basis.size() > 1)
      add_multiple(-beta.back(), basis[basis.size() - 2].data(), next.data(), n);
    // Rounding brings back directions that were found already: they are taken out again.
    for (const std::vector<double>& old : basis) {
      add_multiple(-dot(old.data(), next.data(), n), old.data(), next.data(), n);
    }
    norm = std::sqrt(dot(next.data(), next.data(), n));
    const bool is_complete = norm <= 1e-14 * std::abs(alpha.front()) || basis.size() == n;
    if (basis.size() >= rank + stride && basis.size() % stride == 0) {
      const std::vector<double> now = leading_values(alpha, beta, rank);
      double moved = last.empty() ? 1 : 0;
      for (std::size_t r = 0; r < last.size(); ++r) {
        moved = std::max(moved, std::abs(now[r] - last[r]) / now[0]);
      }
      last = now;
      if (moved <= 1e-10) result.outcome = Outcome::converged;
    }
    if (is_complete) result.outcome = Outcome::converged;
    if (result.outcome == Outcome::converged || basis.size() == most) break;
    beta.push_back(norm);
  }

  const auto solver = tridiagonal(alpha, beta, Eigen::ComputeEigenvectors);
  const auto size = static_cast<Eigen::Index>(alpha.size());
  rank = std::min(rank, alpha.size());
  result.right = Matrix<double>(rank, n);
  for (std::size_t r = 0; r < rank; ++r) {
    const auto column = size - 1 - static_cast<Eigen::Index>(r);
    result.values.push_back(std::sqrt(std::max(0.0, solver.eigenvalues()[column])));
    const auto row = result.right.row(r);
    for (std::size_t k = 0; k < basis.size(); ++k) {
      add_multiple(solver.eigenvectors()(static_cast<Eigen::Index>(k), column), basis[k].data(),
                   row.data(), n);
    }
    const auto largest = std::max_element(
        row.begin(), row.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    if (*largest < 0) {
      for (double& value : row) value = -value;
    }
  }
  return result;
}

}  // namespace geotherm::detail
