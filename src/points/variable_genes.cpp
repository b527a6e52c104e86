#include "points/variable_genes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace geotherm::detail {
namespace {

constexpr std::size_t kBins = 20;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Bins of equal width, open on the left, the first widened by a thousandth: as pandas.cut has them.
std::vector<std::size_t> bins_of(const std::vector<double>& means) {
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  double first = *low, last = *high;
  if (first == last) {
    const double widened = 0.001 * (first != 0 ? std::abs(first) : 1);
    first -= widened;
    last += widened;
  }
  std::vector<double> edges(kBins + 1);
  const double width = (last - first) / static_cast<double>(kBins);
  for (std::size_t b = 0; b <= kBins; ++b) edges[b] = first + static_cast<double>(b) * width;
  edges[kBins] = last;
  std::vector<std::size_t> bins;
  for (const double mean : means) {
    const auto at = std::lower_bound(edges.begin() + 1, edges.end(), mean);
    bins.push_back(std::min(kBins - 1, static_cast<std::size_t>(at - edges.begin() - 1)));
  }
  return bins;
}

std::vector<double> normalized(const std::vector<double>& dispersions,
                               const std::vector<std::size_t>& bins) {
  struct Bin {
    double sum = 0, squares = 0, mean = 0, deviation = 0;
    std::size_t n = 0;
  };
  std::vector<Bin> of(kBins);
  for (std::size_t g = 0; g < bins.size(); ++g) {
    if (std::isnan(dispersions[g])) continue;
    of[bins[g]].sum += dispersions[g];
    ++of[bins[g]].n;
  }
  for (Bin& bin : of) bin.mean = bin.n > 0 ? bin.sum / static_cast<double>(bin.n) : kNaN;
  for (std::size_t g = 0; g < bins.size(); ++g) {
    if (std::isnan(dispersions[g])) continue;
    const double away = dispersions[g] - of[bins[g]].mean;
    of[bins[g]].squares += away * away;
  }
  for (Bin& bin : of) {
    if (bin.n > 1) {
      bin.deviation = std::sqrt(bin.squares / static_cast<double>(bin.n - 1));
    } else {  // a gene alone in its bin counts as one deviation above
      bin.deviation = bin.mean;
      bin.mean = 0;
    }
  }
  std::vector<double> result;
  for (std::size_t g = 0; g < bins.size(); ++g) {
    result.push_back((dispersions[g] - of[bins[g]].mean) / of[bins[g]].deviation);
  }
  return result;
}

}  // namespace

ColumnSums column_sums(const SparseMatrix& matrix) {
  ColumnSums sums{std::vector<double>(matrix.cols, 0), std::vector<double>(matrix.cols, 0)};
  for (std::size_t k = 0; k < matrix.n_entries(); ++k) {
    const auto column = static_cast<std::size_t>(matrix.indices[k]);
    sums.sum[column] += matrix.values[k];
    sums.squares[column] += matrix.values[k] * matrix.values[k];
  }
  return sums;
}

void find_variable_genes(const SparseMatrix& expression, const SingleCellOptions& options,
                         SingleCellRun& run) {
  const auto n = static_cast<double>(expression.rows);
  const ColumnSums sums = column_sums(expression);
  for (std::size_t g = 0; g < expression.cols; ++g) {
    double mean = sums.sum[g] / n;
    const double variance = (sums.squares[g] / n - mean * mean) * n / (n - 1);
    if (mean == 0) mean = 1e-12;
    const double dispersion = variance / mean;
    run.means.push_back(std::log1p(mean));
    run.dispersions.push_back(dispersion > 0 ? std::log(dispersion) : kNaN);
  }
  run.normalized_dispersions = normalized(run.dispersions, bins_of(run.means));
  const std::vector<double>& norms = run.normalized_dispersions;
  double least = options.min_dispersion;
  if (options.n_top_genes) {
    std::vector<double> sorted;
    for (const double norm : norms) {
      if (!std::isnan(norm)) sorted.push_back(norm);
    }
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    if (sorted.empty()) return;
    least = sorted[std::min(*options.n_top_genes, sorted.size()) - 1];
  }
  for (std::size_t g = 0; g < norms.size(); ++g) {
    const bool is_in_bounds = run.means[g] > options.min_mean && run.means[g] < options.max_mean &&
                              norms[g] > options.min_dispersion;
    if (options.n_top_genes ? norms[g] >= least : is_in_bounds) {
      run.variable.push_back(static_cast<Index>(g));
    }
  }
}

}  // namespace geotherm::detail
