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

// Entries that one loop works on: long enough to become a wide one.
constexpr std::size_t together = 64;
constexpr float far_away = 1e15F;  // along each axis: its square is finite, and out of reach

/// Sums are kept lane by lane, whatever the width of loops, and added in the order of lanes.
struct Sum {
  float lane[lanes] = {};
  [[gnu::always_inline]] inline void add(const float* values, std::size_t count) {
    for (std::size_t e = 0; e < count; e += lanes) {
      for (std::size_t l = 0; l < lanes; ++l) lane[l] += values[e + l];
    }
  }
  [[gnu::always_inline]] inline void add_products(const float* a, const float* b,
                                                  std::size_t count) {
    for (std::size_t e = 0; e < count; e += lanes) {
      for (std::size_t l = 0; l < lanes; ++l) lane[l] += a[e + l] * b[e + l];
    }
  }
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
  for (std::size_t begin = 0; begin < count; begin += together) {
    const std::size_t n_now = std::min(together, count - begin);
    float gap[K][together], factor[together];
    for (std::size_t k = 0; k < K; ++k) {
      const float* plane = places + k * n;
      const float here = plane[own];
      for (std::size_t l = 0; l < n_now; ++l) gap[k][l] = here - plane[others[begin + l]];
    }
    for (std::size_t l = 0; l < n_now; ++l) {
      float square = gap[0][l] * gap[0][l];
      for (std::size_t k = 1; k < K; ++k) square += gap[k][l] * gap[k][l];
      factor[l] = weights[begin + l] * square / ((1 + square) * (square + refine_core));
    }
    stiffness.add(factor, n_now);
    for (std::size_t k = 0; k < K; ++k) force[k].add_products(factor, gap[k], n_now);
  }
  pull.stiffness = stiffness.total();
  for (std::size_t k = 0; k < K; ++k) pull.force[k] = force[k].total();
}

/// q and q^2 of the points of a range, each times the number of points that it stands for.
template <std::size_t K>
[[gnu::always_inline]] inline void push_within(const float* const* planes, std::size_t rank,
                                               RefineGrid::Range range, const RefineGroups& groups,
                                               Sum* force, Sum& stiffness, Sum& near) {
  const float weight = static_cast<float>(groups.spacing);
  std::size_t group = groups.first;
  while (group < groups.end) {
    float gap[K][together], q[together], factor[together];
    std::size_t n_now = 0;
    for (; group < groups.end && n_now < together; group += groups.spacing, n_now += lanes) {
      const std::size_t from = range.begin + group * lanes;
      for (std::size_t k = 0; k < K; ++k) {
        const float here = planes[k][rank];
        for (std::size_t l = 0; l < lanes; ++l) gap[k][n_now + l] = here - planes[k][from + l];
      }
      // Behind the end, and the point itself.
      for (std::size_t l = range.end - from; l < lanes; ++l) gap[0][n_now + l] = far_away;
      if (rank - from < lanes) gap[0][n_now + rank - from] = far_away;
    }
    for (std::size_t l = 0; l < n_now; ++l) {
      float square = gap[0][l] * gap[0][l];
      for (std::size_t k = 1; k < K; ++k) square += gap[k][l] * gap[k][l];
      // Floats >= 0 lie as their bits do; comparisons of floats may trap, which keeps loops narrow.
      constexpr auto reach = std::bit_cast<std::uint32_t>(refine_reach * refine_reach);
      const std::uint32_t is_near = std::bit_cast<std::uint32_t>(square) < reach ? ~0U : 0U;
      const float nearness = 1 / (1 + square);
      q[l] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(nearness) & is_near);
      factor[l] = weight * (q[l] * q[l]);
      q[l] *= weight;
    }
    near.add(q, n_now);
    stiffness.add(factor, n_now);
    for (std::size_t k = 0; k < K; ++k) force[k].add_products(factor, gap[k], n_now);
  }
}

template <std::size_t K>
[[gnu::always_inline]] inline void push_from(const float* const* planes, std::size_t rank,
                                             const RefineGrid::Surroundings& around,
                                             const RefineGroups* groups, RefinePush& push) {
  Sum force[K], stiffness, near;
  for (std::size_t r = 0; r < around.count; ++r) {
    push_within<K>(planes, rank, around.ranges[r], groups[r], force, stiffness, near);
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
