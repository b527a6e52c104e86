#include "graph/kernel_support.hpp"

#include <algorithm>

#include "geotherm/shortcuts.hpp"

namespace geotherm::detail {
namespace {

// With decay 40 the kernel reaches 1.057 times the distance to the knn-th neighbour: a few
// neighbours more, whatever the data.
constexpr double short_reach = 1.1;

}  // namespace

NeighborLists lists_within_reach(const NeighborOptions& options, std::size_t n_points,
                                 const std::function<NeighborLists(const NeighborOptions&)>& find,
                                 std::size_t most_entries) {
  const std::size_t knn = resolve_knn(options.knn, n_points, {});
  const std::size_t longest = std::max(2 * knn, most_entries / n_points);
  if (options.reach <= short_reach || longest + 1 >= n_points) return find(options);
  NeighborOptions cut = options;
  cut.knn = longest;
  cut.reach = 1;
  return shortened(find(cut), knn, options.reach);
}

}  // namespace geotherm::detail
