// Constants of the forces of refinement, for the CPU and for a GPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace geotherm::detail {

/// Points farther apart do not push each other, in units of the objective; a cell is as wide.
inline constexpr float refine_reach = 3;
/// Square of the distance within which neighbours pull less and less: a small group in which
/// everybody attracts everybody would fall together.
inline constexpr float refine_core = 0.09F;
/// Attraction over that of t-SNE in the second half of the epochs: what the core takes from it.
inline constexpr double refine_last_attraction = 1.2;
/// Share of the way to where forces balance that a point goes in an epoch.
inline constexpr float refine_share = 0.5F;
/// Entries that are looked at together.
inline constexpr std::size_t refine_lanes = 8;
/// Of a row of cells with more than so many eights of points, evenly spaced ones are taken, each
/// for all those that it stands for.
inline constexpr std::size_t refine_most_groups = 16;
/// A mean of so much nearness is the least that the push is divided by.
inline constexpr double refine_least_near = 1;

/// The first of the eights that are taken, mod the spacing: drawn for each point, row and epoch.
inline constexpr std::uint32_t refine_mixed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352dU;
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}
/// `base`: of the seed.
inline constexpr std::uint32_t refine_draw_of_epoch(std::uint64_t base, std::uint64_t epoch) {
  const auto folded = static_cast<std::uint32_t>(base ^ (base >> 32));
  return refine_mixed(folded + static_cast<std::uint32_t>(epoch) * 0x9e3779b9U);
}
inline constexpr std::uint32_t refine_draw(std::uint32_t of_epoch, std::uint32_t point,
                                           std::uint32_t begin) {
  return refine_mixed(of_epoch + point * 0x85ebca6bU + begin * 0xc2b2ae35U);
}

}  // namespace geotherm::detail
