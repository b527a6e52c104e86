// Poisson probabilities at any rate, and how many terms of the series a wanted accuracy asks for.
#pragma once

#include <cstddef>
#include <vector>

namespace geotherm::detail {

/// p_k = e^-rate rate^k / k!. Neither overflows nor underflows on the way: built outwards from the
/// largest and scaled to sum 1. Probabilities below about 1e-306 are 0.
class PoissonWeights {
 public:
  PoissonWeights() : PoissonWeights(0) {}
  /// rate >= 0. Memory O(sqrt(rate)).
  explicit PoissonWeights(double rate);

  double rate() const { return rate_; }
  /// The last k with p_k > 0.
  std::size_t last() const { return first_ + probability_.size() - 1; }
  double operator[](std::size_t k) const {
    return k < first_ || k > last() ? 0.0 : probability_[k - first_];
  }
  /// P(N > k).
  double tail(std::size_t k) const {
    return k < first_ ? 1.0 : (k >= last() ? 0.0 : tail_[k - first_]);
  }
  /// The smallest k with P(N > k) <= bound.
  std::size_t terms_for(double bound) const;

 private:
  double rate_ = 0;
  std::size_t first_ = 0;
  std::vector<double> probability_;
  std::vector<double> tail_;
};

/// Relative error that leaving out terms may cause; half a unit in the last place.
inline constexpr double series_tolerance = 1e-16;

/// Whether all terms after k together change no entry of the sum by more than `tolerance` of it.
/// With x, y, z the terms k-2, k-1, k of A^k b >= 0, u = x + y and Au = y + z <= R u entrywise,
/// every later term is at most R^m (y + z), since A has no negative entry (Collatz, Wielandt). The
/// sum of two neighbours is needed because on a two-coloured graph single terms are 0 on every
/// other point. As long as some point is not reached yet, R is infinite. step: R; against_sum: the
/// largest (y + z) / sum.
bool series_has_settled(const PoissonWeights&, std::size_t k, double tolerance, double step,
                        double against_sum);

/// P(Binomial(n, p) > k), 0 < p < 1, relatively right to 1e-8; 1 (a bound) where k is below the
/// whole part of the mean, so that the chance is at least a half.
double binomial_tail(std::size_t n, double p, std::size_t k);

/// How the dense kernel is made: the series up to n_terms at rate / 2^n_squarings, then squarings.
struct PoissonPlan {
  std::size_t n_squarings = 0;
  std::size_t n_terms = 0;
};

/// Terms that keep every entry of (sum_k<=K p_k A^k)^m, m = 2^n_squarings, relatively right within
/// 2 series_tolerance, given that no entry of the full kernel that matters is below `smallest`.
std::size_t terms_needed(const PoissonWeights& full, double smallest, std::size_t n_squarings);

/// The cheapest such plan for an n x n kernel of a matrix with n_entries.
PoissonPlan plan_dense(const PoissonWeights& full, double smallest, std::size_t n,
                       std::size_t n_entries);

}  // namespace geotherm::detail
