// Raw counts to principal components. In: cells x genes, sparse. Out: what each step kept and made.
// Scaling to unit variance keeps the matrix sparse up to a constant a column, which the centring of
// PCA takes away again: so the components come from products with the sparse part alone.
#include "geotherm/single_cell.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/large_pages.hpp"
#include "core/simd.hpp"
#include "geotherm/points.hpp"
#include "points/variable_genes.hpp"

namespace geotherm {
namespace {

constexpr std::size_t kBlock = 256;  // rows a task

enum class Entries { whole, broken, bad };

// What the entries of one row are at the worst. Without branches: a row is looked at as vectors.
GEOTHERM_WIDE Entries entries_of(std::span<const double> values) {
  bool is_bad = false, is_broken = false;
  for (const double value : values) {
    is_bad |= !(value >= 0 && value <= std::numeric_limits<double>::max());
    is_broken |= value != std::floor(value);
  }
  return is_bad ? Entries::bad : is_broken ? Entries::broken : Entries::whole;
}

void refuse_bad_entries(const SparseMatrix& counts, const Context& context) {
  std::vector<Entries> found(counts.rows);
  parallel_for(context, counts.rows, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) found[i] = entries_of(counts.row_values(i));
  });
  const auto bad = std::ranges::find(found, Entries::bad);
  if (bad != found.end()) {
    const auto i = static_cast<std::size_t>(bad - found.begin());
    const auto values = counts.row_values(i);
    const double value =
        *std::ranges::find_if(values, [](double v) { return entries_of({&v, 1}) == Entries::bad; });
    throw InvalidData("row " + std::to_string(i) + " holds " + std::to_string(value) +
                      "; counts are finite and not negative (use the raw counts: `use` raw or "
                      "a layer)");
  }
  if (std::ranges::find(found, Entries::broken) != found.end()) {
    context.warn(
        "the matrix holds other than whole numbers: it may be normalised already (raw counts may "
        "be in `use` raw, or layer:counts)");
  }
}

std::string counted(std::size_t kept, std::size_t of, const char* what) {
  return std::to_string(kept) + " of " + std::to_string(of) + " " + what;
}

// Rows with at least min_genes positive entries; then columns with at least min_cells among those.
void choose_cells_and_genes(const SparseMatrix& counts, const SingleCellOptions& options,
                            SingleCellRun& run) {
  const auto is_there = [](double value) { return value > 0; };
  for (std::size_t i = 0; i < counts.rows; ++i) {
    const auto values = counts.row_values(i);
    const auto n = std::count_if(values.begin(), values.end(), is_there);
    if (static_cast<std::size_t>(n) >= options.min_genes)
      run.cells.push_back(static_cast<Index>(i));
  }
  std::vector<std::size_t> n_cells(counts.cols, 0);
  for (const Index cell : run.cells) {
    const auto i = static_cast<std::size_t>(cell);
    for (std::size_t k = counts.offsets[i]; k < counts.offsets[i + 1]; ++k) {
      n_cells[static_cast<std::size_t>(counts.indices[k])] += counts.values[k] > 0;
    }
  }
  for (std::size_t g = 0; g < counts.cols; ++g) {
    if (n_cells[g] >= std::max<std::size_t>(options.min_cells, 1)) {
      run.genes.push_back(static_cast<Index>(g));
    }
  }
}

void drop_mitochondrial(const SparseMatrix& counts, const std::vector<std::string>& names,
                        double max_percent, SingleCellRun& run) {
  std::vector<char> is_mito(counts.cols, 0);
  bool is_any = false;
  for (const Index gene : run.genes) {
    const std::string& name = names.empty() ? std::string() : names[static_cast<std::size_t>(gene)];
    const bool is_one =
        name.starts_with("MT-") || name.starts_with("mt-") || name.starts_with("Mt-");
    is_mito[static_cast<std::size_t>(gene)] = is_one ? 2 : 1;
    is_any = is_any || is_one;
  }
  if (!is_any) {
    throw InvalidData(
        "max_mito is given, but no gene is named MT-... (leave it out, or give names)");
  }
  std::erase_if(run.cells, [&](Index cell) {
    double mito = 0, all = 0;
    const auto i = static_cast<std::size_t>(cell);
    for (std::size_t k = counts.offsets[i]; k < counts.offsets[i + 1]; ++k) {
      const char kind = is_mito[static_cast<std::size_t>(counts.indices[k])];
      if (kind > 0) all += counts.values[k];
      if (kind > 1) mito += counts.values[k];
    }
    return 100 * mito > max_percent * all;
  });
}

