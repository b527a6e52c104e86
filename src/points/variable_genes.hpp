// Genes that vary more than others of their mean (the "seurat" way: dispersions in bins of means).
#pragma once

#include <vector>

#include "geotherm/single_cell.hpp"

namespace geotherm::detail {

/// Fills means, dispersions, normalized_dispersions and variable from normalised (not logged)
/// expression, one row per cell.
void find_variable_genes(const SparseMatrix& expression, const SingleCellOptions& options,
                         SingleCellRun& run);

/// Sum and sum of squares of each column, added row by row.
struct ColumnSums {
  std::vector<double> sum, squares;
};
ColumnSums column_sums(const SparseMatrix& matrix);

}  // namespace geotherm::detail
