// Trends of genes towards each end of a trajectory, as tables.
#pragma once

#include <string>
#include <vector>

#include "pseudotime_output.hpp"

namespace geotherm::cli {

struct TrendWords {
  std::string curves;              ///< file of the curves; empty: none
  std::string branch_genes;        ///< file of all genes by end, the best explained first
  std::vector<std::string> genes;  ///< names; empty: all, and curves of the best of each end
  std::string source;              ///< of an .h5ad: "raw", "X", "layer:NAME"

  bool empty() const { return curves.empty() && branch_genes.empty(); }
};

/// Values of the genes, cells x genes.
struct GeneValues {
  std::vector<std::string> names;
  Matrix<double> values;
};
/// Read before the work starts, so that a wrong name costs nothing.
GeneValues gene_values(const TrendWords&, const std::string& path, const LoadedInput&);

/// Curves as gene, end, pseudotime, mean, low, high; genes as end, gene, explained, change,
/// freedom.
void write_trends(const TrendWords&, const GeneValues&, const TrajectoryTable&, const Context&);

}  // namespace geotherm::cli
