// Graph -> Laplacian: Q - W, I - Q^-1/2 W Q^-1/2 or I - Q^-1 W, with degrees and a spectral bound.
#include <algorithm>
#include <cmath>

#include "geotherm/laplacian.hpp"
#include "laplacian/spectral_bound.hpp"

namespace geotherm {
namespace {

std::vector<double> degrees_of(const SparseMatrix& weights) {
  std::vector<double> degree(weights.rows);
  for (std::size_t i = 0; i < weights.rows; ++i) {
    const auto columns = weights.row_indices(i);
    const auto values = weights.row_values(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (static_cast<std::size_t>(columns[k]) != i) degree[i] += values[k];
    }
  }
  return degree;
}

void check(const SparseMatrix& weights) {
  if (weights.rows != weights.cols) {
    throw InvalidArgument("graph.weights is " + std::to_string(weights.rows) + " x " +
                          std::to_string(weights.cols) + ": give a square matrix");
  }
  for (std::size_t i = 0; i < weights.rows; ++i) {
    for (const double w : weights.row_values(i)) {
      if (!(w >= 0) || !std::isfinite(w)) {
        throw InvalidArgument("graph.weights has " + std::to_string(w) + " in row " +
                              std::to_string(i) + ": give finite weights of 0 or more");
      }
    }
  }
}

}  // namespace

std::string_view to_string(LaplacianKind kind) {
  switch (kind) {
    case LaplacianKind::combinatorial:
      return "combinatorial";
    case LaplacianKind::normalized:
      return "normalized";
    case LaplacianKind::random_walk:
      return "random-walk";
  }
  return "unknown";
}

std::optional<LaplacianKind> laplacian_kind_named(std::string_view name) {
  for (const auto kind :
       {LaplacianKind::combinatorial, LaplacianKind::normalized, LaplacianKind::random_walk}) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

Laplacian build_laplacian(const Graph& graph, LaplacianKind kind, const Context&) {
  const SparseMatrix& w = graph.weights;
  check(w);
  Laplacian l;
  l.kind = kind;
  l.degree = degrees_of(w);
  const std::size_t n = w.rows;
  std::vector<double> root(n);
  for (std::size_t i = 0; i < n; ++i) root[i] = std::sqrt(l.degree[i]);

  // The product of the two roots is the same in both orders, so the normalised form is symmetric
  // to the bit.
  const auto off_diagonal = [&](std::size_t i, std::size_t j, double weight) {
    if (weight == 0) return -0.0;  // the ends of a stored zero may have no degree to divide by
    switch (kind) {
      case LaplacianKind::combinatorial:
        return -weight;
      case LaplacianKind::normalized:
        return -weight / (root[i] * root[j]);
      case LaplacianKind::random_walk:
        return -weight / l.degree[i];
    }
    return 0.0;
  };

  SparseMatrix& m = l.matrix;
  m.rows = m.cols = n;
  m.offsets.assign(n + 1, 0);
  m.indices.reserve(w.n_entries() + n);
  m.values.reserve(w.n_entries() + n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto columns = w.row_indices(i);
    const auto values = w.row_values(i);
    const bool is_combinatorial = kind == LaplacianKind::combinatorial;
    const double diagonal = is_combinatorial ? l.degree[i] : (l.degree[i] > 0 ? 1.0 : 0.0);
    const auto put = [&](std::size_t j, double value) {
      m.indices.push_back(static_cast<Index>(j));
      m.values.push_back(value);
    };
    bool placed = false;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto j = static_cast<std::size_t>(columns[k]);
      if (j == i) continue;
      if (!placed && j > i) {
        put(i, diagonal);
        placed = true;
      }
      put(j, off_diagonal(i, j, values[k]));
    }
    if (!placed) put(i, diagonal);
    m.offsets[i + 1] = m.indices.size();
    l.largest_diagonal = std::max(l.largest_diagonal, diagonal);
  }
  if (kind == LaplacianKind::combinatorial) {
    l.spectral_bound = detail::combinatorial_spectral_bound(w, l.degree);
  } else {
    l.spectral_bound = l.largest_diagonal > 0 ? 2.0 : 0.0;
  }
  return l;
}

}  // namespace geotherm
