#include "graph/kernel_support.hpp"

#include <algorithm>

#include "geotherm/shortcuts.hpp"

namespace geotherm::detail {
namespace {

// With decay 40 the kernel reaches 1.057 times the distance to the knn-th neighbour: a few
// neighbours more, whatever the data.
constexpr double short_reach = 1.1;

std::size_t longest_list(std::size_t knn, std::size_t n_points, std::size_t most_entries) {
  return std::max(2 * knn, most_entries / n_points);
}

}  // namespace

bool is_searched_at_once(const NeighborOptions& options, std::size_t n_points,
                         std::size_t most_entries) {
  const std::size_t knn = resolve_knn(options.knn, n_points, {});
  return options.reach <= short_reach || longest_list(knn, n_points, most_entries) + 1 >= n_points;
}

NeighborLists lists_within_reach(const NeighborOptions& options, std::size_t n_points,
                                 const std::function<NeighborLists(const NeighborOptions&)>& find,
                                 std::size_t most_entries) {
  if (is_searched_at_once(options, n_points, most_entries)) return find(options);
  const std::size_t knn = resolve_knn(options.knn, n_points, {});
  NeighborOptions cut = options;
  cut.knn = longest_list(knn, n_points, most_entries);
  cut.reach = 1;
  return shortened(find(cut), knn, options.reach);
}

}  // namespace geotherm::detail
