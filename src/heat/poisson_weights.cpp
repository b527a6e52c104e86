// Poisson probabilities and the number of terms.
//
// Why a cut by probability alone is wrong: an entry between far points may itself be 1e-100, and
// the terms beyond the cut then outweigh those before it. With N the number of jumps, A^k <= 1
// entrywise and H_ij >= smallest,
//   share of H_ij from more than M jumps = sum_k>M p_k (A^k)_ij / H_ij <= P(N > M) / smallest,
// so M with P(N > M) <= tolerance * smallest serves every entry. If the kernel is made as a product
// of m equal factors, each cut after K terms, what is lost of the N-jump part is the chance that
// one of m equal intervals holds more than K of N uniformly placed jumps, at most
// m P(Binomial(N, 1/m) > K). Together
//   lost share of H_ij <= sum_N min(1, p_N / smallest) min(1, m P(Binomial(N, 1/m) > K)).
#include "heat/poisson_weights.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "heat/subnormals.hpp"
#include "linalg/blas.hpp"

namespace geotherm::detail {

PoissonWeights::PoissonWeights(double rate) : rate_(rate) {
  constexpr long double smallest = 1e-306L;
  const auto mode = static_cast<std::size_t>(rate);
  const auto r = static_cast<long double>(rate);
  std::vector<long double> up, down;  // relative to the mode
  for (long double w = 1, k = static_cast<long double>(mode); w >= smallest; w *= r / ++k) {
    up.push_back(w);
  }
  long double w = 1;
  for (std::size_t k = mode; k > 0; --k) {
    w *= static_cast<long double>(k) / r;
    if (w < smallest) break;
    down.push_back(w);
  }
  first_ = mode - down.size();
  probability_.resize(down.size() + up.size());
  long double sum = 0;
  for (auto it = down.rbegin(); it != down.rend(); ++it) sum += *it;
  for (auto it = up.rbegin(); it != up.rend(); ++it) sum += *it;
  for (std::size_t k = 0; k < down.size(); ++k) {
    probability_[down.size() - 1 - k] = static_cast<double>(down[k] / sum);
  }
  for (std::size_t k = 0; k < up.size(); ++k) {
    probability_[down.size() + k] = static_cast<double>(up[k] / sum);
  }
  tail_.assign(probability_.size(), 0.0);
  for (std::size_t k = tail_.size() - 1; k > 0; --k) tail_[k - 1] = tail_[k] + probability_[k];
}

std::size_t PoissonWeights::terms_for(double bound) const {
  // Tails fall: the first place at or below the bound.
  const auto place = std::lower_bound(tail_.begin(), tail_.end(), bound, std::greater<>());
  const auto offset = static_cast<std::size_t>(place - tail_.begin());
  return std::min(last(), first_ + offset);
}

bool series_has_settled(const PoissonWeights& weights, std::size_t k, double tolerance, double step,
                        double against_sum) {
  const double allowed = tolerance / against_sum;
  double tail = 0;
  double power = 1;
  for (std::size_t m = k + 1; m <= weights.last(); ++m) {
    power *= step;
    const double term = weights[m] * power;
    tail += term;
    if (!(tail <= allowed)) return false;
    // The ratio of terms falls with m: below 1/2 the rest is less than the last one.
    if (step * weights.rate() < 0.5 * static_cast<double>(m)) return tail + term <= allowed;
  }
  return true;
}

double binomial_tail(std::size_t n, double p, std::size_t k) {
  if (k >= n) return 0;
  // No median of a binomial lies below the whole part of its mean.
  if (k < static_cast<std::size_t>(static_cast<double>(n) * p)) return 1;
  const auto real = [](std::size_t x) { return static_cast<long double>(x); };
  const long double odds = static_cast<long double>(p) / (1 - static_cast<long double>(p));
  // The first term by logarithms, which lose at most 1e-9 of it at the largest rates (1e9 jumps);
  // those after it fall by more than their ratio at the mean.
  long double term =
      std::exp(std::lgamma(real(n) + 1) - std::lgamma(real(k) + 2) - std::lgamma(real(n - k)) +
               (real(k) + 1) * std::log(odds) + real(n) * std::log1p(-static_cast<long double>(p)));
  long double sum = 0;
  for (std::size_t j = k + 1; j <= n && term > 1e-18L * sum; ++j) {
    sum += term;
    term *= odds * real(n - j) / (real(j) + 1);
  }
  return std::min(1.0, static_cast<double>(sum));
}

namespace {

/// The bound above, summed over ranges of N: the first factor at a range's lower end, the second at
/// its upper end.
double lost_share(const PoissonWeights& full, double smallest, std::size_t n_jumps, double m,
                  std::size_t k) {
  constexpr std::size_t n_ranges = 32;
  // Up to the mean the first factor is 1: one range.
  auto low = std::min(n_jumps, static_cast<std::size_t>(full.rate()));
  const std::size_t step = (n_jumps - low) / n_ranges + 1;
  double lost = 0;
  double arrives = 1;
  for (;; low += step) {
    const std::size_t high = std::min(low, n_jumps);
    if (high > k) {
      lost += arrives * std::min(1.0, m * binomial_tail(high, 1 / m, k));
    }
    if (low >= n_jumps) return lost;
    arrives = std::min(1.0, full.tail(low) / smallest);
  }
}

}  // namespace

std::size_t terms_needed(const PoissonWeights& full, double smallest, std::size_t n_squarings) {
  smallest = std::max(smallest, smallest_resolved);
  const std::size_t n_jumps = full.terms_for(series_tolerance * smallest);
  if (n_squarings == 0) return n_jumps;
  const double m = std::ldexp(1.0, static_cast<int>(n_squarings));
  std::size_t low = 0, high = n_jumps;  // at `high` nothing is lost
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (lost_share(full, smallest, n_jumps, m, middle) <= series_tolerance) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return std::max<std::size_t>(high, 1);
}

PoissonPlan plan_dense(const PoissonWeights& full, double smallest, std::size_t n,
                       std::size_t n_entries) {
  // Measured on one core: a sparse term runs at half the speed of a dense product with OpenBLAS,
  // at about three times that of Eigen's without vector instructions.
  const bool has_blas = std::string_view(blas_name()) != "Eigen";
  const double sparse_speed = has_blas ? 0.5 : 3.0;
  const auto size = static_cast<double>(n);
  const double term = size * (2 * static_cast<double>(n_entries) + 4 * size) / sparse_speed;
  const double squaring = size * size * (size + 256);  // half of the tiles, diagonal ones whole
  // Without squarings the series stops by itself as soon as every entry has settled.
  constexpr double early_stop = 0.8;
  PoissonPlan best;
  double lowest = 0;
  for (std::size_t s = 0; s <= 40; ++s) {
    const std::size_t n_terms = terms_needed(full, smallest, s);
    const double cost = (s == 0 ? early_stop : 1.0) * static_cast<double>(n_terms) * term +
                        static_cast<double>(s) * squaring;
    if (s == 0 || cost < lowest) {
      best = {s, n_terms};
      lowest = cost;
    }
    if (full.rate() < std::ldexp(1.0, static_cast<int>(s))) break;
  }
  return best;
}

}  // namespace geotherm::detail
