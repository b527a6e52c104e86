// Graph -> Laplacian.
#pragma once

#include <optional>

#include "geotherm/graph.hpp"

namespace geotherm {

enum class LaplacianKind { combinatorial, normalized, random_walk };
std::string_view to_string(LaplacianKind);  ///< "combinatorial", "normalized", "random-walk"
std::optional<LaplacianKind> laplacian_kind_named(std::string_view);

struct Laplacian {
  LaplacianKind kind = LaplacianKind::combinatorial;
  /// Q - W, I - Q^-1/2 W Q^-1/2 or I - Q^-1 W, diagonal stored. A point without edges has a zero
  /// row; self-weights are left out.
  SparseMatrix matrix;
  std::vector<double> degree;  ///< Q: row sums of the weights
  /// No eigenvalue is larger: at most 2 max degree, usually less; 2 for the normalised forms.
  double spectral_bound = 0;
  double largest_diagonal = 0;

  std::size_t size() const { return matrix.rows; }
  bool is_symmetric() const { return kind != LaplacianKind::random_walk; }
};

Laplacian build_laplacian(const Graph&, LaplacianKind = LaplacianKind::combinatorial,
                          const Context& = {});

}  // namespace geotherm
