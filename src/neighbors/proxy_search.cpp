// Candidates by the approximate search in a Euclidean stand-in, then measured by the metric itself.
#include <algorithm>
#include <cmath>
#include <string>

#include "neighbors/approximate.hpp"
#include "neighbors/brute_force.hpp"

namespace geotherm::detail {
namespace {

/// Some points and their true neighbours, by which a search is judged.
struct Sample {
  std::vector<Index> points;
  ListPart truth;

  /// Share of the true neighbours that the lists name. By distance: of ties any will do.
  double recall_of(const NeighborLists& lists, std::size_t knn) const {
    std::size_t n_found = 0, at = 0;
    for (std::size_t q = 0; q < points.size(); ++q) {
      const auto lengths = lists.lengths(static_cast<std::size_t>(points[q]));
      const double last = truth.distances[at + truth.counts[q] - 1];
      const auto n_near = std::upper_bound(lengths.begin(), lengths.end(), last) - lengths.begin();
      n_found += std::min(knn, static_cast<std::size_t>(n_near));
      at += truth.counts[q];
    }
    return static_cast<double>(n_found) / static_cast<double>(points.size() * knn);
  }
};

template <class T>
Sample sample_of(const Space<T>& space, std::size_t knn, const Context& context) {
  constexpr std::size_t n_sampled = 64, block = 4;
  const std::size_t n = space.n_points(), count = std::min(n, n_sampled);
  Sample sample;
  for (std::size_t q = 0; q < count; ++q) sample.points.push_back(static_cast<Index>(q * n / count));
  std::vector<ListPart> parts((count + block - 1) / block);
  parallel_for(context, count, block, [&](std::size_t begin, std::size_t end) {
    parts[begin / block] = brute_force_some(
        space, std::span<const Index>(sample.points).subspan(begin, end - begin), {knn, 1});
  });
  for (const ListPart& part : parts) {
    sample.truth.counts.insert(sample.truth.counts.end(), part.counts.begin(), part.counts.end());
    sample.truth.distances.insert(sample.truth.distances.end(), part.distances.begin(),
                                  part.distances.end());
  }
  return sample;
}

/// The nearest by the metric itself among the `n_candidates` nearest in the stand-in.
template <class T>
NeighborLists nearest_among(const Space<T>& space, const Space<float>& proxy,
                            std::size_t n_candidates, const Cut& cut, const Context& context) {
  const std::size_t n = space.n_points();
  const NeighborLists wide = approximate_search(proxy, {n_candidates, 1}, context);
  constexpr std::size_t block = 256;
  std::vector<ListPart> parts((n + block - 1) / block);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    MeasureScratch scratch;
    for (std::size_t i = begin; i < end; ++i) {
      add_measured(space, i, wide.neighbors(i), cut, scratch, parts[begin / block]);
    }
  });
  return assemble(n, cut, std::move(parts));
}

}  // namespace

template <class T>
NeighborLists search_by_proxy(const Space<T>& space, const Cut& cut, const Context& context) {
  constexpr double wanted_recall = 0.99;
  const std::size_t n = space.n_points();
  const Space<float> proxy = proxy_space(space);
  const Sample sample = sample_of(space, cut.knn, context);
  NeighborLists lists;
  double recall = 0;
  // More candidates where the stand-in is a poor one, up to those that all pairs would cost.
  for (std::size_t wide = 6 * cut.knn + 40; recall < wanted_recall && 4 * wide < n; wide *= 2) {
    lists = nearest_among(space, proxy, wide, cut, context);
    recall = sample.recall_of(lists, cut.knn);
  }
  if (recall == 0) return brute_force(space, cut, context);
  lists.search_used = NeighborSearch::approximate;
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
