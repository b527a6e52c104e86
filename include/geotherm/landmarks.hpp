// Graph -> a coarse problem on landmarks, and its extension to every point: no n x n array.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geotherm/embedding.hpp"
#include "geotherm/graph.hpp"

namespace geotherm {

/// random: uniformly among the points. spread: in rounds, each among points far from the landmarks
/// so far (along the graph), so that sparse regions have landmarks too. central: k-means
/// along the graph; random ones that move, a few times, to the point of their cell farthest from
/// its border.
enum class LandmarkChoice { random, spread, central };
std::string_view to_string(LandmarkChoice);
std::optional<LandmarkChoice> landmark_choice_named(std::string_view);

struct LandmarkOptions {
  /// Landmarks; >= 2. Given: they are used whatever the number of points. Empty: only where the
  /// exact solver is too costly (max_exact, max_memory), and then max(2000, 4 sqrt(n)), at most n /
  /// 4.
  std::optional<std::size_t> count = std::nullopt;
  LandmarkChoice choice = LandmarkChoice::random;
  /// Landmarks to which distances from every point are fitted; >= 3. More: more accurate, slower.
  /// Empty: 96; where their heat is measured on all points 256, and 112 of more than 10,000 points.
  std::optional<std::size_t> n_pivots = std::nullopt;
  /// Weight of a point's neighbours in the layout, relative to all pivots together; >= 0. More:
  /// the map preserves neighbourhoods at the cost of distances.
  double local = 1.0;
  /// Heat geodesic maps: the heat of the pivots spreads over all points, not over landmarks. Empty:
  /// where `count` is, up to `max_pivot_points` points; stress is then within a per cent of all
  /// pairs.
  std::optional<bool> has_full_pivots = std::nullopt;
  /// Above this many points no n x n array is made, unless MethodOptions::landmarks is empty: the
  /// time for all pairs grows with the cube of n.
  std::size_t max_exact = 2000;
  std::size_t max_pivot_points = 30000;
  /// Where the distances themselves are the result, all pairs are computed up to this many points.
  std::size_t max_all_pairs = 20000;
  /// Bytes that the exact solver may use, else landmarks are used. Empty: half of the machine's
  /// memory.
  std::optional<std::size_t> max_memory = std::nullopt;
};
std::vector<std::string> issues_with(const LandmarkOptions&);

/// Bytes of memory that this process may use: of the machine, or of its container where that has a
/// limit. 8 GB where the system does not say.
std::size_t machine_memory();

/// How many landmarks serve n points where the count is left open.
std::size_t default_landmarks(std::size_t n_points);

/// Points of the graph, ascending; at least one in each component. Seed from the context.
std::vector<Index> choose_landmarks(const Graph&, std::size_t count,
                                    LandmarkChoice = LandmarkChoice::random, const Context& = {});

/// The points cut into cells, each of those nearest to one landmark along the graph.
struct Cells {
  std::vector<Index> landmarks;
  std::vector<Index> cell_of;         ///< for each point, a position in `landmarks`
  std::vector<double> to_landmark;    ///< path length to it
  std::vector<std::size_t> n_points;  ///< of each cell
  /// Adjacent cells; lengths of the shortest path between their landmarks across the boundary.
  Graph touching;
};
/// One multi-source Dijkstra, O(edges log n). Without edge lengths an edge counts 1 / sqrt(weight).
Cells cells_around(const Graph&, std::vector<Index> landmarks, const Context& = {});

/// The landmarks as points of their own: the graph of the nearest knn of each along the touching
/// cells. Where a landmark has fewer in reach, the touching cells with weight 1.
Graph coarse_graph(const Cells&, std::size_t knn, const AffinityOptions& = {}, const Context& = {});

/// The edges of each cell's points, those that lead out of it included.
struct CellEdges {
  std::vector<double> total_length;
  std::vector<std::size_t> count;
};
/// `cell_of`: of each point, below n_cells. All 0 where the graph has no lengths.
CellEdges edges_of_cells(const Graph&, std::span<const Index> cell_of, std::size_t n_cells);

/// The landmarks' graph with weights by which heat counts the points' edges, not those between
/// landmarks: W_ij / (h_i h_j), h_i the length of landmark i's edges (root mean square) in those of
/// its points (mean), at the former median degree. Unchanged where lengths are not known.
Graph with_hop_rates(Graph coarse, const CellEdges&, const Context& = {});

/// Distances between all points from those between landmarks: each point is a mean of the landmarks
/// around it, and squared distances are carried over as for means of points in space.
class LandmarkDistances {
 public:
  LandmarkDistances() = default;
  /// `distances`: m x m between the landmarks of `cells`; squared in place.
  LandmarkDistances(const Graph&, const Cells& cells, Matrix<double> distances,
                    const Context& = {});
  /// From what the functions below return.
  LandmarkDistances(SparseMatrix interpolation, double unit, Matrix<double> squared,
                    std::vector<double> spread)
      : interpolation_(std::move(interpolation)),
        unit_(unit),
        squared_(std::move(squared)),
        spread_(std::move(spread)) {}
  std::size_t n_points() const { return interpolation_.rows; }
  std::size_t n_landmarks() const { return squared_.rows(); }
  /// n x m, rows sum to 1.
  const SparseMatrix& interpolation() const { return interpolation_; }
  /// Distances are `unit` times the roots of what follows: a power of two near the largest of them,
  /// so that no square leaves the range of numbers whatever the scale of the data.
  double unit() const { return unit_; }
  const Matrix<double>& squared() const { return squared_; }
  /// Half of the mean squared distance between the landmarks of a point's own mean.
  const std::vector<double>& spread() const { return spread_; }
  double between(std::size_t i, std::size_t j) const;
  /// r x n. O(r n).
  Matrix<double> from(std::span<const Index> points, const Context& = {}) const;
  /// Means of the landmarks' rows: n x columns.
  Matrix<double> interpolate(MatrixView<const double> of_landmarks, const Context& = {}) const;

 private:
  SparseMatrix interpolation_;
  double unit_ = 1;
  Matrix<double> squared_;
  std::vector<double> spread_;
};

/// The map of all points, from that of the landmarks: starting from their means, each point moves
/// to where it fits its distances to the pivots (weighted by the number of points that each
/// represents) and to its neighbours (lengths of the graph). Majorisation, from the previous
/// coordinates of all others: the same bits on any number of threads, and the stress never rises.
/// `scale`: of distances in a unit of length.
Embedding pivot_layout(const Graph&, const Cells&, const LandmarkDistances&,
                       MatrixView<const double> landmark_map, double scale,
                       const LandmarkOptions& = {}, const MdsOptions& = {}, const Context& = {});

/// The map of all points from the distances of some of them (pivots, ascending; >= 3) to all: n x
/// pivots. The pivots are scaled among themselves, points and pivots then moved in turn. Weights of
/// `options` do not count. Distances are `unit` times the numbers given, whose squares have to stay
/// in the range of float32.
Embedding column_layout(std::span<const Index> pivots, MatrixView<const float> to_pivots,
                        const MdsOptions& options = {}, const Context& = {}, double unit = 1);
/// The same from rows of distances, pivots x n, each no longer than `limit`; float32 in a unit of
/// their own.
Embedding row_layout(std::span<const Index> pivots, MatrixView<const double> from_pivots,
                     std::optional<double> limit = std::nullopt, const MdsOptions& = {},
                     const Context& = {});

}  // namespace geotherm
