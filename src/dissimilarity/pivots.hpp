// Shortest paths over a dense matrix of distances with gaps, through chosen points.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// The parts into which the points fall when finite distances join them.
struct ResolvedParts {
  ResolvedParts(MatrixView<const double> distances, const Context&);
  std::vector<Index> part;              ///< of each point, numbered by their first point
  std::vector<std::size_t> n_partners;  ///< points at a finite distance, itself not counted
  std::vector<bool> part_has_gaps;      ///< some pair inside the part is infinite
  std::size_t n_parts = 0;
  std::size_t n_pairs = 0;  ///< sum of n_partners
  bool has_gaps_inside = false;
};

/// Pivots of the parts that have gaps: each reached directly from an earlier one of its part, and
/// from every point of the part at least one is reached directly. Farthest first, so that they
/// spread; about `n_wanted` of them, more where those do not reach every point.
std::vector<std::size_t> choose_pivots(MatrixView<const double> distances, const ResolvedParts&,
                                       std::size_t n_wanted);

/// d(i, j) through pivots: min over p, q of d(i, p) + s(p, q) + d(q, j) with s the shortest paths
/// among pivots. Finite for all pairs in one part. Memory: points times pivots.
class PivotPaths {
 public:
  PivotPaths(MatrixView<const double> distances, const ResolvedParts&, std::size_t n_wanted,
             const Context&);
  /// With pivots that are given, and the distances from them (pivots x n).
  PivotPaths(MatrixView<const double> from_pivots, std::span<const Index> pivots, const Context&);
  std::size_t n_pivots() const { return n_pivots_; }
  /// Shortest paths from point i to every pivot (padded).
  std::vector<double> to_pivots(std::size_t i) const;
  /// Path from the point that `to_pivots` belongs to, to j.
  double distance(std::span<const double> to_pivots, std::size_t j) const;

 private:
  void find_paths_among(std::span<const std::size_t> pivots, const Context&);

  std::size_t n_pivots_ = 0;
  Matrix<double> direct_;  ///< n x pivots, padded with infinity to whole vectors
  Matrix<double> among_;   ///< pivots x pivots, padded likewise
};

}  // namespace geotherm::detail
