// Neighbour lists for the layouts that read no graph, and from inputs without points.
#include <algorithm>

#include "methods/prepared_points.hpp"
#include "methods/run_state.hpp"

namespace geotherm::detail {

void note_lists(const NeighborLists& lists, RunReport& report) {
  report.resolved["knn"] = static_cast<double>(lists.knn);
  report.resolved["neighbor_search"] = std::string(to_string(lists.search_used));
}

std::optional<NeighborLists> lists_to_keep(const NeighborLists& lists, std::size_t knn,
                                           const MethodOptions& options) {
  if (options.keep_neighbors == 0 || lists.n_points < 2) return std::nullopt;
  const std::size_t n = std::min(lists.n_points - 1, std::max(knn, options.keep_neighbors));
  if (lists.knn < n) return std::nullopt;
  return first_neighbors(lists, n);
}

template <class T>
FoundNeighbors find_and_keep(const PreparedPoints<T>& prepared, const NeighborOptions& which,
                             const MethodOptions& options, const Context& context,
                             std::vector<Index>* order) {
  const std::size_t n_points = prepared.points.rows;
  // A model places new points among those that are not smoothed.
  if (prepared.is_smoothed()) return {prepared.find(which, context, order), std::nullopt};
  NeighborOptions wide = which;
  wide.knn = std::min(n_points - 1, options.keep_neighbors);
  const std::size_t knn = resolve_knn(which.knn, n_points, {});
  FoundNeighbors found;
  if (*wide.knn <= knn || !is_exact_search(which, n_points)) {
    found.lists = prepared.find(which, context, order);
    found.to_keep = lists_to_keep(found.lists, knn, options);
    return found;
  }
  const NeighborLists longer = prepared.find(wide, context, order);
  found.to_keep = lists_to_keep(longer, knn, options);
  if (!(which.reach > 1)) {
    found.lists = first_neighbors(longer, knn);
    return found;
  }
  found.lists = shortened(longer, knn, which.reach);
  found.lists.truncated_share = 0;  // the longer lists have all within reach of their own end
  return found;
}
template FoundNeighbors find_and_keep(const PreparedPoints<double>&, const NeighborOptions&,
                                      const MethodOptions&, const Context&, std::vector<Index>*);
template FoundNeighbors find_and_keep(const PreparedPoints<float>&, const NeighborOptions&,
                                      const MethodOptions&, const Context&, std::vector<Index>*);

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
NeighborRun lists_of_points(MatrixView<const T> points, const MethodOptions& options,
                            const NeighborCount& count, const Context& context) {
  NeighborRun result;
  auto& [found, run] = result;
  PreparedPoints<T> prepared = prepare(points, options, run.report, context);
  run.unique_inverse = std::move(prepared.unique_inverse);
  run.reduction = prepared.reduction();
  if (prepared.points.rows == 1) {
    found.lists.n_points = 1;
    found.lists.offsets = {0, 0};
    return result;
  }
  NeighborOptions which = prepared.neighbors;
  which.knn = count(which.knn, prepared.points.rows);
  {
    const StageClock clock(run.report, "neighbors");
    FoundNeighbors searched = find_and_keep(prepared, which, options, context);
    found.lists = std::move(searched.lists);
    if (searched.to_keep) run.neighbors = std::move(*searched.to_keep);
  }
  run.knn = found.lists.knn;
  note_lists(found.lists, run.report);
  const MatrixView<const double> in_double = prepared.in_double();
  found.points = Matrix<double>::uninitialized(in_double.rows, in_double.cols);
  for (std::size_t i = 0; i < in_double.rows; ++i) {
    const auto row = in_double.row(i);
    std::copy(row.begin(), row.end(), found.points.row(i).begin());
  }
  return result;
}

NeighborRun make_lists(const Input& input, const MethodOptions& options, const NeighborCount& count,
                       const Context& context) {
  if (!input.points().empty()) return lists_of_points(input.points(), options, count, context);
  if (!input.points32().empty()) return lists_of_points(input.points32(), options, count, context);
  if (input.affinities() != nullptr) {
    throw InvalidArgument(
        "this method works on distances to neighbours: give points, neighbours or "
        "distances instead of affinities");
  }
  NeighborRun result;
  auto& [found, run] = result;
  run.unique_inverse = rows_as_points(input.n_points());
  NeighborOptions which = options.neighbors;
  which.knn = count(which.knn, input.n_points());
  {
    const StageClock clock(run.report, "neighbors");
    found.lists = given_lists(input, which, context);
  }
  run.knn = found.lists.knn;
  run.report.resolved["knn"] = static_cast<double>(found.lists.knn);
  return result;
}

}  // namespace

template <class Archive>
void fields(Archive& a, NeighborRun& both) {
  put(a, both.found, both.run);
}

NeighborRun neighbors_of(const Input& input, const MethodOptions& options,
                         const NeighborCount& count, const Context& context) {
  refuse_if_any(issues_with(options));
  return made_once<NeighborRun>(context, "neighbors", [&](const Context& listening) {
    return make_lists(input, options, count, listening);
  });
}

}  // namespace geotherm::detail
