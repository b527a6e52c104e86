// A block of points and those around it -> its part of the graph, of the cells and of their
// borders.
#include <algorithm>
#include <limits>

#include "core/median.hpp"
#include "core/take_rows.hpp"
#include "geotherm/blocks.hpp"
#include "graph/kernel_support.hpp"
#include "landmarks/reach.hpp"
#include "neighbors/cells.hpp"
#include "neighbors/in_order.hpp"
#include "neighbors/point_index.hpp"

namespace geotherm {
namespace {

/// Points that no landmark reached: to the nearest in space. `order`: rows of the points, in turn;
/// empty where these are.
void assign_unreached(MatrixView<const float> points, const std::vector<Index>& order, Cells& cells,
                      const Context& context) {
  std::vector<Index> lost;
  for (std::size_t i = 0; i < cells.cell_of.size(); ++i) {
    if (cells.cell_of[i] < 0) lost.push_back(static_cast<Index>(i));
  }
  if (lost.empty()) return;
  const auto rows_of = [&](std::vector<Index> places) {
    for (Index& place : places) {
      if (!order.empty()) place = order[static_cast<std::size_t>(place)];
    }
    return detail::take_rows<float>(points, places);
  };
  const Matrix<float> at = rows_of(cells.landmarks);
  const detail::PointIndex<float> index(at.view(), Metric::euclidean);
  const Matrix<float> queries = rows_of(lost);
  const NeighborLists nearest = index.nearest(queries.view(), 1, context);
  for (std::size_t k = 0; k < lost.size(); ++k) {
    cells.cell_of[static_cast<std::size_t>(lost[k])] = nearest.indices[k];
    cells.to_landmark[static_cast<std::size_t>(lost[k])] = nearest.distances[k];
  }
}

/// The shortest of each pair of cells, over edges from own points.
std::vector<Triplet> own_crossings(const Graph& graph, const Cells& cells,
                                   const std::vector<bool>& is_own) {
  std::vector<Triplet> all;
  const auto is_before = [](const Triplet& a, const Triplet& b) {
    return std::tie(a.row, a.col, a.value) < std::tie(b.row, b.col, b.value);
  };
  const auto shortest_each = [&] {
    std::sort(all.begin(), all.end(), is_before);
    all.erase(std::unique(all.begin(), all.end(),
                          [](const Triplet& a, const Triplet& b) {
                            return a.row == b.row && a.col == b.col;
                          }),
              all.end());
  };
  constexpr std::size_t least = std::size_t{1} << 20;
  std::size_t limit = least;
  for (std::size_t i = 0; i < graph.n_points(); ++i) {
    if (!is_own[i]) continue;
    for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
      const auto j = static_cast<std::size_t>(graph.weights.indices[e]);
      const Index a = cells.cell_of[i], b = cells.cell_of[j];
      if (a == b) continue;
      // From the smaller cell on, so that both ends of an edge say the same to the bit.
      const std::size_t first = a < b ? i : j, second = a < b ? j : i;
      all.push_back({std::min(a, b), std::max(a, b),
                     cells.to_landmark[first] + graph.lengths[e] + cells.to_landmark[second]});
    }
    if (all.size() > limit) {
      shortest_each();
      limit = std::max(least, 2 * all.size());
    }
  }
  shortest_each();
  return all;
}

}  // namespace

Matrix<float> cell_centers(MatrixView<const float> sample, std::size_t count,
                           const Context& context) {
  if (count < 1 || count > sample.rows) {
    throw InvalidArgument("cells: give 1 to " + std::to_string(sample.rows) + " centres, not " +
                          std::to_string(count));
  }
  auto copy = Matrix<float>::uninitialized(sample.rows, sample.cols);
  for (std::size_t i = 0; i < sample.rows; ++i) {
    std::ranges::copy(sample.row(i), copy.row(i).begin());
  }
  return detail::find_centers(copy, count, context).rows;
}

