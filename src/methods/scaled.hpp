// The solver without n x n arrays: the method itself on landmarks, then every point from those.
#pragma once

#include <functional>

#include "methods/stages.hpp"

namespace geotherm::detail {

/// What a method makes of landmarks.
struct CoarseMethod {
  /// The run of the landmarks with the distances between them, from their graph (coarse.graph) or
  /// from the cells themselves.
  std::function<DistanceRun(DistanceRun coarse, const Cells&, const MethodOptions&, const Context&)>
      measured;
  /// Steps lead from cell to cell as those of the points do (walk_graph), and points lie where
  /// their steps lead on the mean. Else landmarks are points of their own, and every point is
  /// placed by its distances to pivots.
  bool walks_between_cells = false;
  /// Heat between landmarks counts the points' edges (with_hop_rates) where rates are hops.
  bool counts_hops = false;
  /// Components stay apart on the landmarks too; only bridges lead across.
  bool keeps_components = false;
};

/// The same for each method of kernel distances.
CoarseMethod on_landmarks(const KernelDistance&);

/// Distance for a unit of length: the median over cells that touch.
double scale_of(const Graph& touching, const Matrix<double>& distances);
/// How many times as long the steps between landmarks are as the points' own edges; 1 to 2.5.
double step_ratio(double edge_length, const Graph& coarse);
/// The options with the longest time that may be chosen for so many landmarks: on a sheet heat has
/// to take so many more jumps to reach as far over it as between 4,000.
MethodOptions with_time_for(std::size_t n_landmarks, MethodOptions);
/// The coarse graph of each component of the touching cells by itself; no bridges.
Graph coarse_by_component(const Graph& touching, std::size_t knn, const AffinityOptions&,
                          const Context&);

/// Landmarks of a run's points with their cells, and the graph of the landmarks as a run of its
/// own.
struct CoarseRun {
  Cells cells;
  DistanceRun run;
};
CoarseRun coarse_run(const DistanceRun&, const CoarseMethod&, const MethodOptions&, const Context&);

/// Decides for so many distinct points, and notes the decision.
bool goes_by_landmarks(std::size_t n_points, const MethodOptions&, RunReport&);

/// The run with its landmarks set, and the time and kernel that were chosen for them.
DistanceRun measured_by_landmarks(DistanceRun run, const CoarseMethod&, const MethodOptions&,
                                  const Context&);
/// The same, and the map of all points.
EmbeddingRun map_by_landmarks(DistanceRun run, const CoarseMethod&, const MethodOptions&,
                              const Context&);

/// Heat geodesic maps of as many points as all pairs could be measured of: the heat of some points
/// (pivots) spreads over the graph of all. Empty where that is not what the options ask for, or
/// where heat does not reach every point.
std::optional<EmbeddingRun> map_by_pivots(const DistanceRun& run, const MethodOptions&,
                                          const Context&);

/// For those that need all pairs: refuses where landmarks would be used.
void refuse_all_pairs(const DistanceRun&, const MethodOptions&);

}  // namespace geotherm::detail
