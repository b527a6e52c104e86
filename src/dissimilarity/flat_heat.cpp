#include "dissimilarity/flat_heat.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/percent.hpp"
#include "dissimilarity/kernel_distance.hpp"

namespace geotherm::detail {
namespace {

// Kernels right in every entry have 1e-13 of each or better: below this, differences of
// logarithms have lost four digits or more.
constexpr double rounding = 1e-9;
constexpr std::size_t fewest_reached = 3;
// A small component that is all flat is no matter of time; most of the points are.
constexpr double worth_a_word = 0.1;

}  // namespace

bool FlatHeat::is_flat(const double* k_ij, const double* k_ji, double k_ii, const double* k_jj,
                       std::size_t n, std::size_t stride) const {
  const double least = std::max(report_.resolution, smallest_heat);
  if (!(k_ii > least)) return false;
  const double limit = std::max(rounding, report_.resolution / k_ii);
  std::size_t n_reached = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double forth = k_ij[j], back = k_ji == nullptr ? forth : k_ji[j * stride];
    if (!(forth > least && back > least && k_jj[j] > least)) continue;
    // Ratios of entries of one size: no product leaves the range of numbers.
    if (std::abs((forth / k_ii) * (back / k_jj[j]) - 1) > 2 * limit) return false;
    ++n_reached;
  }
  return n_reached > fewest_reached;  // the point itself is one of them
}

void FlatHeat::warn_of(double flat_share, const Context& context) const {
  if (flat_share < worth_a_word) return;
  context.warn("heat is flat at time " + text(report_.time) + " around " + in_percent(flat_share) +
               " of the points: their distances are rounding errors (use `time` auto, or a much "
               "shorter one)");
}

double flat_share(const Matrix<double>& kernel, bool is_symmetric, const KernelReport& report,
                  const Context& context) {
  const std::size_t n = kernel.rows();
  if (n == 0) return 0;
  const FlatHeat flat(report);
  std::vector<double> diagonal(n);
  for (std::size_t i = 0; i < n; ++i) diagonal[i] = kernel(i, i);
  constexpr std::size_t block = 64;
  std::vector<std::size_t> n_flat((n + block - 1) / block);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double* back = is_symmetric ? nullptr : kernel.data() + i;
      if (flat.is_flat(kernel.row(i).data(), back, diagonal[i], diagonal.data(), n, n)) {
        ++n_flat[begin / block];
      }
    }
  });
  return static_cast<double>(std::accumulate(n_flat.begin(), n_flat.end(), std::size_t{0})) /
         static_cast<double>(n);
}

}  // namespace geotherm::detail
