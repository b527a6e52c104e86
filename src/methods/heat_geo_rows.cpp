// Heat Geodesic Embedding, distances from chosen rows (docs/methods/heat_geodesic.md).
#include <limits>
#include <memory>

#include "methods/heat_distances.hpp"
#include "methods/stages.hpp"

namespace geotherm {

DistanceRun heat_geo_distances_from(const Input& input, std::span<const Index> rows,
                                    const MethodOptions& asked, const Context& given) {
  std::unique_ptr<Executor> keeper;
  const Context context = on_device(asked.device, given, keeper);
  const MethodOptions options = with_heat_geo_choices(asked, input.n_points());
  const std::size_t n = input.n_points();
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

  DistanceRun run = detail::graph_of(input, options, context);
  detail::HeatDistances heat(run, options, context);
  const detail::StageClock clock(run.report, "distances");
  std::vector<Index> places;
  for (const Index row : rows) places.push_back(run.unique_inverse[static_cast<std::size_t>(row)]);
  const Matrix<double> of_places = heat.from(places, context);
  const double limit =
      options.dissimilarity.max_distance.value_or(std::numeric_limits<double>::infinity());
  run.rows = Matrix<double>::uninitialized(rows.size(), n);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      run.rows(i, j) =
          std::min(limit, of_places(i, static_cast<std::size_t>(run.unique_inverse[j])));
    }
  }
  return run;
}

}  // namespace geotherm