NearCenters near_centers(MatrixView<const float> rows, MatrixView<const float> centers,
                         std::size_t count, const Context& context) {
  const detail::PointIndex<float> index(centers, Metric::euclidean);
  count = std::min(count, centers.rows);
  const NeighborLists lists = index.nearest(rows, count, context);
  NearCenters near;
  near.cells = Matrix<Index>::uninitialized(rows.rows, count);
  std::copy(lists.indices.begin(), lists.indices.end(), near.cells.data());
  near.distance.resize(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) near.distance[i] = lists.distances[i * count];
  return near;
}

BlockCells block_cells(MatrixView<const float> points, std::span<const std::uint8_t> is_own,
                       std::span<const Index> landmarks, const NeighborOptions& neighbors,
                       const AffinityOptions& affinity, const Context& context) {
  if (is_own.size() != points.rows) {
    throw InvalidArgument("is_own has " + std::to_string(is_own.size()) + " entries for " +
                          std::to_string(points.rows) + " rows");
  }
  if (landmarks.empty()) throw InvalidArgument("landmarks: a block needs at least one");
  BlockCells block;
  UniqueRows unique = find_unique_rows(points);
  Matrix<float> distinct;
  if (!unique.all_distinct()) distinct = detail::take_rows<float>(points, unique.first);
  const MatrixView<const float> unique_points = distinct.empty() ? points : distinct.view();
  block.unique_inverse = std::move(unique.unique_inverse);
  const std::size_t n = unique_points.rows;
  NeighborLists lists;
  std::vector<Index> order;  // of the points, near in space where there are many
  if (n > 1) {
    NeighborOptions wanted = neighbors;
    wanted.reach = std::max(wanted.reach, reach_of(affinity));
    if (wanted.knn) wanted.knn = std::min(*wanted.knn, n - 1);
    lists = detail::lists_within_reach(wanted, n, [&](const NeighborOptions& which) {
      return n < detail::least_to_order
                 ? find_neighbors(unique_points, which, context)
                 : detail::neighbors_in_order(unique_points, which, order, context);
    });
    if (!order.empty()) detail::renumber(block.unique_inverse, order);
  }
  std::vector<bool> own(n, false);
  for (std::size_t i = 0; i < points.rows; ++i) {
    if (is_own[i] != 0) own[static_cast<std::size_t>(block.unique_inverse[i])] = true;
  }
  for (const Index row : landmarks) {
    block.cells.landmarks.push_back(block.unique_inverse[static_cast<std::size_t>(row)]);
  }
  if (n == 1) {
    block.graph.weights.rows = block.graph.weights.cols = 1;
    block.graph.weights.offsets = {0, 0};
    block.graph.component = {0};
    block.graph.n_components = 1;
  } else {
    block.graph = build_graph(lists, affinity, context);
    lists = {};
  }
  detail::NearestSource nearest(block.graph.weights, block.graph.lengths);
  nearest.add(block.cells.landmarks);
  block.cells.cell_of = nearest.source();
  block.cells.to_landmark = nearest.distance();
  assign_unreached(unique_points, order, block.cells, context);
  block.cells.n_points.assign(landmarks.size(), 0);
  block.edges.total_length.assign(landmarks.size(), 0.0);
  block.edges.count.assign(landmarks.size(), 0);
  std::vector<double> lengths;
  for (std::size_t i = 0; i < n; ++i) {
    if (!own[i]) continue;
    const auto c = static_cast<std::size_t>(block.cells.cell_of[i]);
    ++block.cells.n_points[c];
    const std::size_t from = block.graph.weights.offsets[i];
    const std::size_t to = block.graph.weights.offsets[i + 1];
    block.n_edges += to - from;
    block.edges.count[c] += to - from;
    double sum = 0;
    for (std::size_t e = from; e < to; ++e) sum += block.graph.lengths[e];
    block.edges.total_length[c] += sum;
    lengths.insert(lengths.end(), block.graph.lengths.begin() + static_cast<std::ptrdiff_t>(from),
                   block.graph.lengths.begin() + static_cast<std::ptrdiff_t>(to));
  }
  if (!lengths.empty()) block.edge_length = detail::median(std::move(lengths));
  block.crossings = own_crossings(block.graph, block.cells, own);
  return block;
}

}  // namespace geotherm
