// NeighborLists -> Graph: symmetric affinities with edge lengths; connected components.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/neighbors.hpp"

namespace geotherm {

/// alpha_decay: exp(-(d / bandwidth_i)^decay), bandwidth_i the distance to the knn-th neighbour,
///   symmetrised as (K + K^T)/2; the lists have to reach as far as reach_of says.
/// The others live on the edges of the knn graph (either end lists the other):
/// knn: exp(-d^2 / sigma^2), sigma the mean distance to a neighbour over all points.
/// gaussian: sqrt(2 s_i s_j / (s_i^2 + s_j^2)) exp(-d^2 / (s_i^2 + s_j^2)), s_i^2 the median
/// squared
///   distance of i to its neighbours (scanpy's method "gauss" with knn).
/// fuzzy_union: UMAP's memberships exp(-(d - rho_i) / sigma_i), united as a + b - ab.
enum class Affinity { alpha_decay, knn, gaussian, fuzzy_union };
std::string_view to_string(Affinity);  ///< "alpha-decay", "knn", "gaussian", "umap"
std::optional<Affinity> affinity_named(std::string_view);

struct AffinityOptions {
  Affinity kind = Affinity::alpha_decay;
  /// Alpha decay: exponent of exp(-(d / bandwidth)^decay); > 0. Larger: closer to a hard cut.
  double decay = 40.0;
  /// Alpha decay: one-sided affinities below this are dropped; in (0, 1).
  double threshold = 1e-4;
  /// Alpha decay: 0 keeps the sampling density, 1 divides it out (W / (q_i q_j)^anisotropy); in [0,
  /// 1].
  double anisotropy = 0.0;
};
std::vector<std::string> issues_with(const AffinityOptions&);
/// Search radius that this kernel needs, in distances to the knn-th neighbour: (-log
/// threshold)^(1/decay) for alpha decay (never below 1), 1 for the others.
double reach_of(const AffinityOptions&);

struct Bridge {
  Index from = 0;
  Index to = 0;
  double length = 0;  ///< 0 where lengths are not known
};

struct Graph {
  /// Symmetric, non-negative, zero diagonal not stored.
  SparseMatrix weights;
  /// Length of each stored edge, aligned with weights.values; empty where lengths are not known.
  std::vector<double> lengths;
  /// Component of each point, numbered by decreasing size (ties: smallest point first), before
  /// bridging.
  std::vector<Index> component;
  std::size_t n_components = 0;
  /// Edges that were added between components, at most one for each pair of them, in order of the
  /// components' numbers.
  std::vector<Bridge> bridges;
  double truncated_share = 0;  ///< share of points whose kernel support was cut by the search

  std::size_t n_points() const { return weights.rows; }
  bool has_lengths() const { return lengths.size() == weights.values.size(); }
  /// Of an edge between i and j: whether it is a bridge. No other edge leaves a component.
  bool is_bridge(std::size_t i, Index j) const {
    return !bridges.empty() && component[i] != component[static_cast<std::size_t>(j)];
  }
};

/// Where a point has knn duplicates its bandwidth is 0: affinity 1 at distance 0 and 0 elsewhere;
/// so collapse duplicates first. Where lists have fewer neighbours than the kernel needs,
/// truncated_share says so.
Graph build_graph(const NeighborLists&, const AffinityOptions& = {}, const Context& = {});
/// A given affinity matrix: symmetrised as (W + W^T)/2 where it is not symmetric (with a warning),
/// diagonal dropped. Negative or non-finite entries are refused.
Graph graph_from_affinities(const SparseMatrix&, const Context& = {});

enum class ComponentPolicy { bridge, separate, error };
std::string_view to_string(ComponentPolicy);
std::optional<ComponentPolicy> component_policy_named(std::string_view);

/// Numbers the connected components of `weights` (edges: entries above 0, in either direction) by
/// decreasing size, ties by smallest point.
std::vector<Index> connected_components(const SparseMatrix& weights, const Context& = {});

/// Applies the policy to a graph with several components. bridge: joins every pair of components
/// (up to 24 of them; beyond, each with its 8 nearest and what a spanning tree needs) by a short
/// link between their points, Euclidean between `points`. The links need not be the shortest: up to
/// 8 dimensions a minimum spanning tree is exact, others are usually within 5 %. Their weight is
/// min(1, (median edge length / link length)^2), all Euclidean; the length of a bridge is in the
/// unit of graph.lengths, by the ratio of the medians, where these are of another metric. Costs
/// O(n d log n), and for each bridge a few comparisons with 2,048 points and n / 64 centres of
/// cells. Without points: each component's best-connected member (largest degree) is joined to that
/// of the largest, at ten times the median length and so weight .01 where lengths are known; else
/// with length 0 and a hundredth of the median weight. separate: left as it is. error: throws
/// InvalidArgument that says how many and how large. Gives no warning: see `n_components`.
Graph connect_components(Graph, ComponentPolicy, MatrixView<const double> points,
                         const Context& = {});

/// The random walk of the graph, as PHATE has it: self-affinity 1 on the diagonal, rows normalised.
SparseMatrix random_walk(const Graph&);

}  // namespace geotherm
