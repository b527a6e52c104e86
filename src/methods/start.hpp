// What iterative layouts start from, where the options say so.
#pragma once

#include <functional>

#include "methods/stages.hpp"

namespace geotherm::detail {

/// The options with mds.start filled in, one row per unique point of the run; as they are where the
/// start is the method's own. Refuses a map of another shape, and principal components where there
/// are no points.
MethodOptions with_start(MethodOptions, const Input&, const DistanceRun&, const Context&);
/// The start that was asked for, into the report.
void note_start(const MethodOptions&, RunReport&);
/// The same for layouts on neighbour lists; empty where the start is the method's own.
Matrix<double> asked_start(const MethodOptions&, const Input&, const DistanceRun&,
                           const PointNeighbors&, const Context&);
/// The difference between t-SNE and UMAP: the start where that is left open (noted in the report),
/// and the layout.
struct NeighborLayout {
  std::function<Matrix<double>(const PointNeighbors&, RunReport&)> own_start;
  std::function<Layout(const NeighborLists&, Matrix<double> start, RunReport&)> layout;
};
/// From the start that was asked for, or the method's own, to the map.
EmbeddingRun lay_out(NeighborRun, const NeighborLayout&, const Input&, const MethodOptions&,
                     const Context&);
/// The fuzzy union of the neighbours, whose eigenmaps layouts start from.
Graph start_graph(const PointNeighbors&, const Context&);
/// A map that began with a given one is turned and mirrored as that was; others stay.
EmbeddingRun turned_to_start(EmbeddingRun, const MethodOptions&);

}  // namespace geotherm::detail
