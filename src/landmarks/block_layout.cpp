// The coarse map and a block's part of the graph -> coordinates of the block's points.
#include <string>
#include <utility>

#include "geotherm/blocks.hpp"
#include "landmarks/pivot_sweeps.hpp"
#include "landmarks/pull.hpp"

namespace geotherm {

Matrix<double> block_layout(const Graph& graph, const Cells& cells, BlockTargets targets,
                            const LandmarkOptions& options, const MdsOptions& mds,
                            const Context& context) {
  const std::size_t m = cells.landmarks.size(), r = targets.landmark_map.cols();
  const std::size_t n_pivots = targets.pivots.weight.size();
  if (targets.landmark_map.rows() != m || targets.to_pivots.rows() != m ||
      targets.to_pivots.cols() != n_pivots || targets.pivots.coordinates.rows() != n_pivots) {
    throw InvalidArgument("the coarse map is not of the " + std::to_string(m) +
                          " landmarks of this block");
  }
  const LandmarkDistances distances(graph, cells, std::move(targets.distances), context);
  const double unit = distances.unit();
  Matrix<double> in_units = std::move(targets.landmark_map);
  detail::multiply(in_units, 1 / unit);
  detail::Pivots pivots;
  pivots.count = (n_pivots + detail::n_lanes - 1) / detail::n_lanes * detail::n_lanes;
  pivots.squared = Matrix<float>(m, pivots.count);
  pivots.weight = targets.pivots.weight;
  pivots.weight.resize(pivots.count, 0.0);
  pivots.coordinates = Matrix<double>(r, pivots.count);
  pivots.median = targets.pivots.median / unit;
  for (std::size_t p = 0; p < n_pivots; ++p) {
    for (std::size_t c = 0; c < r; ++c)
      pivots.coordinates(c, p) = targets.pivots.coordinates(p, c) / unit;
    for (std::size_t l = 0; l < m; ++l) {
      const double d = targets.to_pivots(l, p) / unit;
      pivots.squared(l, p) = static_cast<float>(d * d);
    }
  }
  Embedding embedding = detail::run_sweeps(graph, distances, std::move(pivots),
                                           {.scale = targets.scale / unit,
                                            .local = options.local,
                                            .mean_degree = targets.mean_degree,
                                            .mds = mds},
                                           distances.interpolate(in_units, context), context);
  if (embedding.outcome == Outcome::stopped) throw Stopped("stopped during the layout of a block");
  detail::multiply(embedding.coordinates, unit);
  return std::move(embedding.coordinates);
}

}  // namespace geotherm
