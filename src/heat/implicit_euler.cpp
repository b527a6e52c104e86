// Backward Euler, (I + (t/K) L)^-K, with one sparse Cholesky factor for all steps. I + (t/K) L is
// an M-matrix: its factor has no positive entry off the diagonal, so on non-negative vectors both
// substitutions only add, and entries of THIS kernel keep their relative accuracy (pivots lose
// about log10(t/K max degree) digits). It differs from exp(-tL) by the steps, most at far pairs.
#include <Eigen/SparseCholesky>
#include <cmath>
#include <string>
#include <utility>

#include "heat/blockwise_kernel.hpp"
#include "heat/methods.hpp"
#include "heat/symmetric_form.hpp"

namespace geotherm::detail {
namespace {

using EigenSparse = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

/// L D L^T of a permuted matrix, laid out for substitution on blocks.
struct Factor {
  std::vector<Index> node;            ///< position -> row of the original
  SparseMatrix lower;                 ///< strict lower triangle by rows; ones on the diagonal
  SparseMatrix upper;                 ///< its transpose
  std::vector<double> inverse_pivot;  ///< 1 / D
};

SparseMatrix strict_rows(const EigenSparse& columns_of_transpose) {
  SparseMatrix m;
  m.rows = m.cols = static_cast<std::size_t>(columns_of_transpose.cols());
  m.offsets.assign(m.rows + 1, 0);
  for (std::size_t i = 0; i < m.rows; ++i) {
    const auto column = static_cast<EigenSparse::StorageIndex>(i);
    for (EigenSparse::InnerIterator it(columns_of_transpose, column); it; ++it) {
      if (it.row() == it.col()) continue;
      m.indices.push_back(static_cast<Index>(it.row()));
      m.values.push_back(it.value());
    }
    m.offsets[i + 1] = m.indices.size();
  }
  return m;
}

Factor factorized(const SparseMatrix& l, double step) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(l.n_entries());
  for (std::size_t i = 0; i < l.rows; ++i) {
    const auto columns = l.row_indices(i);
    const auto values = l.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const bool on_diagonal = static_cast<std::size_t>(columns[k]) == i;
      entries.emplace_back(static_cast<int>(i), columns[k],
                           step * values[k] + (on_diagonal ? 1 : 0));
    }
  }
  const auto n = static_cast<int>(l.rows);
  EigenSparse matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<EigenSparse> solver(matrix);
  if (solver.info() != Eigen::Success) {
    throw InvalidArgument("time over order is " + in_words(step) +
                          ": the step is too long for its Cholesky factor; raise order");
  }
  Factor factor;
  factor.node.resize(l.rows);
  for (int i = 0; i < n; ++i) {
    const int position = solver.permutationP().size() > 0 ? solver.permutationP().indices()[i] : i;
    factor.node[static_cast<std::size_t>(position)] = i;
  }
  const EigenSparse lower = solver.matrixL();
  factor.upper = strict_rows(lower);
  factor.lower = transpose(factor.upper);
  for (int i = 0; i < n; ++i) factor.inverse_pivot.push_back(1 / solver.vectorD()[i]);
  return factor;
}

class EulerKernel final : public BlockwiseKernel {
 public:
  EulerKernel(const SymmetricForm& form, Factor factor, double time, int n_steps)
      : BlockwiseKernel(points(form, factor), scales(form, factor)),
        factor_(std::move(factor)),
        ones_(form.size(), 1.0),
        n_steps_(static_cast<std::size_t>(n_steps)) {
    report_.method = KernelMethod::euler;
    report_.time = time;
    report_.order = n_steps;
    report_.resolution = 0;
  }

  /// The first steps by substitution, the rest as products of what they give.
  Matrix<double> dense(const Context& context) const override {
    const std::size_t first = steps_before_products();
    if (first == n_steps_) return BlockwiseKernel::dense(context);
    return dense_power(context, n_steps_ / first, [&](Block& block) { take_steps(first, block); });
  }

 protected:
  void run(Block& block) const override { take_steps(n_steps_, block); }

 private:
  void take_steps(std::size_t n_steps, Block& block) const {
    for (std::size_t step = 0; step < n_steps; ++step) {
      substitute(factor_.lower, ones_.data(), false, block);
      substitute(factor_.upper, factor_.inverse_pivot.data(), true, block);
    }
  }
  /// The cheapest divisor of the number of steps: a step takes 4 flops for each entry of the factor
  /// and column, a symmetric product n^3 flops at some three times the rate.
  std::size_t steps_before_products() const {
    const double n = static_cast<double>(size());
    const double step = 3 * 4 * n * static_cast<double>(factor_.lower.n_entries());
    const auto cost = [&](std::size_t first) {
      return static_cast<double>(first) * step +
             static_cast<double>(n_products(n_steps_ / first)) * n * n * n;
    };
    std::size_t best = n_steps_;
    for (std::size_t first = 1; first < n_steps_; ++first) {
      if (n_steps_ % first == 0 && cost(first) < cost(best)) best = first;
    }
    return best;
  }

  // The factor's order comes on top of the form's.
  static std::vector<Index> points(const SymmetricForm& form, const Factor& factor) {
    std::vector<Index> node;
    for (const Index p : factor.node) node.push_back(form.order.node[static_cast<std::size_t>(p)]);
    return node;
  }
  static std::vector<double> scales(const SymmetricForm& form, const Factor& factor) {
    std::vector<double> scale;
    if (form.scale.empty()) return scale;
    for (const Index p : factor.node) scale.push_back(form.scale[static_cast<std::size_t>(p)]);
    return scale;
  }

  Factor factor_;
  std::vector<double> ones_;
  std::size_t n_steps_;
};

}  // namespace

std::unique_ptr<DiffusionKernel> euler_kernel(const Laplacian& laplacian,
                                              const HeatKernelOptions& options) {
  const int n_steps = options.order.value_or(30);
  const SymmetricForm form = symmetric_form(laplacian);
  Factor factor = factorized(form.matrix, options.time / n_steps);
  return std::make_unique<EulerKernel>(form, std::move(factor), options.time, n_steps);
}

}  // namespace geotherm::detail
