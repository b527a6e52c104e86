// exp(-tL) = sum_k e^-qt (qt)^k / k! A^k with A = I - L/q, q the largest diagonal of L, and
// squaring. A has no negative entry, so nothing is ever subtracted: every entry keeps its relative
// accuracy, down to 1e-290. The work is in adding enough terms (heat/poisson_weights.cpp) and not
// more.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/device.hpp"
#include "heat/blockwise_kernel.hpp"
#include "heat/methods.hpp"
#include "heat/poisson_weights.hpp"
#include "heat/subnormals.hpp"
#include "heat/symmetric_form.hpp"

namespace geotherm::detail {
namespace {

/// I - L/q. The difference q - L_ii is exact where it is small, so it keeps its digits.
SparseMatrix jump_matrix(SparseMatrix l, double q) {
  for (std::size_t i = 0; i < l.rows; ++i) {
    const auto columns = l.row_indices(i);
    const auto values = l.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const bool on_diagonal = static_cast<std::size_t>(columns[k]) == i;
      values[k] = (on_diagonal ? q - values[k] : -values[k]) / q;
    }
  }
  return l;
}

/// As series_has_settled, of the terms k-2, k-1, k of A^k b >= 0 in x, y, z.
bool has_settled(const PoissonWeights& weights, std::size_t k, double tolerance, Window rows,
                 const Block& x, const Block& y, const Block& z, const Block& sum) {
  const GrowthRatios ratio = growth_ratios(rows, x, y, z, sum);
  return series_has_settled(weights, k, tolerance, ratio.step, ratio.against_sum);
}

/// block <- sum of the first terms of the series applied to it. tolerance > 0: stops before
/// n_terms where all entries have settled to that (only for blocks without negative entries).
void add_series(const BlockOperator& a, const PoissonWeights& weights, std::size_t n_terms,
                double tolerance, Block& block) {
  const std::size_t n = block.n_rows();
  Block x = std::move(block);
  Block y(n, x.width()), z, sum(n, x.width());
  Window rows = nonzero_rows(x);
  add_scaled(rows, weights[0], x, sum);
  // While a share of the jumps above the tolerance is still to come, looking is in vain.
  std::size_t next_look = tolerance > 0 ? weights.terms_for(tolerance) : n_terms;
  for (std::size_t k = 1; k <= n_terms; ++k) {
    rows = a.widened(rows);
    a.multiply(rows, x, y, weights[k], sum);
    std::swap(x, y);  // x: term k, y: term k - 1
    if (k < next_look || k == n_terms) continue;
    if (z.size() == 0) z = Block(n, x.width());
    rows = a.widened(rows);
    ++k;
    a.multiply(rows, x, z, weights[k], sum);
    if (has_settled(weights, k, tolerance, rows, y, x, z, sum)) break;
    std::swap(x, z);
    next_look = k + std::max<std::size_t>(4, k / 16);
  }
  block = std::move(sum);
}

/// The smallest entry of exp(-tM) within components, or less. Through the centre c of a component
/// H_t(i, j) >= H_t/2(i, c) H_t/2(c, j), so one column at half the time bounds them all. The
/// smallest entry only rises with time (up to the ratio of the stationary vector's entries), so a
/// moderate time stands in for a long one.
double smallest_entry_bound(const SymmetricForm& form, const BlockOperator& a, double rate) {
  constexpr double long_rate = 1000;
  const PoissonWeights half(std::min(rate, long_rate) / 2);
  Block column(form.size(), narrow_block);
  for (const Index c : form.order.centre) column.row(static_cast<std::size_t>(c))[0] = 1;
  add_series(a, half, half.last(), 0.1, column);
  double smallest = 1;
  for (std::size_t p = 0; p < form.size(); ++p) smallest = std::min(smallest, column.row(p)[0]);
  const double bound = smallest * smallest;
  return rate > long_rate ? bound * form.stationary_ratio : bound;
}

class PoissonKernel final : public BlockwiseKernel {
 public:
  PoissonKernel(const SymmetricForm& form, double time, bool plans_dense)
      : BlockwiseKernel(form.order.node, form.scale),
        a_(jump_matrix(form.matrix, jump_rate(form))),
        weights_(jump_rate(form) * time),
        stationary_ratio_(form.stationary_ratio) {
    if (plans_dense) {
      const double smallest = size() == 0 ? 1 : smallest_entry_bound(form, a_, weights_.rate());
      plan_ = plan_dense(weights_, smallest, size(), a_.matrix().n_entries());
    } else {
      plan_.n_terms = weights_.terms_for(series_tolerance);
    }
    report_.method = KernelMethod::uniformization;
    report_.time = time;
    report_.order = static_cast<int>(plan_.n_terms);
    report_.squarings = static_cast<int>(plan_.n_squarings);
    report_.resolution = 0;
  }

