// The map of all points: distances to pivots (landmarks that stand still) and to neighbours.
#include <string>

#include "geotherm/landmarks.hpp"
#include "landmarks/pivot_sweeps.hpp"
#include "landmarks/pull.hpp"

namespace geotherm {

Embedding pivot_layout(const Graph& graph, const Cells& cells, const LandmarkDistances& distances,
                       MatrixView<const double> landmark_map, double scale,
                       const LandmarkOptions& options, const MdsOptions& mds,
                       const Context& context) {
  std::vector<std::string> issues = issues_with(options);
  for (std::string& issue : issues_with(mds)) issues.push_back(std::move(issue));
  refuse_if_any(issues);
  if (landmark_map.rows != distances.n_landmarks() || landmark_map.empty()) {
    throw InvalidArgument("landmark_map has " + std::to_string(landmark_map.rows) + " rows for " +
                          std::to_string(distances.n_landmarks()) + " landmarks");
  }
  // In units of the distances, a power of two: squares in float32 end at 1e19 and at 1e-22.
  const double unit = distances.unit();
  Matrix<double> in_units = Matrix<double>::uninitialized(landmark_map.rows, landmark_map.cols);
  for (std::size_t l = 0; l < landmark_map.rows; ++l) {
    for (std::size_t c = 0; c < landmark_map.cols; ++c) in_units(l, c) = landmark_map(l, c) / unit;
  }
  Embedding embedding = detail::run_sweeps(
      graph, distances,
      detail::choose_pivots(cells.n_points, distances.squared(), in_units,
                            options.n_pivots.value_or(detail::usual_pivots), context),
      {.scale = scale / unit, .local = options.local, .mds = mds},
      distances.interpolate(in_units, context), context);
  embedding.coordinates = oriented(std::move(embedding.coordinates));
  detail::multiply(embedding.coordinates, unit);
  return embedding;
}

}  // namespace geotherm
