// How many principal components to keep: eigenvalues in, a rank out, or the advice to cut nothing.
//
// A cut is safe only if what it discards is noise. So every discarded eigenvalue has to lie where
// the Marchenko-Pastur law puts those of white noise, they have to be at least half of all, and
// every kept one has to lie above the Gavish-Donoho threshold, below which a direction carries
// more noise than signal. A spectrum that runs smoothly down into its floor (a random-walk tree
// under noise, most real data) has values between the two bounds and is left alone.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "geotherm/points.hpp"
#include "points/spectrum.hpp"

namespace geotherm {
namespace detail {
namespace {

/// Fewer equal values than this do not show a noise floor: any cone or cylinder has two or three.
constexpr std::size_t fewest_discarded = 5;
/// Departure from white noise that does no harm, as a share of the edge.
constexpr double flatness = 0.05;
/// Random spread of the extreme eigenvalues that is allowed for, in Tracy-Widom scales.
constexpr double n_scales = 3;

struct Range {
  double lowest = 0;
  double highest = 0;
};

/// Where the eigenvalues of p-dimensional white noise of variance 1, seen n times, may lie
/// (divided by n): the Marchenko-Pastur edges, widened for chance and for slight unevenness.
Range white_noise_range(double p, double n) {
  const double root_n = std::sqrt(n);
  const double root_p = std::sqrt(p);
  const double top = std::pow(1 + root_p / root_n, 2);
  const double bottom = std::pow(1 - root_p / root_n, 2);
  const double top_scale = (root_n + root_p) * std::cbrt(1 / root_n + 1 / root_p) / n;
  const double bottom_scale =
      std::abs(root_n - root_p) * std::cbrt(std::abs(1 / root_p - 1 / root_n)) / n;
  return {std::min(bottom * (1 - flatness), bottom - n_scales * bottom_scale),
          std::max(top * (1 + flatness), top + n_scales * top_scale)};
}

/// Gavish & Donoho (2014), eq. 11, squared: the best hard threshold for known noise of variance 1,
/// for eigenvalues divided by the longer side; `beta` is the shorter side over the longer.
double gavish_donoho(double beta) {
  return 2 * (beta + 1) + 8 * beta / (beta + 1 + std::sqrt(beta * beta + 14 * beta + 1));
}

}  // namespace

std::optional<SignalRank> find_signal(const Spectrum& spectrum) {
  // Centring takes one degree of freedom from the rows.
  const std::size_t degrees = spectrum.rows > 0 ? spectrum.rows - 1 : 0;
  const std::size_t full = std::min(degrees, spectrum.cols);
  const auto longer = static_cast<double>(std::max(degrees, spectrum.cols));
  const std::size_t n_listed = std::min(full, spectrum.values.size());
  if (n_listed == 0 || !(spectrum.values[0] > 0)) return std::nullopt;
  const bool are_all_listed = n_listed == full;

  // Below this share of the largest, eigenvalues are the rounding of those above.
  const double rounding =
      spectrum.values[0] * std::numeric_limits<double>::epsilon() * std::max(longer, 8.0);
  std::size_t n_positive = full;
  if (are_all_listed) {
    while (spectrum.values[n_positive - 1] <= rounding) --n_positive;
  } else if (spectrum.beyond <= rounding) {
    n_positive = n_listed;
    while (spectrum.values[n_positive - 1] <= rounding) --n_positive;
  }

  // rest[r]: sum of the eigenvalues from number r on, added from the smallest up.
  const std::size_t n_usable = std::min(n_listed, n_positive);
  std::vector<double> rest(n_usable + 1, n_positive > n_usable ? spectrum.beyond : 0.0);
  for (std::size_t r = n_usable; r-- > 0;) rest[r] = rest[r + 1] + spectrum.values[r];

  const double threshold = gavish_donoho(static_cast<double>(n_positive) / longer);
  for (std::size_t r = 1; r < n_usable && 2 * r <= n_positive; ++r) {
    const std::size_t n_discarded = n_positive - r;
    if (n_discarded < fewest_discarded) break;
    const double noise = rest[r] / static_cast<double>(n_discarded);
    if (spectrum.values[r - 1] < threshold * noise) continue;
    // Each kept direction takes a degree of freedom from the noise on both sides.
    const double n_seen = longer - static_cast<double>(r);
    const Range white = white_noise_range(static_cast<double>(n_discarded), n_seen);
    if (spectrum.values[r] > white.highest * noise) continue;
    if (n_usable == n_positive && spectrum.values[n_usable - 1] < white.lowest * noise) continue;
    return SignalRank{r, n_discarded, noise / n_seen, noise / static_cast<double>(degrees)};
  }
  if (n_positive < full) return SignalRank{n_positive, 0, 0, 0};
  return std::nullopt;
}

}  // namespace detail

std::optional<std::size_t> choose_rank(std::span<const double> singular_values, std::size_t rows,
                                       std::size_t cols) {
  const std::size_t full = std::min(rows > 0 ? rows - 1 : 0, cols);
  if (singular_values.size() < full) {
    refuse_if_any({"singular_values holds " + std::to_string(singular_values.size()) +
                   " values: give all " + std::to_string(full) + " of the " + std::to_string(rows) +
                   " x " + std::to_string(cols) + " table"});
  }
  std::vector<double> values(singular_values.begin(), singular_values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i]) && values[i] >= 0) continue;
    refuse_if_any({"singular_values[" + std::to_string(i) + "] is " + std::to_string(values[i]) +
                   ": singular values are finite and not negative"});
  }
  std::sort(values.begin(), values.end(), std::greater<>());
  // In units of the largest, so that squares stay ordinary numbers.
  const double largest = values.empty() || values[0] == 0 ? 1.0 : values[0];
  for (double& value : values) value = (value / largest) * (value / largest);
  const auto signal = detail::find_signal({.values = values, .rows = rows, .cols = cols});
  if (!signal) return std::nullopt;
  return signal->rank;
}

}  // namespace geotherm
