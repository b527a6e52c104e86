// From raw counts of single cells to principal components, as scanpy's standard steps go: filter,
// normalise, log, variable genes, scale, PCA. Sparse throughout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

struct SingleCellOptions {
  /// Cells with fewer genes than this are left out; then genes found in fewer cells than that.
  std::size_t min_genes = 200;
  std::size_t min_cells = 3;
  /// Cells with more than this share (percent) of counts in genes named MT-... are left out; in
  /// (0, 100]. Empty: not looked at.
  std::optional<double> max_mito = std::nullopt;
  /// Counts of every cell are scaled to this sum before log(1 + x); > 0.
  double target_sum = 1e4;
  /// This many genes of largest normalised dispersion, >= 2. Empty: those within the bounds below.
  std::optional<std::size_t> n_top_genes = std::nullopt;
  /// Bounds on log(1 + mean) and on the normalised dispersion (scanpy's defaults).
  double min_mean = 0.0125;
  double max_mean = 3;
  double min_dispersion = 0.5;
  /// Variable genes are brought to mean 0 and variance 1 and cut off at this many standard
  /// deviations; > 0. Empty: they are only centred.
  std::optional<double> max_value = 10;
  /// Principal components, >= 1; fewer where there are fewer cells or genes.
  std::size_t n_components = 50;
};
std::vector<std::string> issues_with(const SingleCellOptions&);

struct SingleCellRun {
  std::vector<Index> cells;         ///< rows of the input that were kept, ascending
  std::vector<Index> genes;         ///< columns that were kept, ascending
  SparseMatrix counts;              ///< of those
  SparseMatrix normalized;          ///< log(1 + scaled counts), same entries
  std::vector<Index> variable;      ///< positions in `genes` of the variable ones, ascending
  std::vector<double> means;        ///< one a kept gene: log(1 + mean)
  std::vector<double> dispersions;  ///< log(variance / mean); NaN where there is no variance
  std::vector<double> normalized_dispersions;
  Matrix<double> scores;         ///< cells x components, by decreasing variance
  Matrix<double> components;     ///< components x variable genes; largest entry positive
  std::vector<double> variance;  ///< of the scores
  /// Of the variable genes, before scaling (deviation: empty where they were only centred), and
  /// what their rotated values have subtracted: a score is components (clipped x) - centre.
  std::vector<double> gene_mean;
  std::vector<double> gene_deviation;
  std::vector<double> centre;
  std::string in_words;  ///< "2,700 of 2,700 cells, ..."
};

/// One row per cell, one column per gene. `gene_names` (for max_mito) may be empty. Throws
/// InvalidData for negative or non-finite entries and where the filters leave nothing to work with;
/// warns where the entries are not whole numbers, since they may have been normalised already.
SingleCellRun preprocess_single_cell(const SparseMatrix& counts,
                                     const std::vector<std::string>& gene_names,
                                     const SingleCellOptions& = {}, const Context& = {});

}  // namespace geotherm
