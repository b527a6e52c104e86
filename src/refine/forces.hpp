// Forces of t-SNE's objective on one point: of its neighbours, and of points in the cells around.
#pragma once

#include <cstddef>
#include <cstdint>

#include "geotherm/core.hpp"
#include "refine/grid.hpp"
#include "refine/objective.hpp"

namespace geotherm::detail {

/// What the points within reach of a point push it with, and how near they are.
struct RefinePush {
  float force[RefineGrid::most_dimensions] = {};  ///< sum of q^2 times the difference
  float stiffness = 0;                            ///< sum of q^2
  float near = 0;                                 ///< sum of q = 1 / (1 + d^2)
};

/// What its neighbours pull a point with.
struct RefinePull {
  float force[RefineGrid::most_dimensions] = {};
  float stiffness = 0;
};

/// Eights of a range of ranks: all, or every spacing-th from a drawn one on.
struct RefineGroups {
  std::size_t first = 0, end = 0, spacing = 1;
};
/// More than refine_most_groups are drawn from: by the epoch, the point and the row of cells.
inline RefineGroups refine_groups(RefineGrid::Range range, std::uint32_t draw_of_epoch,
                                  std::uint32_t point, std::uint32_t row) {
  const std::size_t count = (range.end - range.begin + refine_lanes - 1) / refine_lanes;
  const std::size_t spacing = (count + refine_most_groups - 1) / refine_most_groups;
  if (spacing <= 1) return {0, count, 1};
  return {refine_draw(draw_of_epoch, point, row) % spacing, count, spacing};
}

/// `places`: planes of n numbers a dimension. Where `count` is not whole lanes, as many entries are
/// read behind it as fill them up: any points, their weights do not count.
void refine_pull(const float* places, std::size_t n, std::size_t dimensions, std::size_t own,
                 const Index* others, const float* weights, std::size_t count, RefinePull&);
/// `planes`: in the order of ranks, each with RefineGrid::slack more entries. `groups`: one for
/// each range.
void refine_push(const float* const* planes, std::size_t dimensions, std::size_t rank,
                 const RefineGrid::Surroundings&, const RefineGroups* groups, RefinePush&);

}  // namespace geotherm::detail
