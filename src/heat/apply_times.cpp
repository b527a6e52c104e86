// exp(-tL) on a block for many times at once: the recurrence is shared, each time keeps its own
// sum.
#include <algorithm>
#include <string>
#include <utility>

#include "heat/blockwise_kernel.hpp"
#include "heat/chebyshev.hpp"

namespace geotherm {

std::vector<Matrix<double>> heat_apply_times(const Laplacian& laplacian,
                                             MatrixView<const double> block,
                                             std::span<const double> times, double tolerance,
                                             const Context& context) {
  using namespace detail;
  std::vector<std::string> complaints;
  for (const double time : times) {
    for (auto& complaint : issues_with(HeatKernelOptions{.time = time, .tolerance = tolerance})) {
      complaints.push_back(std::move(complaint));
    }
  }
  refuse_if_any(complaints);
  check_block(block, laplacian.size());
  const SymmetricForm form = symmetric_form(laplacian);
  const ChebyshevRecurrence recurrence(form);
  std::vector<ChebyshevSeries> series;
  std::vector<Matrix<double>> out;
  for (const double time : times) {
    series.push_back(chebyshev_series(time, form.spectral_bound, tolerance));
    out.push_back(Matrix<double>::uninitialized(block.rows, block.cols));
  }
  const std::size_t n = form.size();
  const std::size_t n_blocks = (block.cols + narrow_block - 1) / narrow_block;
  run_blocks(context, "heat kernel", n_blocks, [&](std::size_t b) {
    const std::size_t first = b * narrow_block;
    const std::size_t n_columns = std::min(narrow_block, block.cols - first);
    const auto scale = [&](std::size_t p) { return form.scale.empty() ? 1.0 : form.scale[p]; };
    Block x(n, narrow_block);
    for (std::size_t p = 0; p < n; ++p) {
      const double* from = &block(static_cast<std::size_t>(form.order.node[p]), first);
      for (std::size_t c = 0; c < n_columns; ++c) x.row(p)[c] = from[c] * scale(p);
    }
    std::vector<Block> sums;
    for (std::size_t s = 0; s < series.size(); ++s) sums.emplace_back(n, narrow_block);
    recurrence.run_many(series, std::move(x), sums);
    for (std::size_t s = 0; s < series.size(); ++s) {
      for (std::size_t p = 0; p < n; ++p) {
        double* to = &out[s](static_cast<std::size_t>(form.order.node[p]), first);
        for (std::size_t c = 0; c < n_columns; ++c) to[c] = sums[s].row(p)[c] / scale(p);
      }
    }
  });
  return out;
}

}  // namespace geotherm
