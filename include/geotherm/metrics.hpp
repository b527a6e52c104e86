// How well an embedding keeps what was known before: distances, neighbourhoods, groups, and the
// course of time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm {

// ---------------------------------------------------------------------------------------------
// Distances.

/// The paper's measures between two distance matrices (diagonals count as 0).
struct DistanceScores {
  double pearson = 0;    ///< mean over rows; a row that is constant on either side counts as 0
  double spearman = 0;   ///< the same, ties by average rank
  double frobenius = 0;  ///< |D - E|_F / n^2
  double max = 0;        ///< max |D - E| / n^2
};
/// O(n^2) words are read, O(n) held besides. Both n x n and finite off the diagonal.
DistanceScores score_distances(MatrixView<const double> truth, MatrixView<const double> estimate,
                               const Context& = {});
/// The same for many estimates of one truth, whose ranks are found once and held: n^2 words.
class DistanceScorer {
 public:
  /// The truth has to outlive the scorer.
  explicit DistanceScorer(MatrixView<const double> truth, const Context& = {});
  explicit DistanceScorer(const Matrix<double>&& truth, const Context& = {}) = delete;
  DistanceScores operator()(MatrixView<const double> estimate, const Context& = {}) const;

 private:
  MatrixView<const double> truth_;
  Matrix<double> ranks_;
};
/// The same for an embedding: its Euclidean distances, formed row by row.
DistanceScores score_embedding(MatrixView<const double> truth, MatrixView<const double> coordinates,
                               const Context& = {});

/// Pearson correlation of two vectors; 0 where one is constant.
double pearson(std::span<const double> a, std::span<const double> b);
/// Pearson correlation of the ranks.
double spearman(std::span<const double> a, std::span<const double> b);
/// Ranks from 1, ties by average.
std::vector<double> ranks(std::span<const double> values);

/// Euclidean distances between all rows: n x n.
Matrix<double> pairwise_distances(MatrixView<const double> points, const Context& = {});

/// What the measures below compare, exactly one given: a full distance matrix (diagonal ignored),
/// or coordinates, whose Euclidean distances are formed row by row and never held as n x n.
struct Space {
  MatrixView<const double> distances = {};
  MatrixView<const double> coordinates = {};
};

struct DemapOptions {
  /// Pairs are taken among this many points drawn without replacement; >= 2. Empty: all points,
  /// at about 50 bytes per pair.
  std::optional<std::size_t> max_points = std::nullopt;
};
std::vector<std::string> issues_with(const DemapOptions&);
/// DEMaP (Moon et al. 2019): Spearman correlation over all pairs i < j between the geodesics of
/// the noise-free data and the distances of the embedding. 0 for fewer than 3 points.
double demap(const Space& truth, const Space& estimate, const DemapOptions& = {},
             const Context& = {});

struct StressScores {
  double normalized = 0;  ///< sum_{i<j} (d - e)^2 / sum_{i<j} d^2; 0 where both sums are 0
  double scaled = 0;      ///< the same after the best common factor on e: blind to units
  double scale = 1;       ///< that factor, >= 0
};
/// Infinity where all true distances are 0 and those of the estimate are not.
StressScores score_stress(const Space& truth, const Space& estimate, const Context& = {});

/// How far a map is off at each point: over the given rows of true distances (r x n; `rows` says
/// from which points), the median of |log(s e / d)|, e the distance in the map and s the one factor
/// that makes the median of log(s e / d) over all these pairs 0. So 0: distances from here are
/// right; log 2 = 0.69: typically off by a factor of 2, either way. Pairs at true distance 0 or
/// infinity do not count; distances in the map are taken as at least a millionth of the true ones.
/// NaN where no pair is left. O(r n).
std::vector<double> point_distortion(MatrixView<const double> truth, std::span<const Index> rows,
                                     MatrixView<const double> coordinates, const Context& = {});

// ---------------------------------------------------------------------------------------------
// Neighbourhoods. A point is never its own neighbour; equal distances are in order of index.

struct NeighborhoodOptions {
  /// Number of neighbours; >= 1. Larger: a wider neighbourhood.
  std::size_t knn = 10;
  /// Rows are scored for this many points, drawn without replacement, against all others; >= 1.
  /// Empty: all points, O(n^2) for precision and accuracy, O(n^2 log n) for trustworthiness.
  std::optional<std::size_t> max_points = std::nullopt;
};
/// knn < n_points.
std::vector<std::string> issues_with(const NeighborhoodOptions&, std::size_t n_points);

/// Share of the knn true nearest that are among the knn nearest of the estimate: mean over rows.
double precision_at_knn(const Space& truth, const Space& estimate, const NeighborhoodOptions& = {},
                        const Context& = {});

