// Wide neighbour lists -> the lists a graph is built from.
#include <algorithm>

#include "geotherm/shortcuts.hpp"

namespace geotherm {

NeighborLists shortened(const NeighborLists& lists, std::size_t knn, double reach) {
  NeighborLists cut;
  cut.n_points = lists.n_points;
  cut.knn = std::min(knn, lists.knn);
  cut.search_used = lists.search_used;
  cut.reach = reach;
  cut.offsets.assign(1, 0);
  std::size_t n_truncated = 0;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    const auto neighbors = lists.neighbors(i);
    const auto lengths = lists.lengths(i);
    std::size_t size = std::min(cut.knn, lengths.size());
    const double limit = size == 0 ? 0 : reach * lengths[size - 1];
    while (size < lengths.size() && lengths[size] <= limit) ++size;
    // All of a list within reach: what lies beyond its end was not seen.
    if (size == lengths.size() && size + 1 < lists.n_points && reach > 1) ++n_truncated;
    cut.indices.insert(cut.indices.end(), neighbors.begin(),
                       neighbors.begin() + static_cast<std::ptrdiff_t>(size));
    cut.distances.insert(cut.distances.end(), lengths.begin(),
                         lengths.begin() + static_cast<std::ptrdiff_t>(size));
    cut.offsets.push_back(cut.indices.size());
  }
  cut.truncated_share =
      lists.n_points == 0 ? 0
                          : static_cast<double>(n_truncated) / static_cast<double>(lists.n_points);
  return cut;
}

}  // namespace geotherm
