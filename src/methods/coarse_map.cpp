#include "methods/coarse_map.hpp"

#include <algorithm>
#include <string>

#include "landmarks/pivot_sweeps.hpp"
#include "landmarks/pull.hpp"
#include "methods/scaled.hpp"

namespace geotherm::detail {
namespace {

/// Cells that touch, as a graph of their landmarks; bridges where it is in pieces, which are links
/// between landmarks in space.
Graph touching_cells(MatrixView<const float> points, const std::vector<Triplet>& crossings,
                     ComponentPolicy policy, const Context& context) {
  const std::size_t m = points.rows;
  std::vector<Triplet> entries;
  entries.reserve(2 * crossings.size());
  for (const Triplet& c : crossings) {
    const auto a = static_cast<std::size_t>(c.row), b = static_cast<std::size_t>(c.col);
    if (c.row < 0 || a >= b || b >= m || !(c.value >= 0)) {
      throw InvalidArgument("crossings: give pairs row < col of landmarks with their lengths");
    }
    entries.push_back(c);
    entries.push_back({c.col, c.row, c.value});
  }
  Graph touching;
  touching.weights = sparse_from_triplets(m, m, std::move(entries));
  touching.lengths = touching.weights.values;
  std::fill(touching.weights.values.begin(), touching.weights.values.end(), 1.0);
  touching.component = connected_components(touching.weights);
  for (const Index c : touching.component) {
    touching.n_components = std::max(touching.n_components, static_cast<std::size_t>(c) + 1);
  }
  if (touching.n_components > 1) {
    touching.bridges = connect_components(touching, policy, widen(points), context).bridges;
  }
  return touching;
}

PivotSet pivots_of(const CoarseMap& map, std::span<const std::size_t> n_points,
                   const LandmarkOptions& options, const Context& context) {
  const std::size_t m = map.distances.rows();
  Matrix<double> squared = map.distances;
  for (std::size_t k = 0; k < squared.size(); ++k) squared.data()[k] *= squared.data()[k];
  const std::size_t count = options.n_pivots.value_or(usual_pivots);
  const Pivots chosen = choose_pivots(n_points, squared, map.coordinates, count, context);
  PivotSet set;
  set.landmarks = draw_pivots(m, count, context);
  set.weight.assign(chosen.weight.begin(),
                    chosen.weight.begin() + static_cast<std::ptrdiff_t>(set.landmarks.size()));
  set.coordinates = Matrix<double>(set.landmarks.size(), map.coordinates.cols());
  for (std::size_t p = 0; p < set.landmarks.size(); ++p) {
    for (std::size_t c = 0; c < set.coordinates.cols(); ++c)
      set.coordinates(p, c) = chosen.coordinates(c, p);
  }
  set.median = chosen.median;
  return set;
}

}  // namespace

CoarseMap coarse_map(const KernelDistance& method, MatrixView<const float> landmark_points,
                     const std::vector<Triplet>& crossings, std::span<const std::size_t> n_points,
                     const CellEdges& edges, double edge_length, const MethodOptions& options,
                     const Context& context) {
  refuse_if_any(issues_with(options));
  const std::size_t m = landmark_points.rows;
  if (m < 2 || n_points.size() != m) {
    throw InvalidArgument("n_points has " + std::to_string(n_points.size()) + " entries for " +
                          std::to_string(m) + " landmarks; there have to be 2 or more");
  }
  DistanceRun run;
  Graph touching;
  {
    const StageClock clock(run.report, "landmarks");
    touching = touching_cells(landmark_points, crossings, options.components, context);
    const std::size_t knn = options.neighbors.knn.value_or(10);
    run.graph = coarse_by_component(touching, knn, options.affinity, context);
    run.graph.bridges = touching.bridges;
    if (method.has_units && options.rates.value_or(Rates::hops) == Rates::hops) {
      run.graph = with_hop_rates(std::move(run.graph), edges, context);
    }
    run.time_factor = 1 / step_ratio(edge_length, run.graph);
    run.unique_inverse = rows_as_points(m);
    run.knn = knn;
    run.report.resolved["knn"] = static_cast<double>(knn);
    run.report.resolved["landmarks"] = static_cast<double>(m);
    run.report.resolved["solver"] = std::string("landmarks");
    run.report.resolved["solver_reason"] = std::string("the table is in blocks");
    if (touching.n_components > 1) {
      run.report.resolved["components"] = static_cast<double>(touching.n_components);
    }
  }
  CoarseMap map;
  run = on_landmarks(method).measured(std::move(run), {}, with_time_for(m, options), context);
  map.distances = std::move(run.dissimilarity.values);
  map.scale = scale_of(touching, map.distances);
  {
    const StageClock clock(run.report, "layout");
    Embedding layout = mds(map.distances, options.mds, run.heat.view(), context);
    map.coordinates = std::move(layout.coordinates);
    map.outcome = layout.outcome;
    run.report.resolved["landmark_stress"] = layout.stress;
    run.report.resolved["landmark_iterations"] = static_cast<double>(layout.iterations);
    run.report.resolved["mds"] = std::string(to_string(options.mds.method));
  }
  const LandmarkOptions landmarks = options.landmarks.value_or(LandmarkOptions{});
  map.pivots = pivots_of(map, n_points, landmarks, context);
  run.report.resolved["pivots"] = static_cast<double>(map.pivots.landmarks.size());
  run.report.resolved["unresolved_share"] = run.dissimilarity.unresolved_share;
  run.report.resolved["unresolved_treatment"] = run.dissimilarity.unresolved_treatment;
  map.report = std::move(run.report);
  return map;
}

}  // namespace geotherm::detail
