// Neighbour lists for the layouts that read no graph, and from inputs without points.
#include <algorithm>

#include "methods/prepared_points.hpp"
#include "methods/run_state.hpp"

namespace geotherm::detail {

void note_lists(const NeighborLists& lists, DistanceRun& run) {
  run.knn = lists.knn;
  run.report.resolved["knn"] = static_cast<double>(lists.knn);
  run.report.resolved["neighbor_search"] = std::string(to_string(lists.search_used));
}

void keep_lists(const NeighborLists& lists, std::size_t knn, const MethodOptions& options,
                DistanceRun& run) {
  if (options.keep_neighbors == 0 || lists.n_points < 2) return;
  const std::size_t n = std::min(lists.n_points - 1, std::max(knn, options.keep_neighbors));
  if (lists.knn >= n) run.neighbors = first_neighbors(lists, n);
}

template <class T>
NeighborLists find_and_keep(const PreparedPoints<T>& prepared, const NeighborOptions& which,
                            const MethodOptions& options, DistanceRun& run,
                            const Context& context) {
  const std::size_t n_places = prepared.places.rows;
  // A model places new points among those that are not smoothed.
  if (prepared.is_smoothed()) return prepared.find(which, context);
  NeighborOptions wide = which;
  wide.knn = std::min(n_places - 1, options.keep_neighbors);
  const std::size_t knn = resolve_knn(which.knn, n_places, {});
  if (*wide.knn <= knn || !is_exact_search(which, n_places)) {
    NeighborLists lists = prepared.find(which, context);
    keep_lists(lists, knn, options, run);
    return lists;
  }
  const NeighborLists found = prepared.find(wide, context);
  keep_lists(found, knn, options, run);
  if (!(which.reach > 1)) return first_neighbors(found, knn);
  NeighborLists lists = shortened(found, knn, which.reach);
  lists.truncated_share = 0;  // the wide lists have all within reach of their own, later end
  return lists;
}
template NeighborLists find_and_keep(const PreparedPoints<double>&, const NeighborOptions&,
                                     const MethodOptions&, DistanceRun&, const Context&);
template NeighborLists find_and_keep(const PreparedPoints<float>&, const NeighborOptions&,
                                     const MethodOptions&, DistanceRun&, const Context&);

NeighborLists given_lists(const Input& input, const NeighborOptions& options,
                          const Context& context) {
  if (input.neighbors() != nullptr) return *input.neighbors();
  if (input.sparse_distances() != nullptr) {
    return neighbors_from_sparse(*input.sparse_distances(), options, context);
  }
  return neighbors_from_distances(input.distances(), options, context);
}

namespace {

template <class T>
PlacedNeighbors lists_of_points(MatrixView<const T> points, const MethodOptions& options,
                                const NeighborCount& count, DistanceRun& run,
                                const Context& context) {
  PreparedPoints<T> prepared = prepare(points, options, run, context);
  PlacedNeighbors placed;
  if (prepared.places.rows == 1) {
    placed.lists.n_points = 1;
    placed.lists.offsets = {0, 0};
    return placed;
  }
  NeighborOptions which = prepared.neighbors;
  which.knn = count(which.knn, prepared.places.rows);
  {
    const StageClock clock(run.report, "neighbors");
    placed.lists = find_and_keep(prepared, which, options, run, context);
  }
  note_lists(placed.lists, run);
  const MatrixView<const double> in_double = prepared.in_double();
  placed.points = Matrix<double>::uninitialized(in_double.rows, in_double.cols);
  for (std::size_t i = 0; i < in_double.rows; ++i) {
    const auto row = in_double.row(i);
    std::copy(row.begin(), row.end(), placed.points.row(i).begin());
  }
  return placed;
}

PlacedNeighbors make_lists(const Input& input, const MethodOptions& options,
                           const NeighborCount& count, DistanceRun& run, const Context& context) {
  if (!input.points().empty()) return lists_of_points(input.points(), options, count, run, context);
  if (!input.points32().empty()) return lists_of_points(input.points32(), options, count, run, context);
  if (input.affinities() != nullptr) {
    throw InvalidArgument(
        "this method works on distances to neighbours: give points, neighbours or "
        "distances instead of affinities");
  }
  const StageClock clock(run.report, "neighbors");
  keep_places(input.n_points(), run);
  NeighborOptions which = options.neighbors;
  which.knn = count(which.knn, input.n_points());
  PlacedNeighbors placed;
  placed.lists = given_lists(input, which, context);
  run.knn = placed.lists.knn;
  run.report.resolved["knn"] = static_cast<double>(placed.lists.knn);
  return placed;
}

}  // namespace

template <class Archive>
void fields(Archive& a, NeighborRun& both) {
  put(a, both.placed, both.run);
}

NeighborRun neighbors_of(const Input& input, const MethodOptions& options,
                         const NeighborCount& count, const Context& context) {
  refuse_if_any(issues_with(options));
  return made_once<NeighborRun>(context, "neighbors", [&](const Context& listening) {
    NeighborRun made;
    made.placed = make_lists(input, options, count, made.run, listening);
    return made;
  });
}

}  // namespace geotherm::detail
