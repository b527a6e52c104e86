// What of a run is kept by a Checkpoint between its stages: everything of a DistanceRun but
// `rows` and `landmarks`, which no kept stage has.
#pragma once

#include "core/state.hpp"
#include "methods/stages.hpp"

namespace geotherm::detail {

template <class Archive>
void fields(Archive& a, Graph& g) {
  put(a, g.weights, g.lengths, g.component, g.n_components, g.bridges, g.truncated_share);
}
template <class Archive>
void fields(Archive& a, Pca& p) {
  put(a, p.scores, p.components, p.mean, p.singular_values, p.choice, p.was_reduced);
}
template <class Archive>
void fields(Archive& a, ShortcutReport& r) {
  put(a, r.n_edges, r.n_candidates, r.removed, r.down_weighted, r.removed_fraction);
}
template <class Archive>
void fields(Archive& a, TimeChoice& t) {
  put(a, t.time, t.times, t.entropies, t.how, t.sees_all);
}
template <class Archive>
void fields(Archive& a, KernelReport& k) {
  put(a, k.method, k.time, k.order, k.squarings, k.resolution);
}
template <class Archive>
void fields(Archive& a, Dissimilarity& d) {
  put(a, d.values, d.unresolved_share, d.unresolved_treatment, d.flat_share);
}
template <class Archive>
void fields(Archive& a, RunReport& r) {
  put(a, r.resolved, r.timings_s);
}
template <class Archive>
void fields(Archive& a, HeatScale& s) {
  put(a, s.time, s.weight, s.factor, s.unit, s.diagonal);
}
template <class Archive>
void fields(Archive& a, DistanceRun& r) {
  put(a, r.dissimilarity, r.graph, r.knn, r.neighbors, r.unique_inverse, r.reduction,
      r.has_round_clusters, r.shortcuts, r.time_choice, r.kernel, r.time_factor, r.length_scale,
      r.heat_scales, r.heat, r.report);
}
template <class Archive>
void fields(Archive& a, Cells& c) {
  put(a, c.landmarks, c.cell_of, c.to_landmark, c.n_points, c.touching);
}
template <class Archive>
void fields(Archive& a, NeighborLists& l) {
  put(a, l.n_points, l.knn, l.offsets, l.indices, l.distances, l.search_used, l.truncated_share,
      l.reach);
}
template <class Archive>
void fields(Archive& a, PointNeighbors& p) {
  put(a, p.lists, p.points);
}

}  // namespace geotherm::detail
