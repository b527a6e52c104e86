// Counts -> what people look at before they trust a cell, under scanpy's names.
#pragma once

#include <string>
#include <vector>

#include "geotherm/observations.hpp"

namespace geotherm::cli {

/// total_counts, n_genes_by_counts and, where genes named MT-... are there, pct_counts_mt of the
/// chosen cells, over all genes of the file.
std::vector<Column> quality_columns(const SparseMatrix& counts,
                                    const std::vector<std::string>& gene_names,
                                    const std::vector<Index>& cells);

}  // namespace geotherm::cli
