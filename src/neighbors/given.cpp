// Distances that come from outside -> NeighborLists: a full table, a sparse one, or lists.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "geotherm/neighbors.hpp"
#include "neighbors/check.hpp"
#include "neighbors/lists.hpp"

namespace geotherm {
namespace {

using namespace detail;

constexpr std::size_t row_block = 64;

std::string place(std::size_t i, std::size_t j) {
  return "row " + std::to_string(i) + ", column " + std::to_string(j);
}

/// Finite, not negative, symmetric; tells whether the diagonal is zero.
bool check_full_table(MatrixView<const double> d, const Context& context) {
  const std::size_t n = d.rows;
  std::vector<double> largest((n + row_block - 1) / row_block);
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (!std::isfinite(d(i, j)) || d(i, j) < 0) {
          throw InvalidArgument("distances: the value " + std::to_string(d(i, j)) + " in " +
                                place(i, j) + " is negative or not finite");
        }
        largest[begin / row_block] = std::max(largest[begin / row_block], d(i, j));
      }
    }
  });
  const double tolerance = 1e-6 * *std::max_element(largest.begin(), largest.end());
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    // Square tiles: the transposed side is read in stretches too.
    for (std::size_t first = 0; first < end; first += row_block) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = first; j < std::min(i, first + row_block); ++j) {
          if (std::abs(d(i, j) - d(j, i)) > tolerance) {
            throw InvalidArgument("distances: not symmetric, " + place(i, j) + " is " +
                                  std::to_string(d(i, j)) + " and the transposed entry " +
                                  std::to_string(d(j, i)) +
                                  "; average the two, e.g. (D + D^T) / 2");
          }
        }
      }
    }
  });
  for (std::size_t i = 0; i < n; ++i) {
    if (d(i, i) > tolerance) return false;
  }
  return true;
}

}  // namespace

NeighborLists neighbors_from_distances(MatrixView<const double> distances,
                                       const NeighborOptions& options, const Context& context) {
  const std::size_t n = distances.rows;
  if (n == 0 || n != distances.cols ||
      n > static_cast<std::size_t>(std::numeric_limits<Index>::max())) {
    throw InvalidArgument("distances: a table of all points by all points is needed, this one is " +
                          std::to_string(n) + " x " + std::to_string(distances.cols));
  }
  refuse_if_any(issues_with(options, n));
  const Cut cut{resolve_knn(options.knn, n, context), options.reach};
  if (!check_full_table(distances, context)) {
    context.warn("distances: the diagonal is not zero; it is not used");
  }
  std::vector<ListPart> parts((n + row_block - 1) / row_block);
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    std::vector<Candidate> candidates;
    for (std::size_t i = begin; i < end; ++i) {
      candidates.clear();
      for (std::size_t j = 0; j < n; ++j) {
        if (j != i) candidates.push_back({distances(i, j), static_cast<Index>(j)});
      }
      parts[begin / row_block].add(static_cast<Index>(i), candidates, cut);
    }
  });
  return assemble(n, cut, std::move(parts));
}

NeighborLists neighbors_from_sparse(const SparseMatrix& distances, const NeighborOptions& options,
                                    const Context& context) {
  refuse_unless_square_and_non_negative(distances, "distances");
  const std::size_t n = distances.rows;
  refuse_if_any(issues_with(options, n));
  Cut cut{resolve_knn(options.knn, n, context), options.reach};
  if (n == 1) return assemble(1, cut, {});
  std::size_t fewest = n, where = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool has_diagonal = distances.find(i, static_cast<Index>(i)) != distances.n_entries();
    const std::size_t count = distances.row_indices(i).size() - (has_diagonal ? 1 : 0);
    if (count < fewest) {
      fewest = count;
      where = i;
    }
  }
  if (fewest == 0) {
    throw InvalidArgument("distances: row " + std::to_string(where) +
                          " has no entry besides the diagonal; remove such points or store their "
                          "nearest neighbours");
  }
  if (fewest < cut.knn) {
    context.warn("distances: row " + std::to_string(where) + " has only " + std::to_string(fewest) +
                 " entries, so knn is " + std::to_string(fewest) + " instead of " +
                 std::to_string(cut.knn));
    cut.knn = fewest;
  }
  ListPart part;
  std::vector<Candidate> candidates;
  std::size_t n_truncated = 0;
  for (std::size_t i = 0; i < n; ++i) {
    candidates.clear();
    const auto columns = distances.row_indices(i);
    const auto values = distances.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (static_cast<std::size_t>(columns[k]) != i) candidates.push_back({values[k], columns[k]});
    }
    part.add(static_cast<Index>(i), candidates, cut);
    // Nothing stored lies beyond the reach, so something within it may be missing.
    const bool all_are_listed = part.counts.back() == candidates.size();
    n_truncated += cut.reach > 1 && all_are_listed && candidates.size() < n - 1 ? 1 : 0;
  }
  std::vector<ListPart> parts;
  parts.push_back(std::move(part));
  NeighborLists lists = assemble(n, cut, std::move(parts));
  lists.truncated_share = static_cast<double>(n_truncated) / static_cast<double>(n);
  return lists;
}

NeighborLists neighbors_from_tables(MatrixView<const Index> indices,
                                    MatrixView<const double> distances, const Context& context) {
  const std::size_t n = indices.rows;
  if (n == 0 || indices.rows != distances.rows || indices.cols != distances.cols) {
    throw InvalidArgument("neighbour tables: indices are " + std::to_string(indices.rows) + " x " +
                          std::to_string(indices.cols) + " and distances " +
                          std::to_string(distances.rows) + " x " + std::to_string(distances.cols) +
                          "; both must have a row per point and the same number of columns");
  }
  const auto refuse = [&](std::size_t i, std::size_t k, const std::string& what) {
    throw InvalidArgument("neighbour tables: " + place(i, k) + ": " + what);
  };
  ListPart part;
  std::vector<Candidate> candidates;
  std::vector<Index> seen;
  std::size_t n_missing = 0;
  Cut cut{indices.cols, 1};
  for (std::size_t i = 0; i < n; ++i) {
    candidates.clear();
    seen.clear();
    for (std::size_t k = 0; k < indices.cols; ++k) {
      const Index j = indices(i, k);
      if (j < 0) {
        ++n_missing;
        continue;
      }
      if (static_cast<std::size_t>(j) >= n) {
        refuse(
            i, k,
            "index " + std::to_string(j) + " is not one of the " + std::to_string(n) + " points");
      }
      if (static_cast<std::size_t>(j) == i) continue;
      const double d = distances(i, k);
      if (!std::isfinite(d) || d < 0) {
        refuse(i, k, "the distance " + std::to_string(d) + " is negative or not finite");
      }
      candidates.push_back({d, j});
      seen.push_back(j);
    }
    std::sort(seen.begin(), seen.end());
    const auto twice = std::adjacent_find(seen.begin(), seen.end());
    if (twice != seen.end()) {
      refuse(i, 0, "index " + std::to_string(*twice) + " is in this row more than once");
    }
    if (candidates.empty() && n > 1) {
      refuse(i, 0, "no neighbour besides the point itself; give at least one");
    }
    part.add(static_cast<Index>(i), candidates, {candidates.size(), 1});
    cut.knn = std::min(cut.knn, candidates.size());
  }
  if (n_missing > 0) {
    context.warn("neighbour tables: " + std::to_string(n_missing) +
                 " negative indices were taken as not found; knn is " + std::to_string(cut.knn));
  }
  std::vector<ListPart> parts;
  parts.push_back(std::move(part));
  return assemble(n, cut, std::move(parts));
}

}  // namespace geotherm
