// New points in a refined map: by how many neighbours, and how near to each other in the map these
// must be to count together (docs/methods/new_points.md).
#pragma once

#include <cstddef>

namespace geotherm::detail {

/// As many as attract a training point.
inline constexpr std::size_t refined_neighbors = 15;

/// In units of the map; 0 where it was not refined. In a refined map neighbours want to be one unit
/// of its objective apart, which is what tells groups from gaps; the spacing of a few of them does
/// not. `refined_unit` as the model has it. The share of a unit was measured: accuracy of 1,000 new
/// digits among 2,000 is .877 at .3, .865 at 1, .801 at 3, .749 at 12 (training digits .865).
inline double gathering_width(double refined_unit) {
  return refined_unit > 0 ? 0.3 / refined_unit : 0;
}

}  // namespace geotherm::detail
