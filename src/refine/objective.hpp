// Constants of the forces of refinement, for the CPU and for a GPU.
#pragma once

namespace geotherm::detail {

inline constexpr float refine_least_square = 1e-8F;  ///< of a distance: keeps quotients finite
inline constexpr float refine_largest_push = 1;
inline constexpr float refine_softening = 1e-3F;  ///< of the repulsion of points that meet
/// What neighbours of neighbours push with, over what random points do: these hardly ever meet in a
/// wide map, and neighbourhoods would fall into clumps.
inline constexpr float refine_near_share = 0.03F;
inline constexpr float refine_keep_force = 0.9F;  ///< Adam's two memories
inline constexpr float refine_keep_square = 0.999F;
/// UMAP's curve 1 / (1 + a d^2b) for min_dist 0.1.
inline constexpr float refine_a = 1.577F, refine_b = 0.895F;

}  // namespace geotherm::detail