// The rows and columns named, without entries of 0. Rows are counted first, so that each has its
// place before it is written.
SparseMatrix kept_part(const SparseMatrix& from, std::span<const Index> rows,
                       std::span<const Index> columns, const Context& context) {
  std::vector<Index> place(from.cols, -1);
  for (std::size_t g = 0; g < columns.size(); ++g) {
    place[static_cast<std::size_t>(columns[g])] = static_cast<Index>(g);
  }
  const auto is_kept = [&](std::size_t k) {
    const bool is_chosen = place[static_cast<std::size_t>(from.indices[k])] >= 0;
    const bool is_there = from.values[k] != 0;
    return static_cast<std::size_t>(is_chosen & is_there);
  };
  SparseMatrix part;
  part.rows = rows.size();
  part.cols = columns.size();
  part.offsets.assign(part.rows + 1, 0);
  parallel_for(context, part.rows, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const auto i = static_cast<std::size_t>(rows[r]);
      for (std::size_t k = from.offsets[i]; k < from.offsets[i + 1]; ++k) {
        part.offsets[r + 1] += is_kept(k);
      }
    }
  });
  std::partial_sum(part.offsets.begin(), part.offsets.end(), part.offsets.begin());
  detail::resize_in_large_pages(part.indices, part.offsets.back());
  detail::resize_in_large_pages(part.values, part.offsets.back());
  parallel_for(context, part.rows, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const auto i = static_cast<std::size_t>(rows[r]);
      // Every entry is written and only those that stay are stepped over: whether one does is as
      // good as random, and guessing wrong costs more than writing.
      std::size_t at = part.offsets[r];
      for (std::size_t k = from.offsets[i]; at < part.offsets[r + 1]; ++k) {
        part.indices[at] = place[static_cast<std::size_t>(from.indices[k])];
        part.values[at] = from.values[k];
        at += is_kept(k);
      }
    }
  });
  return part;
}

SparseMatrix normalized_to(double target_sum, const SparseMatrix& counts, const Context& context) {
  SparseMatrix result{counts.rows, counts.cols, counts.offsets,
                      detail::copied_in_large_pages(counts.indices),
                      detail::copied_in_large_pages(counts.values)};
  parallel_for(context, counts.rows, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto values = result.row_values(i);
      const double sum = std::accumulate(values.begin(), values.end(), 0.0);
      if (sum <= 0) continue;
      for (double& value : values) value *= target_sum / sum;
    }
  });
  return result;
}

// log(1 + x) in place. Most counts of a cell are 1, 2 or 3, and equal counts of a cell are equal
// after normalising too: their logarithm is taken once.
void take_logarithms(const SparseMatrix& counts, SparseMatrix& normalized, const Context& context) {
  parallel_for(context, counts.rows, kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::array<double, 32> known = {};  // by count; 0: not yet, as no count has log(1 + x) = 0
      const auto values = normalized.row_values(i);
      const auto of = counts.row_values(i);
      for (std::size_t k = 0; k < values.size(); ++k) {
        const bool is_small = of[k] < static_cast<double>(known.size());
        const std::size_t count = is_small ? static_cast<std::size_t>(of[k]) : 0;
        if (count == 0 || static_cast<double>(count) != of[k]) {
          values[k] = std::log1p(values[k]);
          continue;
        }
        if (known[count] == 0) known[count] = std::log1p(values[k]);
        values[k] = known[count];
      }
    }
  });
}

// The sparse part S of the scaled variable genes: scaled = S + a constant a column. Scaled values
// are held to the precision of float32, as scanpy does: they are multiplied hundreds of times, and
// then take half the memory.
SparseMatrix scaled_part(SingleCellRun& run, const SingleCellOptions& options,
                         std::vector<double>& at_zero, const Context& context) {
  std::vector<Index> rows(run.normalized.rows);
  std::iota(rows.begin(), rows.end(), Index{0});
  SparseMatrix part = kept_part(run.normalized, rows, run.variable, context);
  at_zero.assign(part.cols, 0.0);
  if (!options.max_value) return part;
  const auto n = static_cast<double>(part.rows);
  const detail::ColumnSums sums = detail::column_sums(part);
  const double most = *options.max_value;
  std::vector<double>& mean = run.gene_mean;
  std::vector<double>& deviation = run.gene_deviation;
  mean.resize(part.cols);
  deviation.resize(part.cols);
  for (std::size_t g = 0; g < part.cols; ++g) {
    mean[g] = sums.sum[g] / n;
    const double variance = (sums.squares[g] / n - mean[g] * mean[g]) * n / (n - 1);
    deviation[g] = variance > 0 ? std::sqrt(variance) : 1;
    at_zero[g] = std::max(-most, -mean[g] / deviation[g]);
  }
  for (std::size_t k = 0; k < part.n_entries(); ++k) {
    const auto g = static_cast<std::size_t>(part.indices[k]);
    const double scaled = (part.values[k] - mean[g]) / deviation[g];
    part.values[k] = static_cast<float>(std::clamp(scaled, -most, most) - at_zero[g]);
  }
  return part;
}

