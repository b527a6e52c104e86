// Points -> NeighborLists: for each point its nearest others with their distances.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

/// hamming: share of the columns that differ. jaccard: of the columns that are not 0 in one of two
/// rows, the share that is 0 in the other. hellinger and jensenshannon (root of the Jensen-Shannon
/// divergence, natural logarithm): of rows as distributions, so not negative. braycurtis: sum |a -
/// b| over sum (a + b), not negative. canberra: sum |a - b| / (|a| + |b|). haversine: along the
/// unit sphere, rows being latitude and longitude in radians.
enum class Metric {
  euclidean,
  cosine,
  correlation,
  manhattan,
  hamming,
  jaccard,
  hellinger,
  jensenshannon,
  braycurtis,
  canberra,
  haversine
};
inline constexpr Metric last_metric = Metric::haversine;
/// Whether the metric looks at the columns as they are: principal components would mean nothing.
bool needs_raw_columns(Metric);
std::string_view to_string(Metric);
std::optional<Metric> metric_named(std::string_view);

enum class NeighborSearch { automatic, brute_force, tree, approximate };
std::string_view to_string(NeighborSearch);
std::optional<NeighborSearch> neighbor_search_named(std::string_view);

struct NeighborOptions {
  /// Neighbours per point, itself not counted; 1 <= knn < n. More: smoother, and more shortcut
  /// edges. Empty: 10, or n - 1 with a warning where there are fewer points.
  std::optional<std::size_t> knn = std::nullopt;
  Metric metric = Metric::euclidean;
  /// automatic: a tree in few dimensions, brute force up to 50,000 points, else approximate.
  NeighborSearch search = NeighborSearch::automatic;
  /// Also list every neighbour within `reach` times the distance to the knn-th; >= 1. The alpha
  /// decay kernel needs 1.057. At 1 a list has exactly knn entries, ties at its end by index; above
  /// 1 all ties are in it (so points with more than knn duplicates have long lists: collapse them).
  double reach = 1.0;
};
/// n_points = 0: not known yet, knn is not compared with it.
std::vector<std::string> issues_with(const NeighborOptions&, std::size_t n_points);

/// Ragged lists in CSR form; within a list distances are ascending, ties in order of index. A
/// point is not in its own list.
struct NeighborLists {
  std::size_t n_points = 0;
  std::size_t knn = 0;  ///< every list has at least this many entries
  std::vector<std::size_t> offsets = {0};
  std::vector<Index> indices = {};
  std::vector<double> distances = {};
  NeighborSearch search_used = NeighborSearch::brute_force;
  /// Share of the points whose list may miss neighbours within reach (approximate search, lists
  /// given from outside); 0 for exact search.
  double truncated_share = 0;
  /// The lists hold all neighbours within reach x the knn-th distance (but for truncated_share).
  double reach = 1;

  std::span<const Index> neighbors(std::size_t i) const {
    return {indices.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
  std::span<const double> lengths(std::size_t i) const {
    return {distances.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

/// The caller's precision is kept through the search; distances are direct sums in double, exact to
/// rounding whatever the offset or scale of the data. O(n^2 d) by brute force.
/// Cosine distance is 1 - cos, correlation the same of rows less their mean; a row without
/// direction (all zero, or constant for correlation) is at distance 1 from all others and 0 from
/// its like; so are rows that sum to 0 for hellinger. The tree serves metrics that are Euclidean
/// after a change of the rows, and manhattan. The approximate search works on float32 copies; for
/// other metrics it finds candidates in a Euclidean space that resembles theirs and measures those,
/// and warns where a sample shows that it misses more than a twentieth. `search_used` says which
/// one ran.
NeighborLists find_neighbors(MatrixView<const double> points, const NeighborOptions& = {},
                             const Context& = {});
NeighborLists find_neighbors(MatrixView<const float> points, const NeighborOptions& = {},
                             const Context& = {});

/// Rows that are mostly 0, without making them dense: cosine, euclidean and jaccard. Exact.
/// O(sum over columns of their entries squared + n^2).
NeighborLists find_neighbors(const SparseMatrix& points, const NeighborOptions& = {},
                             const Context& = {});

/// From a full n x n distance matrix: finite, non-negative, symmetric (to 1e-6 of its largest
/// entry, for tables made in float32). The diagonal is dropped, with a warning where it is not
/// zero. `metric` and `search` are not used.
NeighborLists neighbors_from_distances(MatrixView<const double> distances,
                                       const NeighborOptions& = {}, const Context& = {});
/// From stored distances, e.g. scanpy's `obsp["distances"]`; entries absent are unknown. Where a
/// row has fewer than knn entries, knn becomes the smallest count and a warning says so; a row
/// without any is refused. truncated_share counts the rows that end before `reach`.
NeighborLists neighbors_from_sparse(const SparseMatrix& distances, const NeighborOptions& = {},
                                    const Context& = {});
/// From index and distance tables (n x k) such as other tools return. A point's own entry is
/// dropped, and so are negative indices, by which such tools mark what they did not find (with a
/// warning). knn is the smallest count left; reach is 1.
NeighborLists neighbors_from_tables(MatrixView<const Index> indices,
                                    MatrixView<const double> distances, const Context& = {});

/// The first `most` of each list.
NeighborLists first_neighbors(const NeighborLists&, std::size_t most);
/// Whether find_neighbors gives exact lists for so many points, whatever their columns are: a
/// longer search then begins with the shorter one.
bool is_exact_search(const NeighborOptions&, std::size_t n_points);

/// The number of neighbours that `options` mean for n points (clamped with a warning, or refused).
std::size_t resolve_knn(const std::optional<std::size_t>& knn, std::size_t n_points,
                        const Context&);

}  // namespace geotherm
