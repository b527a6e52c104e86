// Distances with gaps -> distances without: shortest paths over the pairs that are there.
#pragma once

#include <cstddef>

#include "geotherm/core.hpp"

namespace geotherm::detail {

struct FillLimits {
  /// Exact all-pairs paths where points times resolved pairs stay below this (a few seconds) ...
  double exact_work = 4e9;
  /// ... or where a point has so few resolved partners on average; else paths run through pivots.
  double exact_partners = 128;
  /// Pivots chosen; more where so many do not reach every point.
  std::size_t n_pivots = 512;
};

struct FillOutcome {
  bool used_paths = false;
  /// Some pairs are joined by no chain of resolved pairs: they got one distance larger than all.
  bool used_constant = false;
};

/// Replaces the infinite entries of a symmetric n x n matrix by the length of the shortest path
/// over its finite entries, and where there is none by 1.1 times the largest distance
/// (`if_all_zero` where that is 0). The diagonal has to be finite and stays. The result is
/// symmetric to the bit.
FillOutcome fill_unresolved(MatrixView<double> distances, double if_all_zero, const Context&,
                            const FillLimits& = {});

}  // namespace geotherm::detail