void find_components(const SingleCellOptions& options, SingleCellRun& run, const Context& context) {
  std::vector<double> at_zero;
  const SparseMatrix part = scaled_part(run, options, at_zero, context);
  const std::size_t rank = std::min({options.n_components, part.rows - 1, part.cols - 1});
  Pca found = pca(part, {.rank = rank}, context);
  const auto n = static_cast<double>(part.rows);
  for (const double value : found.singular_values) run.variance.push_back(value * value / (n - 1));
  run.components = std::move(found.components);
  for (std::size_t k = 0; k < run.components.rows(); ++k) {
    double centre = 0;
    for (std::size_t g = 0; g < part.cols; ++g) {
      centre += run.components(k, g) * (found.mean[g] + at_zero[g]);
    }
    run.centre.push_back(centre);
  }
  run.scores = std::move(found.scores);
}

}  // namespace

std::vector<std::string> issues_with(const SingleCellOptions& options) {
  std::vector<std::string> issues;
  const auto refuse = [&](const char* field, double value, const char* remedy) {
    std::string number = std::to_string(value);
    issues.push_back(std::string(field) + " is " + number + "; " + remedy);
  };
  if (options.max_mito && !(*options.max_mito > 0 && *options.max_mito <= 100)) {
    refuse("max_mito", *options.max_mito, "a share in percent is above 0 and at most 100");
  }
  if (!(options.target_sum > 0) || std::isinf(options.target_sum)) {
    refuse("target_sum", options.target_sum, "it is positive and finite");
  }
  if (options.n_top_genes && *options.n_top_genes < 2) {
    refuse("n_top_genes", static_cast<double>(*options.n_top_genes), "at least 2 are needed");
  }
  if (!(options.min_mean < options.max_mean)) {
    refuse("min_mean", options.min_mean, "it lies below max_mean");
  }
  if (std::isnan(options.min_dispersion)) {
    refuse("min_dispersion", options.min_dispersion, "it is a number");
  }
  if (options.max_value && !(*options.max_value > 0)) {
    refuse("max_value", *options.max_value, "it is positive");
  }
  if (options.n_components < 1) refuse("n_components", 0, "at least 1 is needed");
  return issues;
}

SingleCellRun preprocess_single_cell(const SparseMatrix& counts,
                                     const std::vector<std::string>& gene_names,
                                     const SingleCellOptions& options, const Context& context) {
  std::vector<std::string> issues = issues_with(options);
  if (!gene_names.empty() && gene_names.size() != counts.cols) {
    issues.push_back("gene_names has " + std::to_string(gene_names.size()) + " entries for " +
                     std::to_string(counts.cols) + " genes (give one per gene, or none)");
  }
  refuse_if_any(issues);
  refuse_bad_entries(counts, context);
  SingleCellRun run;
  choose_cells_and_genes(counts, options, run);
  if (options.max_mito) drop_mitochondrial(counts, gene_names, *options.max_mito, run);
  if (run.cells.size() < 3 || run.genes.size() < 3) {
    throw InvalidData("the filters leave " + counted(run.cells.size(), counts.rows, "cells") +
                      " and " + counted(run.genes.size(), counts.cols, "genes") +
                      "; at least 3 of each are needed (min_genes " +
                      std::to_string(options.min_genes) + ", min_cells " +
                      std::to_string(options.min_cells) + ")");
  }
  context.report_or_throw({.stage = "normalise"});
  run.counts = kept_part(counts, run.cells, run.genes, context);
  run.normalized = normalized_to(options.target_sum, run.counts, context);
  detail::find_variable_genes(run.normalized, options, run);
  if (run.variable.size() < 3) {
    throw InvalidData("only " + counted(run.variable.size(), run.genes.size(), "genes") +
                      " are variable enough; at least 3 are needed (give n_top_genes)");
  }
  take_logarithms(run.counts, run.normalized, context);
  find_components(options, run, context);
  run.in_words = counted(run.cells.size(), counts.rows, "cells") + ", " +
                 counted(run.genes.size(), counts.cols, "genes") + ", " +
                 std::to_string(run.variable.size()) + " variable, " +
                 std::to_string(run.scores.cols()) + " principal components";
  return run;
}

}  // namespace geotherm
