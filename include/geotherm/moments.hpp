// Mean and scatter of rows in blocks, added up by reduction, and the PCA that they give.
#pragma once

#include <span>
#include <vector>

#include "geotherm/points.hpp"

namespace geotherm {

/// Mean and centred scatter matrix of some rows.
struct Moments {
  double n_rows = 0;
  std::vector<double> mean;
  Matrix<double> scatter;  ///< columns x columns: sum of (x - mean)(x - mean)^T
};
struct MomentsView {
  double n_rows = 0;
  std::span<const double> mean = {};
  MatrixView<const double> scatter = {};

  MomentsView(double n, std::span<const double> of, MatrixView<const double> around)
      : n_rows(n), mean(of), scatter(around) {}
  MomentsView(const Moments& all)  // NOLINT(google-explicit-constructor): a view of it
      : n_rows(all.n_rows), mean(all.mean), scatter(all.scatter.view()) {}
};
/// Refuses rows that are not finite, naming the row within the block. O(rows columns^2).
Moments moments_of(MatrixView<const float> rows, const Context& = {});
Moments moments_of(MatrixView<const double> rows, const Context& = {});
/// Of all together, added in their order (Chan, Golub and LeVeque 1979). One copy of a scatter
/// matrix.
Moments merged(std::span<const MomentsView> parts);
/// The PCA of a table from its moments; the scores are left to `project`. Up to 3,000 columns.
/// Without scores, a chosen rank is that of `choose_rank`, also of round clusters.
Pca pca(const MomentsView&, const PcaOptions& = {}, const Context& = {});
/// Whether the columns of the table look like principal components, as of the rows themselves.
bool is_principal_components(const MomentsView&);

}  // namespace geotherm
