// New points in a refined map: which training points count, by how much, and how near to each other
// in the map these must be to count together (docs/methods/new_points.md).
#pragma once

#include <span>
#include <vector>

#include "geotherm/neighbors.hpp"

namespace geotherm::detail {

/// So many are looked at.
inline constexpr std::size_t refined_neighbors = 20;

/// In units of the map; 0 where it was not refined. In a refined map neighbours want to be one unit
/// of its objective apart, which is what tells groups from gaps; the spacing of a few of them does
/// not. `refined_unit` as the model has it. The share of a unit was measured: accuracy of 1,000 new
/// digits among 2,000 is .877 at .3, .865 at 1, .801 at 3, .749 at 12 (training digits .865).
inline double gathering_width(double refined_unit) {
  return refined_unit > 0 ? 0.3 / refined_unit : 0;
}

struct Vote {
  Index point = 0;
  double weight = 0;
};

/// The votes of training points for the place of a new one: neighbours by their distance over the
/// root of their own scale, since a few points of sparse regions are near to many; and the nearest
/// three of each of them, since one neighbour may lie apart from its own.
class RefinedVotes {
 public:
  /// `lists` of the training points.
  explicit RefinedVotes(const NeighborLists& lists);

  /// Those of the neighbours first, then those of theirs; each point once. `distances` rise, and
  /// the first is above 0. Returns how many are neighbours.
  std::size_t take(std::span<const Index> neighbors, std::span<const double> distances,
                   std::vector<Vote>& votes) const;

 private:
  void nearest(std::span<const Index> neighbors, std::span<const double> distances,
               std::size_t most, std::vector<Vote>& out) const;

  std::vector<double> roots_;  ///< of the scales
  std::vector<std::size_t> offsets_;
  std::vector<Vote> handed_;  ///< by point: what it hands on, sums to 1
};

}  // namespace geotherm::detail