  std::optional<SeriesForm> series() const override {
    return SeriesForm{.matrix = &a_.matrix(), .weights = &weights_};
  }

  Matrix<double> dense(const Context& context) const override {
    if (plan_.n_squarings == 0 || device_of(context) != nullptr) {
      return BlockwiseKernel::dense(context);
    }
    const PoissonWeights base(std::ldexp(weights_.rate(), -static_cast<int>(plan_.n_squarings)));
    return dense_power(context, std::size_t{1} << plan_.n_squarings,
                       [&](Block& block) { add_series(a_, base, plan_.n_terms, 0, block); });
  }

 protected:
  /// H_ii = |H_t/2 e_i|^2, at half the terms. H_ii is at least the square of the stationary vector,
  /// so a cut by probability serves here.
  std::vector<double> compute_diagonal(const Context& context) const override {
    const PoissonWeights half(weights_.rate() / 2);
    const double floor = stationary_ratio_ * stationary_ratio_ / static_cast<double>(size());
    const std::size_t n_terms = half.terms_for(1e-2 * series_tolerance * floor);
    std::vector<double> values(size());
    for_unit_blocks(
        context, [&](Block& block) { add_series(a_, half, n_terms, 0, block); },
        [&](std::size_t first, std::size_t n_columns, const Block& block) {
          double sums[wide_block] = {};
          for (std::size_t p = 0; p < size(); ++p) {
            const double* row = block.row(p);
            for (std::size_t c = 0; c < n_columns; ++c) sums[c] += row[c] * row[c];
          }
          for (std::size_t c = 0; c < n_columns; ++c) {
            values[static_cast<std::size_t>(node()[first + c])] = sums[c];
          }
        });
    return values;
  }

  void run(Block& block) const override {
    double largest[wide_block] = {};
    bool is_signed = false;
    for (std::size_t p = 0; p < block.n_rows(); ++p) {
      for (std::size_t c = 0; c < block.width(); ++c) {
        largest[c] = std::max(largest[c], std::abs(block.row(p)[c]));
        is_signed |= block.row(p)[c] < 0;
      }
    }
    // Where signs differ entries may cancel, and only absolute accuracy has a meaning.
    if (is_signed) {
      add_series(a_, weights_, weights_.terms_for(1e-2 * series_tolerance), 0, block);
    } else {
      add_series(a_, weights_, weights_.last(), series_tolerance, block);
    }
    for (std::size_t p = 0; p < block.n_rows(); ++p) {
      for (std::size_t c = 0; c < block.width(); ++c) {
        double& value = block.row(p)[c];
        if (std::abs(value) < smallest_resolved * largest[c]) value = 0;
      }
    }
  }

 private:
  /// A graph without edges does not jump at all; any rate does.
  static double jump_rate(const SymmetricForm& form) {
    return form.largest_diagonal > 0 ? form.largest_diagonal : 1.0;
  }

  BlockOperator a_;
  PoissonWeights weights_;
  PoissonPlan plan_;
  double stationary_ratio_;
};

}  // namespace

std::unique_ptr<DiffusionKernel> uniformization_kernel(const Laplacian& laplacian,
                                                       const HeatKernelOptions& options,
                                                       bool plans_dense) {
  constexpr double most_jumps = 1e9;
  SymmetricForm form = symmetric_form(laplacian);
  if (options.time * form.largest_diagonal > most_jumps) {
    throw InvalidArgument("time is " + in_words(options.time) + ", " +
                          in_words(options.time * form.largest_diagonal) +
                          " expected jumps: give a time of at most " +
                          in_words(most_jumps / form.largest_diagonal) +
                          ", or method exact or chebyshev");
  }
  return std::make_unique<PoissonKernel>(form, options.time, plans_dense);
}

}  // namespace geotherm::detail
