// Gaps in the distances are filled in one of two ways: exactly, by Dijkstra over all finite pairs,
// where that is affordable; else by paths whose inner points are pivots, spread so that every point
// of a connected part reaches one directly. What no path joins gets a constant.
#include "dissimilarity/fill_unresolved.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dissimilarity/all_paths.hpp"
#include "dissimilarity/dijkstra.hpp"
#include "dissimilarity/pivots.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t row_block = 16;
constexpr const char* stage = "unresolved pairs";

// Writes value(i, j) into the pairs i < j that are infinite and lie in one part, and mirrors it.
// `prepare(i)` is called before the first such pair of a row.
template <class Prepare, class Value>
void fill_pairs(MatrixView<double> d, const ResolvedParts& parts, std::size_t i, Prepare prepare,
                Value value) {
  bool is_prepared = false;
  for (std::size_t j = i + 1; j < d.rows; ++j) {
    if (d(i, j) != std::numeric_limits<double>::infinity()) continue;
    if (parts.part[i] != parts.part[j]) continue;
    if (!is_prepared) prepare(i);
    is_prepared = true;
    d(i, j) = d(j, i) = value(j);
  }
}

template <class Work>
void over_rows(std::size_t n, const Context& context, Work work) {
  constexpr std::size_t per_report = 64 * row_block;
  for (std::size_t begin = 0; begin < n; begin += per_report) {
    context.report_or_throw({.stage = stage, .done = begin, .total = n});
    parallel_for(context, std::min(per_report, n - begin), row_block,
                 [&](std::size_t first, std::size_t last) { work(begin + first, begin + last); });
  }
}

SparseMatrix resolved_pairs(MatrixView<const double> d, const ResolvedParts& parts,
                            const Context& context) {
  const std::size_t n = d.rows;
  SparseMatrix pairs;
  pairs.rows = pairs.cols = n;
  pairs.offsets.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) pairs.offsets[i + 1] = pairs.offsets[i] + parts.n_partners[i];
  pairs.indices.resize(pairs.offsets[n]);
  pairs.values.resize(pairs.offsets[n]);
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t e = pairs.offsets[i];
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i || std::isinf(d(i, j))) continue;
        pairs.indices[e] = static_cast<Index>(j);
        pairs.values[e++] = d(i, j);
      }
    }
  });
  return pairs;
}

// Where most pairs are resolved, tiles of all of them cost less than a heap.
void fill_from_all_paths(MatrixView<double> d, const ResolvedParts& parts, const Context& context) {
  Matrix<double> paths(d.rows, d.rows);
  for (std::size_t i = 0; i < d.rows; ++i) std::ranges::copy(d.row(i), paths.row(i).begin());
  lower_to_paths(paths, context);
  over_rows(d.rows, context, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      fill_pairs(d, parts, i, [](std::size_t) {}, [&](std::size_t j) { return paths(i, j); });
    }
  });
}

void fill_exactly(MatrixView<double> d, const ResolvedParts& parts, const Context& context) {
  // A step of the heap takes as long as so many sums of the tiles.
  constexpr std::size_t sums_of_a_step = 16;
  if (parts.n_pairs > d.rows * d.rows / sums_of_a_step) {
    fill_from_all_paths(d, parts, context);
    return;
  }
  const SparseMatrix pairs = resolved_pairs(d, parts, context);
  over_rows(d.rows, context, [&](std::size_t begin, std::size_t end) {
    Dijkstra dijkstra(pairs, pairs.values);
    std::vector<double> from_here(d.rows);
    for (std::size_t i = begin; i < end; ++i) {
      fill_pairs(
          d, parts, i, [&](std::size_t row) { dijkstra.run(static_cast<Index>(row), from_here); },
          [&](std::size_t j) { return from_here[j]; });
    }
  });
}

void fill_by_pivots(MatrixView<double> d, const ResolvedParts& parts, std::size_t n_pivots,
                    const Context& context) {
  const PivotPaths paths(d, parts, n_pivots, context);
  over_rows(d.rows, context, [&](std::size_t begin, std::size_t end) {
    std::vector<double> to_pivots;
    for (std::size_t i = begin; i < end; ++i) {
      fill_pairs(
          d, parts, i, [&](std::size_t row) { to_pivots = paths.to_pivots(row); },
          [&](std::size_t j) { return paths.distance(to_pivots, j); });
    }
  });
}

double largest_finite(MatrixView<const double> d, const Context& context) {
  const std::size_t n = d.rows;
  std::vector<double> largest(n, 0.0);
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (j != i && !std::isinf(d(i, j))) largest[i] = std::max(largest[i], d(i, j));
      }
    }
  });
  return n == 0 ? 0.0 : *std::max_element(largest.begin(), largest.end());
}

void fill_with_constant(MatrixView<double> d, double constant, const Context& context) {
  parallel_for(context, d.rows, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (double& value : d.row(i)) {
        if (std::isinf(value)) value = constant;
      }
    }
  });
}

}  // namespace

FillOutcome fill_unresolved(MatrixView<double> d, double if_all_zero, const Context& context,
                            const FillLimits& limits) {
  const std::size_t n = d.rows;
  const ResolvedParts parts(d, context);
  FillOutcome outcome;
  outcome.used_paths = parts.has_gaps_inside;
  outcome.used_constant = parts.n_parts > 1;
  if (outcome.used_paths) {
    const double points = static_cast<double>(n);
    const double pairs = static_cast<double>(parts.n_pairs);
    if (points * pairs <= limits.exact_work || pairs <= limits.exact_partners * points) {
      fill_exactly(d, parts, context);
    } else {
      fill_by_pivots(d, parts, limits.n_pivots, context);
    }
  }
  if (outcome.used_constant) {
    const double largest = largest_finite(d, context);
    fill_with_constant(d, largest > 0 ? 1.1 * largest : if_all_zero, context);
  }
  context.report_or_throw({.stage = stage, .done = n, .total = n});
  return outcome;
}

}  // namespace geotherm::detail
