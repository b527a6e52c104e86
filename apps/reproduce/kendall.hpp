// Rank correlation, and intervals of any correlation over resampled pairs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

/// Kendall's tau-b, which corrects for ties; 0 where one list is constant. O(n log n).
double kendall(std::span<const double> a, std::span<const double> b);

/// Any number from two lists of the same length.
using PairMeasure = std::function<double(std::span<const double>, std::span<const double>)>;
struct IntervalOptions {
  /// Resamples of the pairs, with replacement; >= 2. More: a steadier interval.
  std::size_t n_resamples = 1000;
  /// Share of the resamples inside the interval; in (0, 1).
  double level = 0.95;
};
std::vector<std::string> issues_with(const IntervalOptions&);
struct Interval {
  double low = 0;
  double high = 0;
};
/// Percentiles of the measure over resampled pairs: how far it depends on which points were seen.
Interval bootstrap_interval(std::span<const double> a, std::span<const double> b,
                            const PairMeasure& measure, const IntervalOptions& = {},
                            const Context& = {});

}  // namespace geotherm
