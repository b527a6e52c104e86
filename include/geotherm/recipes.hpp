// Methods: each names rooms in order and holds no numerics of its own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "geotherm/dissimilarity.hpp"
#include "geotherm/embedding.hpp"
#include "geotherm/points.hpp"

namespace geotherm {

struct HeatGeoOptions {
  /// PCA before the neighbours. Empty: none. An empty rank inside: chosen from the data.
  std::optional<PcaOptions> pca = std::nullopt;
  NeighborOptions neighbors = {};
  AffinityOptions affinity = {};
  ComponentPolicy components = ComponentPolicy::bridge;
  LaplacianKind laplacian = LaplacianKind::combinatorial;
  HeatKernelOptions heat = {};
  /// Empty: `heat.time` is used. Given: the time is chosen from the entropy curve.
  std::optional<TimeOptions> time_choice = TimeOptions{};
  HeatGeodesicOptions dissimilarity = {};
  MdsOptions mds = {};
};
std::vector<std::string> issues_with(const HeatGeoOptions&);

/// What the method decided for the user, by name ("time", "knn", "pca_rank", ...), and what it saw.
using Resolved = std::map<std::string, std::string>;

/// Distances and everything on the way to them.
struct HeatGeoDistances {
  Dissimilarity dissimilarity;  ///< all pairs; empty where only rows were asked for
  Graph graph;
  TimeChoice time_choice;
  KernelReport kernel;
  Matrix<double> heat;  ///< the kernel, kept where MDS weights need it
  Resolved resolved;
  std::map<std::string, double> timings_s;
};
struct HeatGeoResult {
  Embedding embedding;
  HeatGeoDistances distances;
};

/// What stands in for points: exactly one is given.
struct Input {
  MatrixView<const double> points = {};
  MatrixView<const float> points32 = {};
  MatrixView<const double> distances = {};  ///< full n x n
  const SparseMatrix* sparse_distances = nullptr;
  const SparseMatrix* affinities = nullptr;
};

HeatGeoDistances heat_geo_distances(const Input&, const HeatGeoOptions& = {}, const Context& = {});
/// Distances from chosen rows, r x n, without forming n x n.
Matrix<double> heat_geo_distances_from(const Input&, std::span<const Index> rows,
                                       const HeatGeoOptions& = {}, const Context& = {},
                                       HeatGeoDistances* on_the_way = nullptr);
HeatGeoResult heat_geo(const Input&, const HeatGeoOptions& = {}, const Context& = {});
HeatGeoResult heat_geo(MatrixView<const double> points, const HeatGeoOptions& = {},
                       const Context& = {});

}  // namespace geotherm
