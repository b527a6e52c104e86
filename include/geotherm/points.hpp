// The input table: checks, scaling, PCA, duplicates; synthetic data sets with true geodesics.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

/// Throws InvalidArgument naming row and column (both counted from 0) of the first NaN or
/// infinity, or where the table is empty.
void require_finite(MatrixView<const double> points, const Context& = {});
void require_finite(MatrixView<const float> points, const Context& = {});

/// Columns to mean 0 and standard deviation 1 (population form); constant columns become 0.
Matrix<double> standardize(MatrixView<const double> points, const Context& = {});

/// Counts per row scaled to `target_sum` (empty: the median of the positive row sums), then
/// log(1 + x). Rows that sum to 0 stay 0. Negative entries are refused.
Matrix<double> log_normalize(MatrixView<const double> counts,
                             std::optional<double> target_sum = std::nullopt, const Context& = {});

struct PcaOptions {
  /// Components to keep, 1 ... min(rows, columns). Empty: chosen from the data, see `choose_rank`;
  /// 10 (or all) where fewer would be kept, which hold round clusters as wide there as in the
  /// directions that look like noise.
  std::optional<std::size_t> rank = std::nullopt;
  /// With an empty rank: where `choose_rank` finds nothing to cut, scores and components are left
  /// empty. They would be the table once more, only turned.
  bool leaves_out_uncut = false;
};
struct Pca {
  Matrix<double> scores;      ///< rows x rank, by decreasing variance; signs fixed
  Matrix<double> components;  ///< rank x columns, orthonormal rows, largest entry positive
  std::vector<double> mean;   ///< columns
  std::vector<double> singular_values;  ///< of the centred table, those that were computed
  std::string choice;                   ///< in words, how the rank came about
  bool was_reduced = true;  ///< false: `choose_rank` found nothing to cut; all components are kept
  bool has_round_clusters = false;  ///< the rank was chosen for clusters without inner structure
};
std::vector<std::string> issues_with(const PcaOptions&, std::size_t rows, std::size_t cols);
/// Exact where the shorter side has at most 3,000 (eigenvectors of the covariance or the Gram
/// matrix); above, truncated (irlba) for ranks to a quarter of it. There an empty rank means at
/// most 100, with a warning where the variance beyond is not noise.
Pca pca(MatrixView<const double> points, const PcaOptions& = {}, const Context& = {});
/// The same to the bit, without a double copy of the table.
Pca pca(MatrixView<const float> points, const PcaOptions& = {}, const Context& = {});
/// The same of a table that is read four or five times in blocks of rows: memory for a block,
/// columns^2 and the scores. The same bits too, where it has no fewer rows than columns.
Pca pca(RowBlocks& points, const PcaOptions& = {}, const Context& = {});
/// Whether blocks of rows are enough: up to 3,000 columns. Others are refused.
bool streams_into_pca(std::size_t cols);
/// The same of a sparse table, which is never made dense: the leading components from products
/// with it. A rank has to be given, below both rows and columns.
Pca pca(const SparseMatrix& points, const PcaOptions&, const Context& = {});
/// Places rows in the space of a fitted PCA.
Matrix<double> project(const Pca&, MatrixView<const double> points, const Context& = {});

/// Rank from the singular values of a centred n x d table: the directions above the Gavish-Donoho
/// optimal threshold, noise level from the discarded eigenvalues; but only where those are at least
/// half of all and every one of them looks like white noise (as flat as the Marchenko-Pastur law
/// says). Directions of exactly no variance never count. Empty: nothing should be cut.
std::optional<std::size_t> choose_rank(std::span<const double> singular_values, std::size_t rows,
                                       std::size_t cols);

/// Whether the columns look like principal components: at least 6 and fewer than the rows, centred,
/// uncorrelated far beyond chance and by decreasing variance; of a part of the rows that were
/// reduced, at least 16 uncorrelated up to chance and by decreasing variance with few exceptions.
/// Reducing such a table again would cut what was kept on purpose. A few passes, no columns^2.
bool is_principal_components(MatrixView<const double> points, const Context& = {});
bool is_principal_components(MatrixView<const float> points, const Context& = {});

/// Rows that are equal to the bit (-0 taken as 0) become one unique row with a multiplicity.
struct UniqueRows {
  std::vector<Index> first;  ///< for each distinct row, the first row that holds it, ascending
  std::vector<Index> unique_inverse;  ///< for each row, its position in `first`
  bool all_distinct() const { return first.size() == unique_inverse.size(); }
};
UniqueRows find_unique_rows(MatrixView<const double> points, const Context& = {});
UniqueRows find_unique_rows(MatrixView<const float> points, const Context& = {});

// ---------------------------------------------------------------------------------------------
// Synthetic data sets.

enum class Shape { swiss_roll, tree, blobs, circle, sphere, torus, path };
std::optional<Shape> shape_named(std::string_view);  ///< "swiss-roll", "tree", ...

struct SynthOptions {
  /// Total number of points; tree: split evenly over the branches. >= 2
  std::size_t n = 2000;
  /// Standard deviation of isotropic Gaussian noise in the ambient space; >= 0.
  double noise = 0.1;
  /// Ambient dimension. Empty: the shape's own (roll, sphere, torus 3; tree 10; blobs 10; circle 2;
  /// path 1).
  std::optional<std::size_t> dim = std::nullopt;
  /// Swiss roll: points from two Gaussians on the sheet instead of uniformly; label = 5 bins of t.
  bool clustered = false;
  /// Tree: number of branches; >= 1. Blobs: number of clusters.
  std::size_t branches = 5;
  /// Swiss roll: width of the sheet; > 0.
  double width = 5.0;
  /// The n x n matrix of true geodesics is made up to this many points.
  std::size_t geodesic_limit = 20000;
};
std::vector<std::string> issues_with(Shape, const SynthOptions&);

struct Dataset {
  Matrix<double> X;            ///< n x dim, with noise
  Matrix<double> geodesic;     ///< n x n true distances; empty above the limit
  Matrix<double> coordinates;  ///< intrinsic coordinates from which the true distances follow
  std::vector<double> t;       ///< position along the shape, where there is one
  std::vector<Index> label;    ///< cluster, branch or bin, where there is one
};
/// Seed from the context. Rolls and trees follow the paper's data in distribution.
Dataset synthesize(Shape, const SynthOptions& = {}, const Context& = {});

}  // namespace geotherm
