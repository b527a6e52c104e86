// A table in blocks that no machine holds together: what each block contributes to the graph
// of landmarks, and how a block is laid out from the map of those.
// Blocks are cut by size and seed, never by who works on them: the same bits on any cluster
// (docs/scaling.md).
#pragma once

#include <vector>

#include "geotherm/landmarks.hpp"
#include "geotherm/points.hpp"

namespace geotherm {

/// Centres of cells by Lloyd's rounds on a sample; seed from the context.
Matrix<float> cell_centers(MatrixView<const float> sample, std::size_t count, const Context& = {});
/// The `count` nearest centres of each row, exactly: rows x count positions, nearest first, ties by
/// position; and the distance to the first.
struct NearCenters {
  Matrix<Index> cells;
  std::vector<double> distance;
};
NearCenters near_centers(MatrixView<const float> rows, MatrixView<const float> centers,
                         std::size_t count, const Context& = {});

/// What a block knows of the graph: its own points and those around them.
struct BlockCells {
  Graph graph;                        ///< of the distinct points
  std::vector<Index> unique_inverse;  ///< from rows to those
  Cells cells;                        ///< without `touching`
  /// Shortest crossings (row < col: positions in the landmarks given) over edges that begin at a
  /// point of the block itself.
  std::vector<Triplet> crossings;
  CellEdges edges;          ///< of own points, by cell
  std::size_t n_edges = 0;  ///< stored entries of own points
  double edge_length = 0;   ///< median over those
};
/// `is_own`: one per row, 0 for points that other blocks own. `landmarks`: rows, at least one. A
/// point that no landmark reaches along the graph belongs to the nearest in space.
BlockCells block_cells(MatrixView<const float> points, std::span<const std::uint8_t> is_own,
                       std::span<const Index> landmarks, const NeighborOptions&,
                       const AffinityOptions&, const Context& = {});

/// Landmarks whose distances to every point shape the map.
struct PivotSet {
  std::vector<Index> landmarks;  ///< positions, ascending
  std::vector<double> weight;    ///< fraction of the points that each represents
  Matrix<double> coordinates;    ///< one row per pivot
  double median = 0;             ///< of the distances between landmarks and pivots
};
/// What a block takes from the coarse map: rows of its own landmarks alone.
struct BlockTargets {
  Matrix<double> distances;     ///< between the block's landmarks
  Matrix<double> to_pivots;     ///< from those to the pivots
  Matrix<double> landmark_map;  ///< their coordinates
  PivotSet pivots;              ///< weight, coordinates and median
  double scale = 1;
  double mean_degree = 0;  ///< stored entries per point, over all blocks
};
/// Coordinates of the block's points, in the frame of the coarse map: neither centred nor rotated.
Matrix<double> block_layout(const Graph&, const Cells&, BlockTargets,
                            const LandmarkOptions& = {}, const MdsOptions& = {},
                            const Context& = {});

}  // namespace geotherm
