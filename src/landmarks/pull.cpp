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

void multiply(Matrix<double>& values, double factor) {
  for (std::size_t k = 0; k < values.size(); ++k) values.data()[k] *= factor;
}

GEOTHERM_WIDE Pull pull_of_pivots(const double* target, const double* weight,
                                  const double* coordinates, std::size_t n_pivots, const double* x,
                                  std::size_t n_components, double* ratio, double* sum) noexcept {
  double stress[n_lanes] = {}, squares[n_lanes] = {}, total[n_lanes] = {};
  for (std::size_t p = 0; p < n_pivots; ++p) ratio[p] = 0;
  for (std::size_t c = 0; c < n_components; ++c) {
    const double* y = coordinates + c * n_pivots;
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
    const double* y = coordinates + c * n_pivots;
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

GEOTHERM_WIDE void add_wishes_of_point(const float* target, const double* places,
                                       std::size_t n_pivots, const double* x,
                                       std::size_t n_components, double* ratio,
                                       double* sum) noexcept {
  for (std::size_t p = 0; p < n_pivots; ++p) ratio[p] = 0;
  for (std::size_t c = 0; c < n_components; ++c) {
    const double* y = places + c * n_pivots;
    for (std::size_t p = 0; p < n_pivots; ++p) ratio[p] += (y[p] - x[c]) * (y[p] - x[c]);
  }
  for (std::size_t p = 0; p < n_pivots; ++p) {
    ratio[p] = static_cast<double>(target[p]) * inverse_root(ratio[p] < 1e-300 ? 1e-300 : ratio[p]);
  }
  for (std::size_t c = 0; c < n_components; ++c) {
    const double* y = places + c * n_pivots;
    double* to = sum + c * n_pivots;
    for (std::size_t p = 0; p < n_pivots; ++p) to[p] += x[c] + ratio[p] * (y[p] - x[c]);
  }
}

GEOTHERM_WIDE NearPull pull_of_neighbors(const Index* neighbors, const double* lengths,
                                         std::size_t n, double scale, const double* coordinates,
                                         const double* x) noexcept {
  double stress[n_lanes] = {}, first[n_lanes] = {}, second[n_lanes] = {};
  const double x0 = x[0], x1 = x[1];
  for (std::size_t e = 0; e < n; e += n_lanes) {
    // Lanes past the end stand at the point itself and count for nothing.
    double y0[n_lanes], y1[n_lanes], wanted[n_lanes] = {}, counts[n_lanes] = {};
    const std::size_t n_here = std::min(n_lanes, n - e);
    for (std::size_t l = 0; l < n_lanes; ++l) y0[l] = x0, y1[l] = x1;
    for (std::size_t l = 0; l < n_here; ++l) {
      const double* y = coordinates + 2 * static_cast<std::size_t>(neighbors[e + l]);
      y0[l] = y[0];
      y1[l] = y[1];
      wanted[l] = scale * lengths[e + l];
      counts[l] = 1;
    }
    for (std::size_t l = 0; l < n_lanes; ++l) {
      const double d0 = x0 - y0[l], d1 = x1 - y1[l];
      const double apart = d0 * d0 + d1 * d1;
      const double squared = apart < 1e-300 ? 1e-300 : apart;
      const double inverse = inverse_root(squared);
      const double misfit = wanted[l] - squared * inverse;
      stress[l] += counts[l] * (misfit * misfit);
      first[l] += counts[l] * ((x0 + y0[l]) + wanted[l] * inverse * d0);
      second[l] += counts[l] * ((x1 + y1[l]) + wanted[l] * inverse * d1);
    }
  }
  for (std::size_t half = n_lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) {
      stress[l] += stress[l + half];
      first[l] += first[l + half];
      second[l] += second[l + half];
    }
  }
  return {stress[0], {first[0], second[0]}};
}

}  // namespace geotherm::detail
