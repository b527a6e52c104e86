#include "points/datasets/truth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "core/simd.hpp"
#include "points/datasets/shortest_paths.hpp"

namespace geotherm::detail {

GEOTHERM_WIDE void add_squared_differences(const double* column, double value, double* sums,
                                           std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) sums[j] += (column[j] - value) * (column[j] - value);
}

GEOTHERM_WIDE void take_roots(double* values, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) values[j] = std::sqrt(values[j]);
}

namespace {

/// The points by coordinate, so that distances to all of them run on vectors.
class Columns {
 public:
  explicit Columns(const Matrix<double>& points) : columns_(points.cols(), points.rows()) {
    for (std::size_t i = 0; i < points.rows(); ++i) {
      for (std::size_t j = 0; j < points.cols(); ++j) columns_(j, i) = points(i, j);
    }
  }
  std::size_t n_points() const { return columns_.cols(); }
  void squared_distances_from(std::size_t i, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t j = 0; j < columns_.rows(); ++j) {
      const auto column = columns_.row(j);
      add_squared_differences(column.data(), column[i], out.data(), out.size());
    }
  }

 private:
  Matrix<double> columns_;
};

/// An edge, ordered by length and then by its ends: the first of several is always the same one.
struct Edge {
  double squared_length = std::numeric_limits<double>::infinity();
  Index from = 0;
  Index to = 0;
  auto key() const { return std::tuple(squared_length, std::min(from, to), std::max(from, to)); }
  bool operator<(const Edge& other) const { return key() < other.key(); }
};

std::vector<Edge> nearest_edges(const Columns& columns, std::size_t k, const Context& context) {
  const std::size_t n = columns.n_points();
  std::vector<Edge> edges(n * k);
  parallel_for(context, n, 32, [&](std::size_t begin, std::size_t end) {
    std::vector<double> squared(n);
    std::vector<std::pair<double, Index>> best;
    for (std::size_t i = begin; i < end; ++i) {
      columns.squared_distances_from(i, squared);
      best.clear();
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i || (best.size() == k && squared[j] >= best.back().first)) continue;
        const std::pair candidate(squared[j], static_cast<Index>(j));
        if (best.size() == k) best.pop_back();
        best.insert(std::upper_bound(best.begin(), best.end(), candidate), candidate);
      }
      for (std::size_t r = 0; r < k; ++r) {
        edges[i * k + r] = {best[r].first, static_cast<Index>(i), best[r].second};
      }
    }
  });
  return edges;
}

/// Union-find with path halving: which piece a point belongs to.
class Pieces {
 public:
  explicit Pieces(std::size_t n) : parent_(n), n_pieces_(n) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }
  Index piece_of(Index i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }
  bool join(Index a, Index b) {
    a = piece_of(a);
    b = piece_of(b);
    if (a == b) return false;
    parent(std::max(a, b)) = std::min(a, b);
    --n_pieces_;
    return true;
  }
  std::size_t n_pieces() const { return n_pieces_; }

 private:
  Index& parent(Index i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<Index> parent_;
  std::size_t n_pieces_;
};

/// Adds, for each piece, its shortest edge to another one, until one piece is left (Boruvka).
void join_pieces(const Columns& columns, std::vector<Edge>& edges, const Context& context) {
  const std::size_t n = columns.n_points();
  Pieces pieces(n);
  for (const Edge& edge : edges) pieces.join(edge.from, edge.to);
  while (pieces.n_pieces() > 1) {
    std::vector<Index> piece(n);
    for (std::size_t i = 0; i < n; ++i) piece[i] = pieces.piece_of(static_cast<Index>(i));
    std::vector<Edge> way_out(n);  // the shortest from each point to another piece
    parallel_for(context, n, 32, [&](std::size_t begin, std::size_t end) {
      std::vector<double> squared(n);
      for (std::size_t i = begin; i < end; ++i) {
        columns.squared_distances_from(i, squared);
        for (std::size_t j = 0; j < n; ++j) {
          if (piece[j] == piece[i] || squared[j] >= way_out[i].squared_length) continue;
          way_out[i] = {squared[j], static_cast<Index>(i), static_cast<Index>(j)};
        }
      }
    });
    std::vector<Edge> shortest(n);  // by piece
    for (std::size_t i = 0; i < n; ++i) {
      Edge& best = shortest[static_cast<std::size_t>(piece[i])];
      if (way_out[i] < best) best = way_out[i];
    }
    for (const Edge& edge : shortest) {
      if (std::isfinite(edge.squared_length) && pieces.join(edge.from, edge.to)) {
        edges.push_back(edge);
      }
    }
  }
}

/// Symmetric lengths: each pair once, both ways.
SparseMatrix graph_of(std::vector<Edge> edges, std::size_t n) {
  for (Edge& edge : edges) {
    if (edge.from > edge.to) std::swap(edge.from, edge.to);
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  std::vector<Triplet> entries;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Edge& edge = edges[e];
    if (e > 0 && edges[e - 1].from == edge.from && edges[e - 1].to == edge.to) continue;
    const double length = std::sqrt(edge.squared_length);
    entries.push_back({edge.from, edge.to, length});
    entries.push_back({edge.to, edge.from, length});
  }
  return sparse_from_triplets(n, n, std::move(entries));
}

}  // namespace

Matrix<double> pairwise_distances(std::size_t n, const Context& context,
                                  const std::function<void(std::size_t, std::span<double>)>& fill) {
  auto distances = Matrix<double>::uninitialized(n, n);
  constexpr std::size_t batch = 512;
  for (std::size_t first = 0; first < n; first += batch) {
    context.report_or_throw({.stage = "true distances", .done = first, .total = n});
    parallel_for(context, std::min(batch, n - first), 8, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = first + begin; i < first + end; ++i) fill(i, distances.row(i));
    });
  }
  return distances;
}

Matrix<double> euclidean_distances(const Matrix<double>& points, const Context& context) {
  const Columns columns(points);
  return pairwise_distances(points.rows(), context, [&](std::size_t i, std::span<double> row) {
    columns.squared_distances_from(i, row);
    take_roots(row.data(), row.size());
  });
}

Matrix<double> graph_distances(const Matrix<double>& points, std::size_t k,
                               const Context& context) {
  const std::size_t n = points.rows();
  const Columns columns(points);
  std::vector<Edge> edges = nearest_edges(columns, std::min(k, n - 1), context);
  join_pieces(columns, edges, context);
  const SparseMatrix graph = graph_of(std::move(edges), n);
  Matrix<double> distances = pairwise_distances(
      n, context,
      [&](std::size_t i, std::span<double> row) { shortest_paths_from(graph, i, row); });
  // The same path, added up from either end, may differ in the last bit: one of the two is taken.
  constexpr std::size_t tile = 64;
  parallel_for(context, n, tile, [&](std::size_t begin, std::size_t end) {
    for (std::size_t first = 0; first < end; first += tile) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = first; j < std::min(first + tile, i); ++j) {
          distances(i, j) = distances(j, i);
        }
      }
    }
  });
  return distances;
}

}  // namespace geotherm::detail
