#include "cell_quality.hpp"

#include <algorithm>

namespace geotherm::cli {

std::vector<Column> quality_columns(const SparseMatrix& counts,
                                    const std::vector<std::string>& gene_names,
                                    const std::vector<Index>& cells) {
  std::vector<bool> is_mito(counts.cols, false);
  for (std::size_t g = 0; g < std::min(gene_names.size(), counts.cols); ++g) {
    is_mito[g] = gene_names[g].starts_with("MT-") || gene_names[g].starts_with("mt-");
  }
  std::vector<double> total, n_genes, percent;
  for (const Index cell : cells) {
    const auto genes = counts.row_indices(static_cast<std::size_t>(cell));
    const auto values = counts.row_values(static_cast<std::size_t>(cell));
    double sum = 0, mito = 0, n = 0;
    for (std::size_t k = 0; k < genes.size(); ++k) {
      sum += values[k];
      n += values[k] > 0 ? 1 : 0;
      if (is_mito[static_cast<std::size_t>(genes[k])]) mito += values[k];
    }
    total.push_back(sum);
    n_genes.push_back(n);
    percent.push_back(sum > 0 ? 100 * mito / sum : 0);
  }
  std::vector<Column> columns = {{"total_counts", std::move(total)},
                                 {"n_genes_by_counts", std::move(n_genes)}};
  if (std::find(is_mito.begin(), is_mito.end(), true) != is_mito.end()) {
    columns.push_back({"pct_counts_mt", std::move(percent)});
  }
  return columns;
}

}  // namespace geotherm::cli
