// Several views of the same rows (RNA and protein, image and text) -> one list of neighbours per
// row.
#pragma once

#include <span>

#include "geotherm/neighbors.hpp"

namespace geotherm {

struct JoinedViews {
  NeighborLists lists;
  /// n x views, rows sum to 1: how much each view counts at each row.
  Matrix<double> weights;
};

/// Weighted nearest neighbours (after Hao et al. 2021): at each row a view counts by how much
/// better its own neighbours predict the row there than those of the other views do. Distances are
/// the root of sum_m w_m (d_m / s_m)^2, s_m the geometric mean of the distance of the row's knn-th
/// neighbour in view m and of the median of those over all rows;
/// the metric of `options` holds in every view. Candidates are the 3 knn nearest of each view and,
/// of metrics that are Euclidean after a change of the rows, of the views side by side.
/// Refuses fewer than two views, and views with different numbers of rows.
JoinedViews join_views(std::span<const MatrixView<const double>> views,
                       const NeighborOptions& options = {}, const Context& = {});

}  // namespace geotherm
