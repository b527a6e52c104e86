// The Swiss roll: a sheet of coordinates (t, h), rolled up as (t cos t, h, t sin t). It unrolls
// without stretching, so true distances are straight lines in (arc length, h).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "points/datasets/sample.hpp"
#include "points/datasets/truth.hpp"

namespace geotherm::detail {
namespace {

constexpr double first_t = 1.5 * std::numbers::pi;
constexpr double last_t = 4.5 * std::numbers::pi;
constexpr std::size_t n_bins = 5;

/// Length of the spiral r = t from 0 to t.
double arc_length(double t) { return 0.5 * (t * std::sqrt(1 + t * t) + std::asinh(t)); }

/// Equal bins between the smallest and the largest t.
std::vector<Index> bins_of(const std::vector<double>& t) {
  const auto [low, high] = std::minmax_element(t.begin(), t.end());
  const double width = (*high - *low) / static_cast<double>(n_bins);
  std::vector<Index> bins;
  for (const double x : t) {
    const double bin = width > 0 ? std::floor((x - *low) / width) : 0.0;
    bins.push_back(std::min(static_cast<Index>(bin), static_cast<Index>(n_bins - 1)));
  }
  return bins;
}

}  // namespace

Sample sample_swiss_roll(const SynthOptions& options, std::size_t /*dim*/, const Context& context) {
  const std::size_t n = options.n;
  Sample sample{Matrix<double>(n, 3), Matrix<double>(n, 2), std::vector<double>(n), {}};
  const double width = options.width;
  draw_points(context, "swiss_roll.sheet", n, [&](Rng& rng, std::size_t i) {
    double t = 0, h = 0;
    if (options.clustered) {
      t = (rng.uniform() < 0.5 ? 7.0 : 12.0) + rng.normal();
      h = width / 2 + rng.normal();
    } else {
      t = first_t + (last_t - first_t) * rng.uniform();
      h = width * rng.uniform();
    }
    sample.t[i] = t;
    sample.points(i, 0) = t * std::cos(t);
    sample.points(i, 1) = h;
    sample.points(i, 2) = t * std::sin(t);
    sample.coordinates(i, 0) = arc_length(t);
    sample.coordinates(i, 1) = h;
  });
  sample.label = bins_of(sample.t);
  return sample;
}

Matrix<double> swiss_roll_distances(const Sample& sample, const Context& context) {
  return euclidean_distances(sample.coordinates, context);
}

}  // namespace geotherm::detail
