// Chebyshev series of exp(-tL): coefficients, and one recurrence for many times.
#pragma once

#include <span>
#include <vector>

#include "heat/block_operator.hpp"
#include "heat/symmetric_form.hpp"

namespace geotherm::detail {

/// e^-a I_0(a), e^-a I_1(a), ... down to about 1e-40 of the first. a >= 0, any size: no value
/// overflows. O(sqrt(a) + 1) values.
std::vector<double> scaled_bessel(double a);

struct ChebyshevSeries {
  /// exp(-t x) on [0, spectral_bound] = sum_k c_k T_k(2x / spectral_bound - 1).
  std::vector<double> coefficients;
  /// What leaving out the rest costs at most, anywhere on the interval.
  double tail = 0;
};
/// Cut where the tail is at most `tolerance`.
ChebyshevSeries chebyshev_series(double time, double spectral_bound, double tolerance);
/// Cut at a given degree >= 0.
ChebyshevSeries chebyshev_series_of_degree(double time, double spectral_bound, std::size_t degree);

/// The recurrence T_k+1 = M T_k - T_k-1 with M = 4 L / bound - 2.
class ChebyshevRecurrence {
 public:
  explicit ChebyshevRecurrence(const SymmetricForm&);
  /// block <- sum_k c_k T_k block.
  void run(std::span<const double> coefficients, Block& block) const;
  /// sums[s] <- the same for series s, from one recurrence. `block` is used up.
  void run_many(std::span<const ChebyshevSeries> series, Block block, std::span<Block> sums) const;
  const SparseMatrix& matrix() const { return m_.matrix(); }

 private:
  BlockOperator m_;
};

}  // namespace geotherm::detail
