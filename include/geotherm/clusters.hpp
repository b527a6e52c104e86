// A graph -> communities.
#pragma once

#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

struct ClusterOptions {
  /// Larger: more and smaller clusters; > 0.
  double resolution = 1.0;
};
std::vector<std::string> issues_with(const ClusterOptions&);

struct Clusters {
  std::vector<Index> labels;  ///< one per point, from 0; the largest cluster is 0
  std::size_t n_clusters = 0;
  double modularity = 0;  ///< of the partition, with the given resolution
};
/// Leiden's algorithm on modularity (docs/adr/0006-clusters.md): points move to the neighbouring
/// cluster that gains most, clusters are refined from single points, and the refined ones become
/// the points of the next level. Every cluster is connected. One thread; the same seed gives the
/// same labels. `weights` symmetric and not negative; the diagonal does not count. O(edges) per
/// level.
Clusters cluster_graph(const SparseMatrix& weights, const ClusterOptions& = {},
                       const Context& = {});

}  // namespace geotherm
