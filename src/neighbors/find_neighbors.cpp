// The public function: points and options -> the space of the metric -> the search that fits.
#include <limits>
#include <string>

#include "geotherm/neighbors.hpp"
#include "neighbors/approximate.hpp"
#include "neighbors/brute_force.hpp"
#include "neighbors/device_search.hpp"
#include "neighbors/in_order.hpp"
#include "neighbors/kd_tree.hpp"
#include "neighbors/some_rows.hpp"

namespace geotherm {
namespace {

using namespace detail;

// About 5 s on one core with 50 dimensions.
constexpr std::size_t most_brute_force_points = 50000;

template <class T>
NeighborSearch choose(const Space<T>& space, const Cut& cut, NeighborSearch asked,
                      const Context& context) {
  const std::size_t n = space.n_points();
  NeighborSearch search = asked;
  if (asked == NeighborSearch::automatic) {
    if (space.dims() <= most_tree_dims && has_boxes(space.measure)) return NeighborSearch::tree;
    if (n <= most_brute_force_points) return NeighborSearch::brute_force;
    search = NeighborSearch::approximate;
  }
  if (search == NeighborSearch::tree && !has_boxes(space.measure)) {
    context.info("neighbours: brute force, since this metric has no tree");
    return NeighborSearch::brute_force;
  }
  if (search == NeighborSearch::approximate) {
    if (n < std::max(least_for_approximate, 10 * cut.knn)) {
      context.info("neighbours: brute force, since there are few points");
      return NeighborSearch::brute_force;
    }
  }
  return search;
}

/// What `go` makes of the space of points that fit the metric.
template <class T>
auto in_space_of(MatrixView<const T> points, Metric metric, const Context& context,
                 const auto& go) {
  refuse_unfit(points, metric);
  return is_mapped(metric) ? go(mapped_space(points, metric))
                           : go(plain_space(points, metric, context));
}

template <class T>
NeighborLists search_in(const Space<T>& space, const Cut& cut, NeighborSearch asked,
                        const Context& context) {
#ifdef GEOTHERM_WITH_CUDA
  Device* const device = device_of(context);
  if (device != nullptr && asked != NeighborSearch::tree &&
      suits_device_search(space.n_points(), cut, space.measure)) {
    return device_search(*device, space, cut, context);
  }
#endif
  switch (choose(space, cut, asked, context)) {
    case NeighborSearch::tree:
      return tree_search(space, cut, context);
    case NeighborSearch::approximate:
      return is_squared(space.measure) ? approximate_search(space, cut, context)
                                       : search_by_proxy(space, cut, context);
    default:
      return brute_force(space, cut, context);
  }
}

template <class T>
NeighborLists find(MatrixView<const T> points, const NeighborOptions& options,
                   std::vector<Index>* order, const Context& context) {
  if (points.empty()) {
    throw InvalidArgument("points: the table is empty (" + std::to_string(points.rows) + " rows, " +
                          std::to_string(points.cols) +
                          " columns); give at least one point with one coordinate");
  }
  if (points.rows > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
    throw InvalidArgument("points: " + std::to_string(points.rows) +
                          " rows are more than an index can count (2^31 - 1)");
  }
  refuse_if_any(issues_with(options, points.rows));
  const Cut cut{resolve_knn(options.knn, points.rows, context), options.reach, order};
  refuse_non_finite(points, context);
  if (points.rows == 1) return assemble(1, cut, {});
  return in_space_of(points, options.metric, context, [&](const auto& space) {
    return search_in(space, cut, options.search, context);
  });
}

}  // namespace

bool is_exact_search(const NeighborOptions& options, std::size_t n_points) {
  return options.search == NeighborSearch::brute_force || options.search == NeighborSearch::tree ||
         (options.search == NeighborSearch::automatic && n_points <= most_brute_force_points);
}

NeighborLists find_neighbors(MatrixView<const double> points, const NeighborOptions& options,
                             const Context& context) {
  return find(points, options, nullptr, context);
}

NeighborLists find_neighbors(MatrixView<const float> points, const NeighborOptions& options,
                             const Context& context) {
  return find(points, options, nullptr, context);
}

namespace detail {

template <class T>
NeighborLists with_rows_found_again(const NeighborLists& lists, std::span<const Index> rows,
                                    MatrixView<const T> points, const NeighborOptions& options,
                                    const Context& context) {
  constexpr std::size_t block = 4, rows_at_once = 1024;
  const Cut cut{lists.knn, options.reach, nullptr};
  std::vector<ListPart> parts((rows.size() + block - 1) / block);
  in_space_of(points, options.metric, context, [&](const auto& space) {
    const PairBounds bounds(space);
    parallel_for(context, rows.size(), block, [&](std::size_t begin, std::size_t end) {
      const auto some = rows.subspan(begin, end - begin);
      parts[begin / block] = brute_force_some(space, some, cut, &bounds);
    });
  });
  std::vector<char> is_found(lists.n_points, 0);
  for (const Index row : rows) is_found[static_cast<std::size_t>(row)] = 1;
  for (std::size_t begin = 0; begin < lists.n_points; begin += rows_at_once) {
    ListPart& kept = parts.emplace_back();
    for (std::size_t i = begin; i < std::min(lists.n_points, begin + rows_at_once); ++i) {
      if (is_found[i] != 0) continue;
      const auto neighbors = lists.neighbors(i);
      const auto lengths = lists.lengths(i);
      kept.points.push_back(static_cast<Index>(i));
      kept.counts.push_back(neighbors.size());
      kept.indices.insert(kept.indices.end(), neighbors.begin(), neighbors.end());
      kept.distances.insert(kept.distances.end(), lengths.begin(), lengths.end());
    }
  }
  NeighborLists whole = assemble(lists.n_points, cut, std::move(parts), context);
  whole.search_used = lists.search_used;
  return whole;
}
template NeighborLists with_rows_found_again(const NeighborLists&, std::span<const Index>,
                                             MatrixView<const double>, const NeighborOptions&,
                                             const Context&);
template NeighborLists with_rows_found_again(const NeighborLists&, std::span<const Index>,
                                             MatrixView<const float>, const NeighborOptions&,
                                             const Context&);

template <class T>
NeighborLists neighbors_in_order(MatrixView<const T> points, const NeighborOptions& options,
                                 std::vector<Index>& order, const Context& context) {
  return find(points, options, &order, context);
}
template NeighborLists neighbors_in_order(MatrixView<const double>, const NeighborOptions&,
                                          std::vector<Index>&, const Context&);
template NeighborLists neighbors_in_order(MatrixView<const float>, const NeighborOptions&,
                                          std::vector<Index>&, const Context&);

}  // namespace detail

}  // namespace geotherm
