// A method and its input -> how much the map depends on which points were drawn.
#pragma once

#include <string>
#include <vector>

#include "geotherm/methods.hpp"
#include "geotherm/texts.hpp"

namespace geotherm {

struct BootstrapOptions {
  /// Subsamples that are embedded; >= 2. More: steadier intervals, each at the cost of a run.
  std::size_t n_samples = 20;
  /// Share of the rows in each, drawn without replacement; in (0, 1).
  double share = 0.8;
};
std::vector<std::string> issues_with(const BootstrapOptions&);

/// Distance between the centres of two groups over the subsamples, in units of the map.
struct GroupInterval {
  std::string first;
  std::string second;
  double low = 0;  ///< 2.5 %
  double median = 0;
  double high = 0;  ///< 97.5 %
};

struct Stability {
  /// For each row the root mean square distance of its aligned coordinates from their mean, in
  /// units of the map; NaN for rows that were in fewer than two subsamples.
  std::vector<double> spread;
  std::vector<double> disparity;         ///< Procrustes, one per subsample
  std::vector<GroupInterval> intervals;  ///< pairs of groups in order of their first rows
  double extent = 0;  ///< of the map: root mean square distance of its points from their mean
};

/// Embeds subsamples of the rows by the same method and options, aligns each to `map` by
/// Procrustes at the size its rows have there, and compares. `groups`: one name per row, or empty.
/// Points or full distances as input. Subsamples are drawn from the seed, one after the other, each
/// run on all threads.
Stability bootstrap(const Method&, const Input&, const MethodOptions&, MatrixView<const double> map,
                    const Texts& groups, const BootstrapOptions& = {}, const Context& = {});

}  // namespace geotherm
