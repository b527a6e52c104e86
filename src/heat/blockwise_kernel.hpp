// What the kernels have in common that act on blocks of 8 or 32 vectors: apply, rows, dense and
// diagonal, cut into such blocks and run in parallel. A kernel adds the one thing it is about: run.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "geotherm/heat.hpp"
#include "heat/block_operator.hpp"
#include "heat/device_series.hpp"

namespace geotherm::detail {

/// K = S^-1 C S with a core C that acts on blocks in the order of `node`. Where S is given the core
/// is symmetric.
class BlockwiseKernel : public DiffusionKernel {
 public:
  std::size_t size() const override { return node_.size(); }
  bool is_symmetric() const override { return core_is_symmetric() && scale_.empty(); }
  const KernelReport& report() const override { return report_; }
  Matrix<double> apply(MatrixView<const double> block, const Context& = {}) const override;
  Matrix<double> dense(const Context& = {}) const override;
  Matrix<double> rows(std::span<const Index> points, const Context& = {}) const override;
  /// Asked for several times, it is computed once.
  std::vector<double> diagonal(const Context& = {}) const final;

  /// Of kernels that are a series in a sparse matrix: what a GPU computes them from.
  virtual std::optional<SeriesForm> series() const { return std::nullopt; }
  /// position -> point, and S by position (empty for 1).
  const std::vector<Index>& node() const { return node_; }
  const std::vector<double>& scale() const { return scale_; }

 protected:
  /// node: position -> point. scale: S by position, empty for 1.
  BlockwiseKernel(std::vector<Index> node, std::vector<double> scale);

  /// block <- C block. Called from several threads at once.
  virtual void run(Block& block) const = 0;
  /// block <- C^T block.
  virtual void run_transposed(Block& block) const { run(block); }
  virtual bool core_is_symmetric() const { return true; }
  virtual std::vector<double> compute_diagonal(const Context&) const;

  /// Runs the core on the unit vectors at positions begin, begin + 1, ... of every block and hands
  /// each block over: take(begin, n_columns, block). Blocks run in parallel, in any order.
  using Taker = std::function<void(std::size_t begin, std::size_t n_columns, const Block& block)>;
  void for_unit_blocks(const Context&, const std::function<void(Block&)>& run, const Taker&) const;
  /// K from a root of a symmetric core, C = R^exponent; run_root: block <- R block. Where no entry
  /// of R is negative, each entry of K keeps its relative accuracy, down to smallest_resolved.
  Matrix<double> dense_power(const Context&, std::size_t exponent,
                             const std::function<void(Block&)>& run_root) const;
  /// Products of n x n arrays that dense_power takes.
  static std::size_t n_products(std::size_t exponent);
  /// out(i, j) <- out(i, j) S_j / S_i, by points.
  void rescale(const Context&, Matrix<double>& out) const;
  /// Positions of points: the inverse of `node`.
  const std::vector<Index>& position() const { return position_; }

  KernelReport report_;

 private:
  std::vector<Index> node_;
  std::vector<Index> position_;
  std::vector<double> scale_;
  mutable std::mutex diagonal_lock_;
  mutable std::vector<double> diagonal_;
};

/// Copies the part above the diagonal below it, in parallel tiles.
void mirror_upper(const Context&, Matrix<double>& square);

/// Calls work(b) for all blocks in parallel, in rounds between which progress is reported and a
/// wish to stop is honoured (throws Stopped).
void run_blocks(const Context&, std::string_view stage, std::size_t n_blocks,
                const std::function<void(std::size_t)>& work);

/// Refuses indices outside [0, n), naming the first.
void check_points(std::span<const Index> points, std::size_t n);
/// Refuses a block whose rows are not the kernel's points.
void check_block(MatrixView<const double> block, std::size_t n);

}  // namespace geotherm::detail
