// Candidates by the approximate search in a Euclidean stand-in, then measured by the metric itself.
#include <algorithm>
#include <cmath>
#include <string>

#include "neighbors/approximate.hpp"
#include "neighbors/brute_force.hpp"

namespace geotherm::detail {
namespace {

/// Share of the true neighbours of some points that their lists name.
template <class T>
double recall_of(const NeighborLists& lists, const Space<T>& space, const Cut& cut) {
  constexpr std::size_t n_sampled = 64;
  const std::size_t n = space.n_points(), count = std::min(n, n_sampled);
  std::vector<Index> queries;
  for (std::size_t q = 0; q < count; ++q) queries.push_back(static_cast<Index>(q * n / count));
  const ListPart truth = brute_force_some(space, queries, {cut.knn, 1});
  std::size_t n_found = 0, at = 0;
  for (std::size_t q = 0; q < count; ++q) {
    const auto lengths = lists.lengths(static_cast<std::size_t>(queries[q]));
    // By distance: of ties any will do.
    const double last = truth.distances[at + truth.counts[q] - 1];
    n_found += std::min<std::size_t>(
        cut.knn, static_cast<std::size_t>(std::upper_bound(lengths.begin(), lengths.end(), last) -
                                          lengths.begin()));
    at += truth.counts[q];
  }
  return static_cast<double>(n_found) / static_cast<double>(count * cut.knn);
}

}  // namespace

template <class T>
NeighborLists search_by_proxy(const Space<T>& space, const Cut& cut, const Context& context) {
  const std::size_t n = space.n_points();
  const NeighborLists wide = approximate_search(
      proxy_space(space), {std::min(n - 1, 6 * cut.knn + 40), 1}, context);
  constexpr std::size_t block = 256;
  std::vector<ListPart> parts((n + block - 1) / block);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    MeasureScratch scratch;
    for (std::size_t i = begin; i < end; ++i) {
      add_measured(space, i, wide.neighbors(i), cut, scratch, parts[begin / block]);
    }
  });
  NeighborLists lists = assemble(n, cut, std::move(parts));
  lists.search_used = NeighborSearch::approximate;
  const double recall = recall_of(lists, space, cut);
  if (recall < 0.95) {
    context.warn("neighbours: the approximate search finds about " +
                 std::to_string(std::lround(100 * recall)) +
                 " % of the nearest in this metric; search = brute-force finds all");
  }
  return lists;
}
template NeighborLists search_by_proxy(const Space<float>&, const Cut&, const Context&);
template NeighborLists search_by_proxy(const Space<double>&, const Cut&, const Context&);

}  // namespace geotherm::detail
