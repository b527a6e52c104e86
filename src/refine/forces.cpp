// Forces of t-SNE's objective on one point. Single precision: places need no more than a thousandth
// of a unit.
#include "refine/forces.hpp"

#include <algorithm>
#include <bit>

#include "core/simd.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t lanes = refine_lanes;
static_assert(RefineGrid::slack >= lanes);

/// Sums are kept lane by lane, and added in the order of lanes: loops over lanes are one vector.
struct Sum {
  float lane[lanes] = {};
  float total() const {
    float sum = 0;
    for (const float x : lane) sum += x;
    return sum;
  }
};

/// w q d^2 / (d^2 + core) along each edge, with q = 1 / (1 + d^2).
template <std::size_t K>
[[gnu::always_inline]] inline void pull_along(const float* places, std::size_t n, std::size_t own,
                                              const Index* others, const float* weights,
                                              std::size_t count, RefinePull& pull) {
  Sum force[K], stiffness;
  float here[K];
  for (std::size_t k = 0; k < K; ++k) here[k] = places[k * n + own];
  for (std::size_t begin = 0; begin < count; begin += lanes) {
    const auto left = static_cast<std::uint32_t>(std::min(lanes, count - begin));
    float gap[K][lanes];
    for (std::size_t k = 0; k < K; ++k) {
      GEOTHERM_AS_A_LOOP
      for (std::size_t l = 0; l < lanes; ++l) {
        gap[k][l] = here[k] - places[k * n + static_cast<std::size_t>(others[begin + l])];
      }
    }
    GEOTHERM_AS_A_LOOP
    for (std::uint32_t l = 0; l < lanes; ++l) {
      // Entries of the next row have no weight.
      const std::uint32_t is_there = l < left ? ~0U : 0U;
      const float weight =
          std::bit_cast<float>(std::bit_cast<std::uint32_t>(weights[begin + l]) & is_there);
      float square = gap[0][l] * gap[0][l];
      for (std::size_t k = 1; k < K; ++k) square += gap[k][l] * gap[k][l];
      const float factor = weight * square / ((1 + square) * (square + refine_core));
      stiffness.lane[l] += factor;
      for (std::size_t k = 0; k < K; ++k) force[k].lane[l] += factor * gap[k][l];
    }
  }
  pull.stiffness = stiffness.total();
  for (std::size_t k = 0; k < K; ++k) pull.force[k] = force[k].total();
}

/// q and q^2 of eight points, each times the number of points that it stands for. Those behind the
/// end and the point itself count nothing.
template <std::size_t K>
[[gnu::always_inline]] inline void push_of_eight(const float* const* planes, const float* here,
                                                 std::size_t from, std::uint32_t left,
                                                 std::uint32_t own, float weight, Sum* force,
                                                 Sum& stiffness, Sum& near) {
  GEOTHERM_AS_A_LOOP
  for (std::uint32_t l = 0; l < lanes; ++l) {
    float gap[K];
    for (std::size_t k = 0; k < K; ++k) gap[k] = here[k] - planes[k][from + l];
    float square = gap[0] * gap[0];
    for (std::size_t k = 1; k < K; ++k) square += gap[k] * gap[k];
    // Floats >= 0 lie as their bits do; comparisons of floats may trap, which keeps loops narrow.
    constexpr auto reach = std::bit_cast<std::uint32_t>(refine_reach * refine_reach);
    const std::uint32_t is_near = (std::bit_cast<std::uint32_t>(square) < reach ? ~0U : 0U) &
                                  (l < left ? ~0U : 0U) & (l != own ? ~0U : 0U);
    const float nearness = 1 / (1 + square);
    const auto where_near = [is_near](float x) {
      return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & is_near);
    };
    const float q = where_near(nearness);
    const float factor = weight * (q * q);
    near.lane[l] += where_near(weight * nearness);
    stiffness.lane[l] += factor;
    for (std::size_t k = 0; k < K; ++k) force[k].lane[l] += factor * gap[k];
  }
}

template <std::size_t K>
[[gnu::always_inline]] inline void push_within(const float* const* planes, const float* here,
                                               std::size_t rank, RefineGrid::Range range,
                                               const RefineGroups& groups, Sum* force,
                                               Sum& stiffness, Sum& near) {
  const float weight = static_cast<float>(groups.spacing);
  for (std::size_t group = groups.first; group < groups.end; group += groups.spacing) {
    const std::size_t from = range.begin + group * lanes;
    push_of_eight<K>(planes, here, from, static_cast<std::uint32_t>(range.end - from),
                     static_cast<std::uint32_t>(rank - from), weight, force, stiffness, near);
  }
}

template <std::size_t K>
[[gnu::always_inline]] inline void push_from(const float* const* planes, std::size_t rank,
                                             const RefineGrid::Surroundings& around,
                                             const RefineGroups* groups, RefinePush& push) {
  Sum force[K], stiffness, near;
  float here[K];
  for (std::size_t k = 0; k < K; ++k) here[k] = planes[k][rank];
  for (std::size_t r = 0; r < around.count; ++r) {
    push_within<K>(planes, here, rank, around.ranges[r], groups[r], force, stiffness, near);
  }
  push.stiffness = stiffness.total();
  push.near = near.total();
  for (std::size_t k = 0; k < K; ++k) push.force[k] = force[k].total();
}

}  // namespace

GEOTHERM_WIDE void refine_pull(const float* places, std::size_t n, std::size_t dimensions,
                               std::size_t own, const Index* others, const float* weights,
                               std::size_t count, RefinePull& pull) {
  if (dimensions == 1) pull_along<1>(places, n, own, others, weights, count, pull);
  if (dimensions == 2) pull_along<2>(places, n, own, others, weights, count, pull);
  if (dimensions == 3) pull_along<3>(places, n, own, others, weights, count, pull);
}

GEOTHERM_WIDE void refine_push(const float* const* planes, std::size_t dimensions,
                               std::size_t rank, const RefineGrid::Surroundings& around,
                               const RefineGroups* groups, RefinePush& push) {
  if (dimensions == 1) push_from<1>(planes, rank, around, groups, push);
  if (dimensions == 2) push_from<2>(planes, rank, around, groups, push);
  if (dimensions == 3) push_from<3>(planes, rank, around, groups, push);
}

}  // namespace geotherm::detail
