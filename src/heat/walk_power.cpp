// P^steps of a random walk, by repeated sparse products: nothing is added that is not a walk of
// exactly that many steps, so entries are right each to its own size and 0 beyond `steps` hops.
#include <cmath>
#include <string>
#include <utility>

#include "heat/blockwise_kernel.hpp"
#include "heat/methods.hpp"
#include "heat/node_order.hpp"

namespace geotherm {
namespace detail {
namespace {

class WalkPower final : public BlockwiseKernel {
 public:
  WalkPower(const SparseMatrix& walk, const SparseMatrix& transposed, const NodeOrder& order,
            int steps)
      : BlockwiseKernel(order.node, {}),
        walk_(renumbered(walk, order)),
        transposed_(renumbered(transposed, order)),
        steps_(steps) {
    report_.method = KernelMethod::walk_power;
    report_.time = steps;
    report_.order = steps;
    report_.resolution = 0;
  }

 protected:
  bool core_is_symmetric() const override { return false; }
  void run(Block& block) const override { step(walk_, block); }
  void run_transposed(Block& block) const override { step(transposed_, block); }

 private:
  void step(const BlockOperator& matrix, Block& x) const {
    Block y(x.n_rows(), x.width()), unused(x.n_rows(), x.width());
    Window rows = nonzero_rows(x);
    for (int s = 0; s < steps_; ++s) {
      rows = matrix.widened(rows);
      matrix.multiply(rows, x, y, 0.0, unused);
      std::swap(x, y);
    }
  }

  BlockOperator walk_;
  BlockOperator transposed_;
  int steps_;
};

std::vector<std::string> issues_with_walk(const SparseMatrix& walk, int steps) {
  std::vector<std::string> issues;
  if (steps < 1) issues.push_back("steps is " + std::to_string(steps) + ": give 1 or more");
  if (walk.rows != walk.cols || walk.offsets.size() != walk.rows + 1) {
    issues.push_back("walk is " + std::to_string(walk.rows) + " x " + std::to_string(walk.cols) +
                     ": give a square matrix");
    return issues;
  }
  for (std::size_t i = 0; i < walk.rows; ++i) {
    double sum = 0;
    bool is_valid = true;
    for (const double p : walk.row_values(i)) {
      is_valid &= p >= 0;
      sum += p;
    }
    // 1e-6: sums of single-precision rows pass, rows that were never normalised do not.
    if (is_valid && std::abs(sum - 1) <= 1e-6) continue;
    issues.push_back("walk has row " + std::to_string(i) + " with sum " + in_words(sum) +
                     (is_valid ? "" : " and a negative entry") +
                     ": give non-negative rows that sum to 1");
    return issues;
  }
  return issues;
}

}  // namespace
}  // namespace detail

std::unique_ptr<DiffusionKernel> walk_power(const SparseMatrix& walk, int steps, const Context&) {
  refuse_if_any(detail::issues_with_walk(walk, steps));
  const SparseMatrix transposed = transpose(walk);
  const detail::NodeOrder order = detail::breadth_first_order(walk, &transposed);
  return std::make_unique<detail::WalkPower>(walk, transposed, order, steps);
}

}  // namespace geotherm
