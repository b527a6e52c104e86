// A map and the neighbours of its points -> the map refined: neighbourhoods arrange themselves
// while each point moves by a bounded distance, so that the large shape stays
// (docs/methods/refinement.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm {

struct RefineOptions {
  /// What counts more, geodesics (0: the map stays as it is) or neighbours (1); in [0, 1]. It sets
  /// the number of epochs.
  double balance = 0.5;
  /// Epochs, instead of those of `balance`; 0 leaves the map as it is.
  std::optional<std::size_t> epochs = std::nullopt;
  /// Median distance to the 15th nearest point of the map at the start, in the unit of the
  /// objective (neighbours one unit apart pull each other half as hard as near ones do); > 0.
  double spacing = 1.4;
  /// Rounds in which every point moves to the mean of its neighbours, before the first epoch: what
  /// takes steps long in a large set. Empty: log2(n / 17,500), rounded; none up to 24,000 points.
  std::optional<std::size_t> averaging = std::nullopt;
  /// Neighbours of each point that attract it; >= 1.
  std::size_t knn = 15;
};
std::vector<std::string> issues_with(const RefineOptions&);

/// Epochs that `options` mean.
std::size_t epochs_of(const RefineOptions&);

struct Refined {
  /// In the units of the map it started from, and turned as that is. The start itself where there
  /// are no epochs.
  Matrix<double> coordinates;
  /// converged: all epochs were run. stopped: the map as far as it had come.
  Outcome outcome = Outcome::converged;
  std::size_t epochs = 0;
  /// Length in the objective's unit for a unit of the map; 0 where nothing was done.
  double unit = 0;
  /// Bound on the displacement of any point along an axis, averaging included, in units of the map.
  double largest_move = 0;
};

/// Symmetric weights in (0, 1] with which neighbours attract each other (UMAP's memberships): from
/// the nearest `knn` entries of each list, or along the edges of a graph; where that has no
/// lengths, its weights over the largest.
SparseMatrix refine_memberships(const NeighborLists&, std::size_t knn = 15, const Context& = {});
SparseMatrix refine_memberships(const Graph&, std::size_t knn = 15, const Context& = {});

/// Attraction along the memberships and repulsion by the points nearby (t-SNE's forces) from the
/// map `start`, n x 1, 2 or 3, by steps that leave its large shape. The same bits on any number of
/// threads. O(epochs (edges + pairs of points within three units)).
Refined refine_layout(MatrixView<const double> start, const SparseMatrix& memberships,
                      const RefineOptions& = {}, const Context& = {});

// ---------------------------------------------------------------------------------------------
// A map in blocks: refine_layout's epochs, where no machine holds all points. Points are known by
// their ids. What an epoch does to a point depends on ids, coordinates and the seed alone: the same
// bits however points are shared out between blocks.

/// What refine_layout derives from its options for a map of n points.
struct RefinePlan {
  std::size_t epochs = 0;
  std::size_t rounds = 0;  ///< of averaging
  /// Over that of t-SNE, in each epoch.
  std::vector<double> attraction = {};
  double widest = 0;  ///< largest deviation of a map, in units of the objective
  double reach = 0;   ///< farthest that points push each other, in the same units
};
RefinePlan refine_plan(const RefineOptions&, std::size_t n_points, std::size_t dimensions);

/// Points of another block. Coordinates are planes: a row for each dimension.
struct RefineOthers {
  std::span<const std::int64_t> ids = {};
  MatrixView<const float> coordinates = {};
};
/// The points of a block in any order (fastest: near ones side by side), their neighbours, and
/// points of other blocks nearby.
struct RefineBlock {
  std::span<const std::int64_t> ids = {};  ///< of its own points
  std::span<const Index> by_id = {};       ///< its own points in the order of their ids
  MatrixView<const float> coordinates = {};
  std::span<const std::int64_t> offsets = {};  ///< own points + 1
  /// An own point, or n_own + a linked one; each row by id.
  std::span<const Index> to = {};
  std::span<const float> weights = {};         ///< memberships
  MatrixView<const float> linked = {};         ///< coordinates of points of other blocks
  /// In any order: at least all points within two reaches of an own one.
  std::vector<RefineOthers> others = {};
};
struct RefineStep {
  std::size_t epoch = 0;
  double attraction = 0;
  double unit = 0;  ///< of weights: number of points over the sum of all memberships
  /// Mean of `near` over all points before the epoch before; empty: nothing moves, it is measured.
  std::optional<double> near = std::nullopt;
  std::array<float, 3> low = {};  ///< least coordinate on each axis, of all blocks
};
struct RefineMoves {
  Matrix<float> coordinates = {};  ///< of own points after the epoch
  std::int64_t near = 0;           ///< sum of nearness, in units of 2^-20: exact in any order
  float longest_move = 0;          ///< along an axis
};
/// One epoch of a block's own points. O(points + edges + pairs of points within three units);
/// where a block's map is mostly empty, points are sorted: O(n log n).
RefineMoves refine_block(const RefineBlock&, const RefineStep&, const Context& = {});

}  // namespace geotherm
