// New points in a refined map: by how many neighbours, and how near to each other in the map these
// must be to count together (docs/methods/new_points.md).
#pragma once

#include <map>
#include <string>

#include "geotherm/methods.hpp"

namespace geotherm::detail {

/// As many as attract a training point.
inline constexpr std::size_t refined_neighbors = 15;

/// Whether a run with these values (RunReport::resolved) ended with a refinement.
bool is_refined(const std::map<std::string, Value>& resolved);

/// In units of the map; 0 where it was not refined. In a refined map neighbours want to be one unit
/// of its objective apart, which is what tells groups from gaps; the spacing of a few of them does
/// not.
double gathering_width(const std::map<std::string, Value>& resolved);

}  // namespace geotherm::detail
