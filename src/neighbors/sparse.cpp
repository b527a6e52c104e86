// Sparse rows -> neighbours: products by the lists of each column's rows, nothing made dense.
#include <algorithm>
#include <cmath>
#include <string>

#include "geotherm/neighbors.hpp"
#include "neighbors/lists.hpp"

namespace geotherm {
namespace {

using namespace detail;

/// What a distance needs to know of a row: squared length, or number of entries for jaccard.
std::vector<double> sizes_of(const SparseMatrix& points, Metric metric) {
  std::vector<double> sizes(points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (const double x : points.row_values(i)) {
      sizes[i] += metric == Metric::jaccard ? (x != 0 ? 1.0 : 0.0) : x * x;
    }
  }
  return sizes;
}

double distance_of(Metric metric, double product, double own, double other) {
  if (metric == Metric::euclidean) return std::sqrt(std::max(0.0, own + other - 2 * product));
  if (own == 0 || other == 0) return own == other ? 0.0 : 1.0;
  if (metric == Metric::jaccard) return (own + other - 2 * product) / (own + other - product);
  return std::max(0.0, 1 - product / std::sqrt(own * other));
}

void refuse_unfit_sparse(const SparseMatrix& points, Metric metric) {
  if (metric != Metric::cosine && metric != Metric::euclidean && metric != Metric::jaccard) {
    throw InvalidArgument("metric = " + std::string(to_string(metric)) +
                          ": sparse rows are compared by cosine, euclidean or jaccard; make them "
                          "dense for others");
  }
  if (points.rows == 0 || points.cols == 0) {
    throw InvalidArgument("points: the table is empty; give at least one point with one coordinate");
  }
  for (std::size_t k = 0; k < points.values.size(); ++k) {
    if (!std::isfinite(points.values[k])) {
      throw InvalidArgument("points: an entry is not finite; remove or fill such entries first");
    }
  }
}

}  // namespace

NeighborLists find_neighbors(const SparseMatrix& points, const NeighborOptions& options,
                             const Context& context) {
  refuse_unfit_sparse(points, options.metric);
  const std::size_t n = points.rows;
  refuse_if_any(issues_with(options, n));
  const Cut cut{resolve_knn(options.knn, n, context), options.reach};
  if (n == 1) return assemble(1, cut, {});
  const bool is_set = options.metric == Metric::jaccard;
  const SparseMatrix columns = transpose(points);
  const std::vector<double> sizes = sizes_of(points, options.metric);
  constexpr std::size_t block = 32;
  constexpr std::size_t report_every = 64 * block;
  std::vector<ListPart> parts((n + block - 1) / block);
  for (std::size_t from = 0; from < n; from += report_every) {
    context.report_or_throw({.stage = "neighbours", .done = from, .total = n});
    parallel_for(context, std::min(report_every, n - from), block,
                 [&](std::size_t b, std::size_t e) {
                   std::vector<double> products(n);
                   std::vector<Candidate> candidates;
                   for (std::size_t i = from + b; i < from + e; ++i) {
                     std::fill(products.begin(), products.end(), 0.0);
                     const auto at = points.row_indices(i);
                     const auto values = points.row_values(i);
                     for (std::size_t k = 0; k < at.size(); ++k) {
                       if (values[k] == 0) continue;
                       const auto c = static_cast<std::size_t>(at[k]);
                       const auto rows = columns.row_indices(c);
                       const auto others = columns.row_values(c);
                       for (std::size_t r = 0; r < rows.size(); ++r) {
                         products[static_cast<std::size_t>(rows[r])] +=
                             is_set ? (others[r] != 0 ? 1.0 : 0.0) : values[k] * others[r];
                       }
                     }
                     candidates.clear();
                     for (std::size_t j = 0; j < n; ++j) {
                       if (j == i) continue;
                       candidates.push_back(
                           {distance_of(options.metric, products[j], sizes[i], sizes[j]),
                            static_cast<Index>(j)});
                     }
                     parts[i / block].add(static_cast<Index>(i), candidates, cut);
                   }
                 });
  }
  NeighborLists lists = assemble(n, cut, std::move(parts));
  lists.search_used = NeighborSearch::brute_force;
  return lists;
}

}  // namespace geotherm
