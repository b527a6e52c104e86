#include "landmarks/pull.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/simd.hpp"
#include "embedding/leaf.hpp"

namespace geotherm::detail {

std::vector<Index> draw_pivots(std::size_t n, std::size_t count, const Context& context) {
  std::vector<Index> pivots(n);
  std::iota(pivots.begin(), pivots.end(), Index{0});
  Rng rng(context.seed, "landmarks.pivots");
  rng.shuffle(std::span(pivots));
  pivots.resize(std::min(n, count));
  std::sort(pivots.begin(), pivots.end());
  return pivots;
}

GEOTHERM_WIDE Pull pull_of_pivots(const double* target, const double* weight, const double* places,
                                  std::size_t n_pivots, const double* x, std::size_t n_components,
                                  double* ratio, double* sum) noexcept {
  double stress[n_lanes] = {}, squares[n_lanes] = {}, total[n_lanes] = {};
  for (std::size_t p = 0; p < n_pivots; ++p) ratio[p] = 0;
  for (std::size_t c = 0; c < n_components; ++c) {
    const double* y = places + c * n_pivots;
    for (std::size_t p = 0; p < n_pivots; ++p) ratio[p] += (x[c] - y[p]) * (x[c] - y[p]);
  }
  for (std::size_t p = 0; p < n_pivots; p += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) {
      const double squared = ratio[p + l] < 1e-300 ? 1e-300 : ratio[p + l];
      const double inverse = inverse_root(squared);
      const double misfit = target[p + l] - squared * inverse;
      stress[l] += weight[p + l] * misfit * misfit;
      squares[l] += weight[p + l] * target[p + l] * target[p + l];
      total[l] += weight[p + l];
      ratio[p + l] = target[p + l] * inverse;
    }
  }
  for (std::size_t c = 0; c < n_components; ++c) {
    double lanes[n_lanes] = {};
    const double* y = places + c * n_pivots;
    for (std::size_t p = 0; p < n_pivots; p += n_lanes) {
      for (std::size_t l = 0; l < n_lanes; ++l) {
        lanes[l] += weight[p + l] * (y[p + l] + ratio[p + l] * (x[c] - y[p + l]));
      }
    }
    for (std::size_t half = n_lanes / 2; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    }
    sum[c] += lanes[0];
  }
  for (std::size_t half = n_lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) {
      stress[l] += stress[l + half];
      squares[l] += squares[l + half];
      total[l] += total[l + half];
    }
  }
  return {stress[0], squares[0], total[0]};
}

}  // namespace geotherm::detail
