// Graph -> coordinates from the leading eigenvectors of its random walk: Laplacian eigenmaps and
// diffusion maps.
#pragma once

#include <string>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm {

/// laplacian_eigenmaps: L y = lambda Q y for L = Q - W, y = Q^-1/2 v with |v| = 1 (the scale of
///   scikit-learn's SpectralEmbedding: y^T Q y = 1).
/// diffusion_map: lambda^steps psi for the walk P = Q^-1 (W + I) of `random_walk`, psi = v /
/// sqrt(pi)
///   with |v| = 1 and pi the stationary distribution: with all n - 1 coordinates, Euclidean
///   distances are the diffusion distances of `steps` steps.
enum class SpectralForm { laplacian_eigenmaps, diffusion_map };

struct SpectralOptions {
  /// Coordinates, the constant one not counted; >= 1.
  std::size_t n_components = 2;
  SpectralForm form = SpectralForm::laplacian_eigenmaps;
  /// Diffusion map: steps of the walk; >= 0. More: fine structure fades.
  int steps = 1;
  /// Residual of an eigenpair, eigenvalues being at most 1; in (0, 1).
  double tolerance = 1e-10;
  /// Restarts of the eigensolver before it is given more vectors, four times; >= 1.
  std::size_t max_restarts = 200;
};
std::vector<std::string> issues_with(const SpectralOptions&);

struct SpectralEmbedding {
  /// n x n_components; each column's largest entry positive. Columns that the graph does not have
  /// (n - 1 < n_components) are 0.
  Matrix<double> coordinates;
  /// One per column that is there. Of the Laplacian pencil, ascending from the first that is not
  /// trivial; or of the walk, falling.
  std::vector<double> eigenvalues;
  /// iteration_limit: the tolerance was not reached, what is returned is right to 1e-4 or so.
  Outcome outcome = Outcome::converged;
  std::size_t n_products = 0;  ///< of the matrix with a vector; 0 where it was solved densely
};

/// Lanczos on the sparse matrix, O(edges) a product; dense up to 64 points. For a
/// disconnected graph the first coordinates only separate its components (with the eigenvalue of
/// the constant vector): one fewer than there are components. Eigenvalues that repeat are all
/// found.
SpectralEmbedding spectral_embedding(const Graph&, const SpectralOptions& = {},
                                     const Context& = {});

/// Where the walk of `random_walk` spends its time: (1 + degree) / volume.
std::vector<double> stationary_distribution(const Graph&);

}  // namespace geotherm
