// Heat Geodesic Embedding, distances from chosen rows (docs/methods/heat_geodesic.md): of an input,
// or of a run that is there.
#include <limits>
#include <memory>

#include "methods/heat_distances.hpp"
#include "methods/stages.hpp"

namespace geotherm {
namespace {

void refuse_rows(std::span<const Index> rows, std::size_t n, const MethodOptions& options) {
  std::vector<std::string> complaints;
  for (const Index row : rows) {
    if (row >= 0 && static_cast<std::size_t>(row) < n) continue;
    complaints.push_back("row " + std::to_string(row) +
                         " does not exist: the input has rows 0 to " + std::to_string(n - 1));
  }
  if (options.dissimilarity.denoise > 0) {
    complaints.push_back(
        "denoise compares all pairs and cannot be used for chosen rows: set it to 0");
  }
  refuse_if_any(complaints);
}

std::vector<Index> points_of(std::span<const Index> rows,
                             const std::vector<Index>& unique_inverse) {
  std::vector<Index> points;
  for (const Index row : rows) points.push_back(unique_inverse[static_cast<std::size_t>(row)]);
  return points;
}

/// Distances to the unique points -> to the rows of the input, none above the limit.
Matrix<double> to_rows(const Matrix<double>& of_points, const std::vector<Index>& unique_inverse,
                       const MethodOptions& options) {
  const double limit =
      options.dissimilarity.max_distance.value_or(std::numeric_limits<double>::infinity());
  const std::size_t n = unique_inverse.size();
  auto rows = Matrix<double>::uninitialized(of_points.rows(), n);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      rows(i, j) = std::min(limit, of_points(i, static_cast<std::size_t>(unique_inverse[j])));
    }
  }
  return rows;
}

}  // namespace

DistanceRun heat_geo_distances_from(const Input& input, std::span<const Index> rows,
                                    const MethodOptions& asked, const Context& given) {
  const DeviceContext on = on_device(asked.device, given);
  const Context& context = on.context;
  const MethodOptions options = with_heat_geo_choices(asked, input.n_points());
  refuse_rows(rows, input.n_points(), options);
  DistanceRun run = detail::graph_of(input, options, context);
  detail::HeatDistances heat(std::move(run.graph), detail::TimeHints::of(run), options, run.report,
                             context);
  {
    const detail::StageClock clock(run.report, "distances");
    run.rows = to_rows(heat.from(points_of(rows, run.unique_inverse), context), run.unique_inverse,
                       options);
  }
  return std::move(heat).added_to(std::move(run));
}

Matrix<double> heat_geo_distances_from(const DistanceRun& run, std::span<const Index> rows,
                                       const MethodOptions& options, const Context& context) {
  refuse_rows(rows, run.unique_inverse.size(), options);
  const std::vector<Index> points = points_of(rows, run.unique_inverse);
  if (run.landmarks.n_points() > 0) {
    return to_rows(run.landmarks.from(points, context), run.unique_inverse, options);
  }
  if (run.heat_scales.empty()) {
    throw InvalidArgument("the run has no heat kernel: make it by heat_geo");
  }
  RunReport unread;
  detail::HeatDistances heat(run.graph, run.heat_scales, options, unread, context);
  return to_rows(heat.from(points, context), run.unique_inverse, options);
}

}  // namespace geotherm
