// Kernel entries of one point with a run of others -> their heat-geodesic distances.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "geotherm/dissimilarity.hpp"

namespace geotherm::detail {

/// Smaller heat has underflowed on the way, or is about to.
inline constexpr double smallest_heat = 1e-300;

/// How an entry of the kernel is read.
struct HeatDistanceRule {
  double time = 1;
  double harnack = 1;
  /// Entries at or below this (or not finite) count as unresolved.
  double least = smallest_heat;
  /// > 0: entries below are raised to it. 0: the distance of unresolved pairs is set infinite.
  double floor = 0;

  bool marks_unresolved() const { return floor == 0; }
};
/// Refuses a kernel whose time is not a finite number > 0.
HeatDistanceRule rule_for(const KernelReport&, const HeatGeodesicOptions&);

/// The diagonal as the volume term reads it: floored, or 0 where unresolved.
void prepare_diagonal(const HeatDistanceRule&, std::vector<double>& diagonal);

/// What is larger becomes `most`.
void cut_to(Matrix<double>& values, double most, const Context&);

/// Working memory for runs of up to `capacity` pairs.
struct HeatDistanceScratch {
  explicit HeatDistanceScratch(std::size_t capacity)
      : forth(capacity), back(capacity), volume(capacity), lost(capacity) {}
  std::vector<double> forth, back, volume;
  std::vector<double> lost;  ///< 1 where the pair is unresolved, else 0
};

/// out[j] = d(i, j) for `n` values of j, given K_ij, K_ji (null where K is symmetric), K_ii and
/// K_jj; the latter two from prepare_diagonal. Returns how many pairs are unresolved.
std::size_t heat_distances(const HeatDistanceRule&, const double* k_ij, const double* k_ji,
                           double k_ii, const double* k_jj, std::size_t n, HeatDistanceScratch&,
                           double* out);

/// A number as messages show it.
std::string text(double);

}  // namespace geotherm::detail
