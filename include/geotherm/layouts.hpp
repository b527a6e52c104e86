// NeighborLists -> layouts that pull neighbours together and push others apart: t-SNE and UMAP.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/neighbors.hpp"

namespace geotherm {

struct TsneOptions {
  /// Effective number of neighbours; >= 1. Clamped to (n - 1) / 3, with a warning.
  double perplexity = 30;
  /// Attraction is multiplied by this in the first iterations; >= 1. Larger: tighter early
  /// clusters.
  double early_exaggeration = 12;
  std::size_t exaggeration_iterations = 250;
  /// All iterations, the exaggerated ones counted.
  std::size_t iterations = 1000;
  /// Barnes-Hut: a cell is one point where size / distance is below this; in [0, 1]. 0: exact.
  double theta = 0.5;
  /// Step; > 0. Empty: max(200, n / early_exaggeration).
  std::optional<double> learning_rate = std::nullopt;
};
std::vector<std::string> issues_with(const TsneOptions&);
/// Neighbours that t-SNE of n points reads: three times the perplexity (after clamping).
std::size_t neighbors_for(const TsneOptions&, std::size_t n_points);

struct UmapOptions {
  /// How close points may lie in the map, in units of `spread`; in [0, spread].
  double min_dist = 0.1;
  /// Scale of the map; > 0.
  double spread = 1.0;
  /// Passes over the edges; >= 1. Empty: 500 up to 10,000 points, decreasing to 200 for more.
  std::optional<std::size_t> n_epochs = std::nullopt;
  /// Random points pushed away for each edge that pulls; > 0.
  double negative_sample_rate = 5;
};
std::vector<std::string> issues_with(const UmapOptions&);

struct Layout {
  /// n x n_components; centred, along its principal axes, each axis's largest entry positive.
  Matrix<double> coordinates;
  /// converged: all iterations asked for were run. stopped: the map as far as it had come.
  Outcome outcome = Outcome::converged;
  std::size_t iterations = 0;
  double objective = 0;  ///< t-SNE: Kullback-Leibler divergence; UMAP: 0, it has none to hand
};

/// Barnes-Hut t-SNE in 1, 2 or 3 dimensions, as many as `start` has columns. O(n log n) an
/// iteration. The first neighbors_for entries of each list are read. `start` is centred and scaled
/// to standard deviation 1e-4 along its first axis.
Layout tsne_layout(const NeighborLists&, Matrix<double> start, const TsneOptions& = {},
                   const Context& = {});

/// UMAP from the knn entries of each list. `start` is scaled to a largest entry of 10, and moved by
/// noise of 1e-4 so that no two points coincide. The same bits on any number of threads.
Layout umap_layout(const NeighborLists&, Matrix<double> start, const UmapOptions& = {},
                   const Context& = {});

}  // namespace geotherm
