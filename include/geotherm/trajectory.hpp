// Graph -> order of cells from a root, ends and branches, a network of milestones, fates and
// trends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/graph.hpp"

namespace geotherm {

// ---------------------------------------------------------------------------------------------
// The slow part of the heat geometry.

/// Coordinates y_k / lambda_k^power of the slowest modes of heat (L y = lambda Q y, the constant
/// one left out): with power 1/2 and all modes, squared distances are resistances (heat added up
/// over all times); a few modes keep what heat forgets last. Half of the sampling density is
/// divided out of the weights first (W_ij / sqrt(q_i q_j), q the degrees). Rows of points outside
/// `component` are 0.
struct SlowCoordinates {
  Matrix<double> modes;             ///< n x m, unweighted
  std::vector<double> eigenvalues;  ///< ascending, > 0
  std::vector<Index> cells;         ///< the points of the component, ascending
};
/// Of the component that `inside` lies in. m <= n_modes where the component is small.
SlowCoordinates slow_coordinates(const Graph&, Index inside, std::size_t n_modes,
                                 const Context& = {});

// ---------------------------------------------------------------------------------------------
// Pseudotime.

struct PseudotimeOptions {
  /// Numbers of slow modes; the order is the mean over these resolutions. Each in [1, 100].
  std::vector<std::size_t> resolutions = {3, 4, 5, 7};
  /// Neighbours in the space of slow modes along which geodesics run; >= 2.
  std::size_t knn = 30;
  /// How far the ends of branches are brought to one pseudotime, because ends of one process are
  /// sampled together while branches differ in length; in [0, 1]. 0: as long as distances say, 1:
  /// every branch ends at 1. The order within a branch does not depend on it.
  double even_ends = 0.4;
  /// Replicates for the interval of each cell; 0: none. A replicate draws a weight for every cell
  /// from the exponential distribution (the Bayesian bootstrap) and repeats the whole computation.
  std::size_t bootstrap = 0;
  /// Coverage of the interval; in (0, 1).
  double level = 0.95;
};
std::vector<std::string> issues_with(const PseudotimeOptions&);

struct Pseudotime {
  /// 0 at the root, 1 at the farthest cell; NaN for cells that no path joins to the root.
  std::vector<double> values;
  /// The same before ends were brought together (`even_ends`): what walks are directed by, since
  /// between branches of different lengths the stretched order leads sideways.
  std::vector<double> by_distance;
  std::vector<double> low, high;  ///< with `bootstrap`; else empty
  std::size_t n_unreached = 0;
  SlowCoordinates slow;  ///< of the roots' component: ten modes, or as many as `resolutions` need
};
/// Geodesics from the roots in the space of slow modes, scaled to [0, 1] and averaged over roots
/// and resolutions. All roots must lie in one component (InvalidArgument else). O(n) rows of a
/// sparse graph; nothing n x n.
Pseudotime pseudotime(const Graph&, std::span<const Index> roots, const PseudotimeOptions& = {},
                      const Context& = {});

/// Extremes of the geometry of the largest component, the most extreme first: places where a
/// trajectory may begin or end.
std::vector<Index> root_candidates(const Graph&, std::size_t n_candidates = 4, const Context& = {});

// ---------------------------------------------------------------------------------------------
// Milestones, branches, ends.

struct MilestoneOptions {
  /// Slow modes in which the network is drawn; in [2, 100].
  std::size_t n_modes = 10;
  /// Groups that the network is drawn through; >= 4. Empty: sqrt(n) within 12 and 40.
  std::optional<std::size_t> n_groups = std::nullopt;
  /// A twig shorter than this share of the longest path from the root is left out, and branchings
  /// closer than three quarters of it are merged; in [0, 1].
  double min_branch = 0.1;
  /// A twig with a smaller share of the cells is left out; in [0, 1].
  double min_cells = 0.02;
  /// Least share of the variance of geodesic distances that distances along the network must
  /// explain; below, no trajectory is supported. In [0, 1].
  double min_explained = 0.8;
};
std::vector<std::string> issues_with(const MilestoneOptions&);

struct MilestoneEdge {
  Index from = 0, to = 0;  ///< milestones; `from` is the one nearer to the root
  double length = 0;       ///< in units of pseudotime
};
/// dynverse's form: a network of milestones, and for each cell an edge with its place on it.
struct MilestoneNetwork {
  std::vector<Index> milestones;  ///< a cell for each; the first is the root's
  std::vector<MilestoneEdge> edges;
  std::vector<Index> edge_of;     ///< of each cell; -1 where it is not reached
  std::vector<double> fraction;   ///< along its edge, 0 at `from`
  std::vector<Index> ends;        ///< milestones with one edge, the root's aside
  std::vector<Index> branchings;  ///< milestones with three edges or more
  std::size_t n_loops = 0;
  /// Squared correlation of distances along the network with geodesics between cells.
  double explained = 0;
  bool is_supported = true;  ///< explained >= min_explained
};
/// `root` has a pseudotime. Of several roots one may lie far from the others: the network begins
/// where pseudotime does, which with one root is the root.
MilestoneNetwork milestone_network(const Graph&, const Pseudotime&, Index root,
                                   const MilestoneOptions& = {}, const Context& = {});

// ---------------------------------------------------------------------------------------------
// Walks directed along pseudotime.

struct DirectionOptions {
  /// Weight of an edge that goes back by the median step of pseudotime, against one that goes on;
  /// in [0, 1]. 1: the walk is not directed. Longer steps back weigh less, exponentially.
  double backward = 0.1;
};
std::vector<std::string> issues_with(const DirectionOptions&);
/// Rows sum to 1, as sparse as the graph; rows of cells without pseudotime stay put.
SparseMatrix directed_walk(const Graph&, std::span<const double> pseudotime,
                           const DirectionOptions& = {}, const Context& = {});

/// n x ends: probability that the directed walk from a cell reaches the cells of an end first. A
/// cell's row sums to 1; NaN where it has no pseudotime. `ends[k]` lists the cells of end k.
Matrix<double> fate_probabilities(const SparseMatrix& walk, std::span<const double> pseudotime,
                                  const std::vector<std::vector<Index>>& ends, const Context& = {});
/// The last fifth of the edge at each end of the network, at least 5 cells where there are as many.
std::vector<std::vector<Index>> cells_at_ends(const MilestoneNetwork&);

/// Heat that flows between groups over what it would be if edges joined cells at random (PAGA's
/// connectivity): groups x groups, symmetric, 0 on the diagonal, at most 1.
Matrix<double> group_flow(const Graph&, std::span<const Index> groups, std::size_t n_groups);

// ---------------------------------------------------------------------------------------------
// Trends.

struct TrendOptions {
  /// Cubic B-splines; in [4, 200]. The penalty decides how many degrees of freedom are used.
  std::size_t n_splines = 15;
  std::size_t n_points = 100;  ///< of the curve; >= 2
  double width = 1.96;         ///< of the band, in standard errors on either side; > 0
};
std::vector<std::string> issues_with(const TrendOptions&);
struct Trends {
  std::vector<double> pseudotime;  ///< at which the curves are given
  Matrix<double> mean, low, high;  ///< genes x points
  std::vector<double> explained;   ///< share of a gene's variance
  std::vector<double> freedom;     ///< effective degrees of freedom
};
/// Smooth curves of values (cells x genes) along pseudotime. Weights: a cell's part, such as its
/// probability of a fate; empty: all 1. Cells without pseudotime or weight are left out.
Trends fit_trends(std::span<const double> pseudotime, std::span<const double> weights,
                  MatrixView<const double> values, const TrendOptions& = {}, const Context& = {});

}  // namespace geotherm
