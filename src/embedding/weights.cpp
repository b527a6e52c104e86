// Row by row weights: inverse and gaussian from the dissimilarities, given ones from their array.
#include "embedding/weights.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>

#include "core/simd.hpp"

namespace geotherm::detail {
namespace {

GEOTHERM_WIDE void given_weights(const double* __restrict values, double unit, std::size_t m,
                                 double* __restrict weights) noexcept {
  // Kernels by polynomial leave entries of -1e-17 where there is nothing: nothing it is.
  for (std::size_t j = 0; j < m; ++j) weights[j] = values[j] > 0 ? values[j] * unit : 0.0;
}

GEOTHERM_WIDE void inverse_weights(const double* __restrict d, double unit, double shortest,
                                   std::size_t m, double* __restrict weights) noexcept {
  for (std::size_t j = 0; j < m; ++j) {
    const double length = d[j] * unit;
    weights[j] = 1.0 / (length < shortest ? shortest : length);
  }
}

/// exp(x) for x <= 0, to 1e-15 and never 0: the library's own does not vectorise.
[[gnu::always_inline]] inline double exp_of_negative(double x) noexcept {
  constexpr double log2_e = 1.4426950408889634;
  constexpr double ln2_high = 0.693147180369123816490;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double shifter = 0x1.8p52;  // rounds, and leaves the integer in the low bits
  x = x < -700.0 ? -700.0 : x;
  const double shifted = x * log2_e + shifter;
  const double n = shifted - shifter;
  const double r = (x - n * ln2_high) - n * ln2_low;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) +
                               (std::bit_cast<std::uint64_t>(shifted) << 52));
}

GEOTHERM_WIDE void gaussian_weights(const double* __restrict d, double factor, std::size_t m,
                                    double* __restrict weights) noexcept {
  for (std::size_t j = 0; j < m; ++j) {
    const double a = d[j] * factor;
    weights[j] = exp_of_negative(-(a * a));
  }
}

constexpr std::size_t n_bins = std::size_t{1} << 16;

std::size_t bin_of(double d, unsigned shift) {
  return (std::bit_cast<std::uint64_t>(d) >> shift) & (n_bins - 1);
}

}  // namespace

void Weighting::fill(const double* given, const double* d, double unit, std::size_t m,
                     double* weights) const noexcept {
  switch (kind) {
    case Kind::uniform:
      std::fill_n(weights, m, 1.0);
      break;
    case Kind::given:
      given_weights(given, value_unit, m, weights);
      break;
    case Kind::inverse:
      inverse_weights(d, unit, length, m, weights);
      break;
    case Kind::gaussian:
      // Where the median vanishes beside the largest distance the factor must not become infinite:
      // times a distance of 0 that would be no number.
      gaussian_weights(d, std::min(unit / length, std::numeric_limits<double>::max()), m, weights);
      break;
  }
}

double median_distance(MatrixView<const double> distances, const Context& context) {
  // Positive doubles are ordered as their bits are: count by the upper 16 bits, then by the next
  // 16 among those that share the median's upper ones.
  const std::size_t n = distances.rows;
  const auto count = [&](unsigned shift, bool within, std::size_t upper) {
    std::vector<std::uint64_t> counts(n_bins);
    std::mutex mutex;
    parallel_for(context, n, 128, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint32_t> local(n_bins);
      for (std::size_t i = begin; i < end; ++i) {
        const double* row = distances.row(i).data();
        for (std::size_t j = i + 1; j < n; ++j) {
          if (row[j] > 0 && (!within || bin_of(row[j], 48) == upper))
            ++local[bin_of(row[j], shift)];
        }
      }
      const std::lock_guard lock(mutex);
      for (std::size_t b = 0; b < n_bins; ++b) counts[b] += local[b];
    });
    return counts;
  };
  const auto find = [](const std::vector<std::uint64_t>& counts, std::uint64_t& rank) {
    std::size_t bin = 0;
    while (rank >= counts[bin]) rank -= counts[bin++];
    return bin;
  };

  const std::vector<std::uint64_t> coarse = count(48, false, 0);
  std::uint64_t total = 0;
  for (const std::uint64_t c : coarse) total += c;
  if (total == 0) return 0;
  std::uint64_t rank = (total - 1) / 2;
  const std::size_t upper = find(coarse, rank);
  const std::size_t lower = find(count(32, true, upper), rank);
  return std::bit_cast<double>((static_cast<std::uint64_t>(upper) << 48) |
                               (static_cast<std::uint64_t>(lower) << 32) |
                               (std::uint64_t{1} << 31));
}

}  // namespace geotherm::detail
