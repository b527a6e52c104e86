// Where maps can be believed: modules called in order, for the page (docs/page.md).
#include "geotherm/trust.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/median.hpp"
#include "core/take_rows.hpp"
#include "geotherm/laplacian.hpp"
#include "geotherm/metrics.hpp"
#include "heat/estimated_diagonal.hpp"
#include "landmarks/pull.hpp"
#include "methods/heat_distances.hpp"
#include "methods/scaled.hpp"
#include "methods/stages.hpp"
#include "neighbors/point_index.hpp"

namespace geotherm {
namespace {

/// Rows whose true neighbours are found where there are many: so that rows times points stay few.
std::vector<Index> sample_of_rows(std::size_t n, const Context& context) {
  const std::size_t count = std::clamp<std::size_t>(2'000'000'000 / n, 2'000, 20'000);
  return detail::draw_pivots(n, count, context);
}

/// Of a sample of rows, by exact search. Rows themselves are no neighbours of their own.
template <class T>
void find_neighbors_of_some(MatrixView<const T> points, Metric metric, std::size_t knn,
                            Trust& trust, const Context& context) {
  trust.neighbor_rows = sample_of_rows(points.rows, context);
  const Matrix<T> queries = detail::take_rows<T>(points, trust.neighbor_rows);
  const NeighborLists found = detail::PointIndex<T>(points, metric)
                                  .nearest(std::as_const(queries).view(), knn + 1, context);
  const std::size_t n = trust.neighbor_rows.size();
  trust.neighbors = Matrix<Index>(n, knn);
  trust.neighbor_distances = Matrix<double>(n, knn);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t at = 0;
    for (std::size_t k = 0; k <= knn && at < knn; ++k) {
      if (found.neighbors(i)[k] == trust.neighbor_rows[i]) continue;
      trust.neighbors(i, at) = found.neighbors(i)[k];
      trust.neighbor_distances(i, at++) = found.lengths(i)[k];
    }
  }
}

void find_true_neighbors(const Input& input, const MethodOptions& options,
                         const TrustOptions& trust_options, Trust& trust, const Context& context) {
  NeighborOptions which = options.neighbors;
  which.knn = std::min(trust_options.knn, input.n_points() - 1);
  which.reach = 1;
  if (input.n_points() > trust_options.max_rows) {
    if (!input.points().empty()) {
      find_neighbors_of_some(input.points(), which.metric, *which.knn, trust, context);
    } else if (!input.points32().empty()) {
      find_neighbors_of_some(input.points32(), which.metric, *which.knn, trust, context);
    }
    return;
  }
  NeighborLists found;
  if (!input.points().empty()) {
    found = find_neighbors(input.points(), which, context);
  } else if (!input.points32().empty()) {
    found = find_neighbors(input.points32(), which, context);
  } else if (!input.distances().empty()) {
    found = neighbors_from_distances(input.distances(), which, context);
  } else {
    return;  // lists and affinities from outside are as long as they are
  }
  trust.neighbors = Matrix<Index>(found.n_points, *which.knn);
  trust.neighbor_distances = Matrix<double>(found.n_points, *which.knn);
  for (std::size_t i = 0; i < found.n_points; ++i) {
    std::copy_n(found.neighbors(i).begin(), *which.knn, trust.neighbors.row(i).begin());
    std::copy_n(found.lengths(i).begin(), *which.knn, trust.neighbor_distances.row(i).begin());
  }
}

void measure_distortion(const DistanceRun& run, std::span<const MatrixView<const double>> maps,
                        std::size_t n_sources, Trust& trust, const Context& context) {
  if (!run.graph.has_lengths() || run.graph.weights.n_entries() == 0) return;
  const std::size_t n = run.unique_inverse.size();
  std::vector<Index> sources(n);
  std::iota(sources.begin(), sources.end(), 0);
  Rng rng(context.seed, "trust.sources");
  rng.shuffle(std::span<Index>(sources));
  sources.resize(std::min(n, n_sources));
  std::sort(sources.begin(), sources.end());
  std::vector<Index> points;
  points.reserve(sources.size());
  for (const Index row : sources)
    points.push_back(run.unique_inverse[static_cast<std::size_t>(row)]);
  const Matrix<double> of_points = shortest_paths(run.graph, points, context);
  Matrix<double> truth = Matrix<double>::uninitialized(sources.size(), n);
  for (std::size_t r = 0; r < sources.size(); ++r) {
    for (std::size_t i = 0; i < n; ++i) {
      truth(r, i) = of_points(r, static_cast<std::size_t>(run.unique_inverse[i]));
    }
  }
  for (const auto& map : maps) {
    trust.distortion.push_back(point_distortion(truth, sources, map, context));
  }
}

double median_diagonal(const Laplacian& laplacian) {
  std::vector<double> values;
  for (std::size_t i = 0; i < laplacian.size(); ++i) {
    const std::size_t place = laplacian.matrix.find(i, static_cast<Index>(i));
    if (place < laplacian.matrix.n_entries()) values.push_back(laplacian.matrix.values[place]);
  }
  const double middle = detail::median(std::move(values));
  return middle > 0 ? middle : 1;
}

/// The random-walk form has the diagonal of the symmetric one.
void estimate_diagonal(const DistanceRun& run, LaplacianKind kind, const TrustOptions& options,
                       Trust& trust, const Context& context) {
  const std::size_t n = run.graph.n_points();
  if (n < 2 || run.graph.weights.n_entries() == 0) return;
  const Laplacian laplacian = build_laplacian(
      run.graph, kind == LaplacianKind::random_walk ? LaplacianKind::normalized : kind, context);
  const double step = 1 / median_diagonal(laplacian);  // mean time between two of a typical point
  for (std::size_t s = 0; s < options.n_times; ++s) {
    const double share = static_cast<double>(s) / static_cast<double>(options.n_times - 1);
    trust.diagonal_times.push_back(0.3 * step * std::pow(1000.0, share));
  }
  trust.diagonal = detail::estimated_diagonals(laplacian, trust.diagonal_times, options.n_probes,
                                               "trust.probes", context);
}

/// The run with the kernel of its long time, and the unit of that kernel's distances.
DistanceRun with_long_time(DistanceRun run, const MethodOptions& options, const Context& context) {
  detail::HeatDistances heat(std::move(run.graph), detail::TimeHints::of(run), options, run.report,
                             context);
  heat.calibrate_long_time(context);
  return std::move(heat).added_to(std::move(run));
}

}  // namespace

DistanceRun heat_graph(const Input& input, const MethodOptions& asked, const Context& context) {
  const MethodOptions options = with_heat_geo_choices(asked, input.n_points());
  DistanceRun run = detail::graph_of(input, options, context);
  if (input.n_points() > kMostHeatRows) {
    if (options.rates == Rates::lengths && run.graph.has_lengths()) {
      run.graph = with_length_rates(std::move(run.graph), context);
    }
    return run;
  }
  return with_long_time(std::move(run), options, context);
}

DistanceRun landmark_heat_graph(const DistanceRun& run, std::size_t n_landmarks,
                                const MethodOptions& asked, const Context& context) {
  MethodOptions options = with_heat_geo_choices(asked, run.unique_inverse.size());
  LandmarkOptions landmarks = options.landmarks.value_or(LandmarkOptions{});
  landmarks.count = n_landmarks;
  options.landmarks = landmarks;
  detail::CoarseRun coarse =
      detail::coarse_run(run, {.measured = {}, .keeps_components = true}, options, context);
  coarse.run = with_long_time(std::move(coarse.run), options, context);
  coarse.run.unique_inverse.clear();
  for (const Index point : run.unique_inverse) {
    coarse.run.unique_inverse.push_back(coarse.cells.cell_of[static_cast<std::size_t>(point)]);
  }
  return std::move(coarse.run);
}

std::vector<std::string> issues_with(const TrustOptions& options) {
  std::vector<std::string> issues;
  const auto at_least = [&](const char* name, std::size_t value, std::size_t least) {
    if (value >= least) return;
    issues.push_back(std::string(name) + " = " + std::to_string(value) + " is less than " +
                     std::to_string(least));
  };
  at_least("knn", options.knn, 1);
  at_least("n_sources", options.n_sources, 2);
  at_least("n_probes", options.n_probes, 8);
  at_least("n_times", options.n_times, 2);
  at_least("max_rows", options.max_rows, 2);
  at_least("n_landmarks", options.n_landmarks, 2);
  return issues;
}

std::vector<double> removed_fraction(const DistanceRun& run) {
  std::vector<double> of_rows;
  if (run.shortcuts.removed_fraction.empty()) return of_rows;
  for (const Index place : run.unique_inverse) {
    of_rows.push_back(run.shortcuts.removed_fraction[static_cast<std::size_t>(place)]);
  }
  return of_rows;
}

std::vector<GroupLoss> loss_by_group(std::span<const double> lost, const Texts& groups) {
  if (lost.size() != groups.size()) {
    throw InvalidArgument("there are " + std::to_string(groups.size()) + " names of groups for " +
                          std::to_string(lost.size()) + " rows: give one per row");
  }
  std::vector<GroupLoss> losses;
  std::map<std::string, std::size_t> number;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto [place, is_new] = number.try_emplace(groups[i], losses.size());
    if (is_new) losses.push_back({.name = groups[i]});
    GroupLoss& loss = losses[place->second];
    ++loss.n_points;
    loss.mean += lost[i];
  }
  for (GroupLoss& loss : losses) loss.mean /= static_cast<double>(loss.n_points);
  return losses;
}

Trust measure_trust(const Input& input, const DistanceRun& run,
                    std::span<const MatrixView<const double>> maps, const MethodOptions& options,
                    const TrustOptions& trust_options, const Context& context) {
  refuse_if_any(issues_with(trust_options));
  Trust trust;
  const bool is_large = run.unique_inverse.size() > trust_options.max_rows;
  find_true_neighbors(input, options, trust_options, trust, context);
  measure_distortion(
      run, maps,
      is_large ? std::min<std::size_t>(trust_options.n_sources, 16) : trust_options.n_sources,
      trust, context);
  if (is_large && run.graph.n_points() > trust_options.n_landmarks) {
    trust.landmarks = landmark_heat_graph(run, trust_options.n_landmarks, options, context);
  }
  estimate_diagonal(trust.landmarks.graph.n_points() > 0 ? trust.landmarks : run, options.laplacian,
                    trust_options, trust, context);
  trust.removed_share = removed_fraction(run);
  return trust;
}

}  // namespace geotherm
