// Cells -> the graph on which walks between landmarks go.
#pragma once

#include "geotherm/landmarks.hpp"

namespace geotherm::detail {

/// What a walk on the points looks like to whoever sees their cells alone: weight of a and b is the
/// share of two steps that begin in one and end in the other, in units of the median of those that
/// end where they began (a landmark's own weight, as random_walk adds it). Without lengths.
/// O(n knn^2) time, m x m numbers of memory.
Graph walk_graph(const Graph&, const Cells&);

/// Means of the landmarks' rows, weighted by where one step from a point leads: n x columns.
Matrix<double> step_means(const Graph&, const Cells&, MatrixView<const double> of_landmarks,
                          const Context&);

}  // namespace geotherm::detail