struct NeighborhoodScores {
  double trustworthiness = 0;  ///< 1: no neighbour in the map is a stranger in the data
  double continuity = 0;       ///< 1: no neighbour in the data is a stranger in the map
};
/// Venna and Kaski's measures in the normalisation of scikit-learn, which needs knn < n / 2.
NeighborhoodScores score_neighborhoods(const Space& original, const Space& embedding,
                                       const NeighborhoodOptions& = {}, const Context& = {});

/// Share of points whose class is that of the majority of their knn nearest others. Where classes
/// have equally many votes, the one whose nearest voter is nearest wins.
double knn_accuracy(const Space& embedding, std::span<const Index> labels,
                    const NeighborhoodOptions& = {}, const Context& = {});

// ---------------------------------------------------------------------------------------------
// Groups. Labels are any integers; only which points share one matters.

struct ClusteringScores {
  double homogeneity = 1;   ///< each cluster holds one class only
  double completeness = 1;  ///< each class lies in one cluster only
  double v_measure = 1;     ///< harmonic mean of the two
  double ari = 1;           ///< adjusted Rand index
  double ami = 1;  ///< adjusted mutual information, arithmetic mean of the entropies, exact chance
};
/// Conventions for degenerate partitions are those of scikit-learn (no points: all scores 1).
ClusteringScores compare_labels(std::span<const Index> truth, std::span<const Index> found);

struct KmeansOptions {
  /// Clusters asked for, >= 1; fewer are found where there are fewer distinct points.
  std::size_t n_clusters = 2;
  /// Starts by k-means++; the one with the least within-cluster sum of squares is kept; >= 1.
  std::size_t n_restarts = 10;
  /// Sweeps of optimal transfer at most; >= 1.
  std::size_t max_iterations = 100;
};
std::vector<std::string> issues_with(const KmeansOptions&);

struct Kmeans {
  std::vector<Index> clusters;  ///< one per point, from 0
  Matrix<double> centers;       ///< clusters that were found x columns
  double within = 0;            ///< sum of squared distances to the own centre
  Outcome outcome = Outcome::converged;
};
/// Hartigan and Wong's algorithm; the restarts run in parallel. Seed from the context.
Kmeans kmeans(MatrixView<const double> points, const KmeansOptions&, const Context& = {});

struct ClusteringScoreOptions {
  /// Clusters looked for, >= 1. Empty: as many as there are labels.
  std::optional<std::size_t> n_clusters = std::nullopt;
  std::size_t n_restarts = 10;       ///< see KmeansOptions
  std::size_t max_iterations = 100;  ///< see KmeansOptions
};
std::vector<std::string> issues_with(const ClusteringScoreOptions&);
/// k-means on the z-scored coordinates, compared with the labels.
ClusteringScores clustering_scores(MatrixView<const double> coordinates,
                                   std::span<const Index> labels,
                                   const ClusteringScoreOptions& = {}, const Context& = {});

// ---------------------------------------------------------------------------------------------
// Optimal transport, exact (network simplex), and the interpolation of time points by it.

struct MassFlow {
  Index from = 0;
  Index to = 0;
  double mass = 0;
};
struct TransportPlan {
  std::vector<MassFlow> flows;  ///< positive masses, by (from, to); they sum to 1
  double cost = 0;              ///< sum of mass times cost
};
enum class GroundCost { distance, squared_distance };

/// Whether this build can solve transport problems (it needs LEMON); else the public functions
/// below throw.
bool has_exact_transport();

/// Cheapest plan for an n x m cost matrix. Weights are non-negative and brought to sum 1; empty:
/// uniform. The cost exceeds the optimum by no more than 2^-52 or (n + m) 2^-60 of the range of the
/// costs, whichever is larger. About 100 bytes per pair; n m < 2^31.
TransportPlan transport(MatrixView<const double> costs, std::span<const double> from_weights = {},
                        std::span<const double> to_weights = {}, const Context& = {});
/// The same between two sets of points.
TransportPlan transport_points(MatrixView<const double> from, MatrixView<const double> to,
                               GroundCost = GroundCost::squared_distance,
                               std::span<const double> from_weights = {},
                               std::span<const double> to_weights = {}, const Context& = {});
/// W1 (earth mover's distance) for GroundCost::distance, W2 for squared_distance.
double wasserstein(MatrixView<const double> from, MatrixView<const double> to,
                   GroundCost = GroundCost::distance, std::span<const double> from_weights = {},
                   std::span<const double> to_weights = {}, const Context& = {});

struct InterpolationScore {
  double mean = 0;                ///< over the inner time points; smaller is better
  std::vector<double> times;      ///< the inner time points, ascending
  std::vector<double> distances;  ///< W1 for each of them
};
/// The paper's score: coordinates are z-scored per axis; each inner time point is held out, its two
/// neighbours in time are joined by the W2 plan, the plan's masses are put at the midpoints of its
/// pairs, and W1 from there to the points held out is taken. Needs three distinct times.
InterpolationScore score_interpolation(MatrixView<const double> coordinates,
                                       std::span<const double> times, const Context& = {});

}  // namespace geotherm
