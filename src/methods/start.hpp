// What iterative layouts start from, where the options say so.
#pragma once

#include "methods/stages.hpp"

namespace geotherm::detail {

/// The options with mds.start filled in, one row a place of the run; as they are where the start is
/// the method's own. Notes it in the run. Refuses a map of another shape, and principal components
/// where there are no points.
MethodOptions with_start(MethodOptions, const Input&, DistanceRun&, const Context&);
/// The same for layouts on neighbour lists; empty where the start is the method's own.
Matrix<double> asked_start(const MethodOptions&, const Input&, DistanceRun&, const PlacedNeighbors&,
                           const Context&);
/// A map that began with a given one is turned and mirrored as that was; others stay.
EmbeddingRun turned_to_start(EmbeddingRun, const MethodOptions&);

}  // namespace geotherm::detail
