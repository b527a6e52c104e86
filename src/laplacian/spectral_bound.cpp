// Upper bound on the spectrum of Q - W. Entrywise |Q - W| = Q + W, so the largest eigenvalue is at
// most the spectral radius of Q + W; and for a non-negative matrix M and any positive x that radius
// is at most max (Mx)_i / x_i (Collatz, Wielandt). x = 1 gives Gershgorin's 2 max degree, x =
// degree the bound of Merris, below Anderson and Morley's max over edges of d_i + d_j; a few more
// steps of x <- Mx tighten it further and every one of them is a true bound.
#include "laplacian/spectral_bound.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace geotherm::detail {

double combinatorial_spectral_bound(const SparseMatrix& weights, std::span<const double> degree) {
  constexpr int n_steps = 8;
  const std::size_t n = weights.rows;
  double largest = 0;
  for (const double d : degree) largest = std::max(largest, d);
  if (largest == 0) return 0;
  double bound = 2 * largest;
  // Points without edges stay 0 and take no part. Scaled by the largest degree: nothing overflows.
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = degree[i] / largest;
  for (int step = 0; step < n_steps; ++step) {
    double ratio = 0;
    double peak = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto columns = weights.row_indices(i);
      const auto values = weights.row_values(i);
      double sum = degree[i] * x[i];
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const auto j = static_cast<std::size_t>(columns[k]);
        if (j != i) sum += values[k] * x[j];
      }
      y[i] = sum;
      peak = std::max(peak, sum);
      // An x that underflowed to 0 beside a live neighbour proves nothing: keep the last bound.
      if (sum > 0) ratio = std::max(ratio, x[i] > 0 ? sum / x[i] : 2 * largest);
    }
    bound = std::min(bound, ratio);
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] / peak;
  }
  // The sums above are rounded; the margin keeps the bound true.
  std::size_t longest = 0;
  for (std::size_t i = 0; i < n; ++i) longest = std::max(longest, weights.row_indices(i).size());
  const double margin =
      4 * static_cast<double>(longest + 4) * std::numeric_limits<double>::epsilon();
  return bound * (1 + margin);
}

}  // namespace geotherm::detail
