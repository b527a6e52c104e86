// Mean and scatter of rows in blocks, added up by reduction, and the PCA that they give.
#pragma once

#include <vector>

#include "geotherm/points.hpp"

namespace geotherm {

/// Mean and centred scatter matrix of some rows.
struct Moments {
  double n_rows = 0;
  std::vector<double> mean;
  Matrix<double> scatter;  ///< columns x columns: sum of (x - mean)(x - mean)^T
};
/// Refuses rows that are not finite, naming the row within the block. O(rows columns^2).
Moments moments_of(MatrixView<const float> rows, const Context& = {});
Moments moments_of(MatrixView<const double> rows, const Context& = {});
/// Of both together (Chan, Golub and LeVeque 1979).
Moments merged(const Moments&, const Moments&);
/// The PCA of a table from its moments; the scores are left to `project`. Up to 3,000 columns.
Pca pca(const Moments&, const PcaOptions& = {}, const Context& = {});

}  // namespace geotherm
