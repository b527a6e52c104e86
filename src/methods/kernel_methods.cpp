// The methods that read distances off a kernel on the graph. They differ by a row: which kernel,
// which distance, what they choose themselves (docs/methods/heat_geodesic.md, phate.md).
#include <algorithm>
#include <limits>
#include <memory>

#include "methods/coarse_map.hpp"
#include "methods/method_rows.hpp"
#include "methods/refine_stage.hpp"

namespace geotherm {
namespace {

struct KernelMethod {
  detail::KernelDistance distance;
  MethodOptions (*choices)(MethodOptions, std::size_t n_points) = nullptr;
  /// Maps go by landmarks above so many points.
  std::size_t max_exact = std::numeric_limits<std::size_t>::max();
  /// Reads options.device.
  bool has_device = false;
  detail::RefineDefault refine = detail::RefineDefault::off;

  MethodOptions chosen(const MethodOptions& options, const Input& input) const {
    return choices == nullptr ? options : choices(options, input.n_points());
  }
};

/// The context with the device that the options name.
DeviceContext device_for(const KernelMethod& method, const MethodOptions& options,
                         const Context& given) {
  return on_device(method.has_device ? options.device : DeviceKind::cpu, given);
}

constexpr KernelMethod heat_geo_kernel = {
    .distance = {.kernel = detail::heat_on, .distance = detail::geodesic_of, .has_units = true},
    .choices = with_heat_geo_choices,
    .has_device = true,
    .refine = detail::RefineDefault::where_few_are_kept};
constexpr KernelMethod phate_kernel = {.distance = {.kernel = detail::walk_on,
                                                    .distance = detail::potential_of,
                                                    .walks_between_cells = true},
                                       .max_exact = kMostPhatePoints};
constexpr KernelMethod heat_phate_kernel = {
    .distance = {.kernel = detail::heat_on, .distance = detail::heat_potential_of}};
constexpr KernelMethod rand_geo_kernel = {
    .distance = {.kernel = detail::walk_on, .distance = detail::geodesic_of}};

EmbeddingRun map_of(const KernelMethod& method, const Input& input, const MethodOptions& options,
                    const Context& context) {
  const MethodOptions chosen = method.chosen(options, input);
  MethodOptions limited = chosen;
  if (limited.landmarks) {
    limited.landmarks->max_exact = std::min(limited.landmarks->max_exact, method.max_exact);
  }
  const DeviceContext on = device_for(method, options, context);
  EmbeddingRun run =
      detail::refined(detail::kernel_map(method.distance, input, limited, on.context), input,
                      chosen, on.context, method.refine);
  if (method.has_device) detail::note_device(on, options, run.distances.report);
  return run;
}

DistanceRun distances_of(const KernelMethod& method, const Input& input,
                         const MethodOptions& options, const Context& context) {
  const DeviceContext on = device_for(method, options, context);
  return detail::kernel_distances(method.distance, input, method.chosen(options, input),
                                  on.context);
}

DistanceRun landmarks_of(const KernelMethod& method, const Input& input,
                         const MethodOptions& options, const Context& context) {
  const DeviceContext on = device_for(method, options, context);
  return detail::kernel_landmarks(method.distance, input, method.chosen(options, input),
                                  on.context);
}

}  // namespace

EmbeddingRun heat_geo(const Input& input, const MethodOptions& options, const Context& context) {
  return map_of(heat_geo_kernel, input, options, context);
}
DistanceRun heat_geo_distances(const Input& input, const MethodOptions& options,
                               const Context& context) {
  return distances_of(heat_geo_kernel, input, options, context);
}
DistanceRun heat_geo_landmarks(const Input& input, const MethodOptions& options,
                               const Context& context) {
  return landmarks_of(heat_geo_kernel, input, options, context);
}

CoarseMap heat_geo_coarse(MatrixView<const float> landmark_points,
                          const std::vector<Triplet>& crossings,
                          std::span<const std::size_t> n_points, const CellEdges& edges,
                          double edge_length, const MethodOptions& options,
                          const Context& context) {
  return detail::coarse_map(heat_geo_kernel.distance, landmark_points, crossings, n_points, edges,
                            edge_length, options, context);
}

EmbeddingRun phate(const Input& input, const MethodOptions& options, const Context& context) {
  return map_of(phate_kernel, input, options, context);
}
DistanceRun phate_distances(const Input& input, const MethodOptions& options,
                            const Context& context) {
  return distances_of(phate_kernel, input, options, context);
}
DistanceRun phate_landmarks(const Input& input, const MethodOptions& options,
                            const Context& context) {
  return landmarks_of(phate_kernel, input, options, context);
}

EmbeddingRun heat_phate(const Input& input, const MethodOptions& options, const Context& context) {
  return map_of(heat_phate_kernel, input, options, context);
}
DistanceRun heat_phate_distances(const Input& input, const MethodOptions& options,
                                 const Context& context) {
  return distances_of(heat_phate_kernel, input, options, context);
}
DistanceRun heat_phate_landmarks(const Input& input, const MethodOptions& options,
                                 const Context& context) {
  return landmarks_of(heat_phate_kernel, input, options, context);
}

EmbeddingRun rand_geo(const Input& input, const MethodOptions& options, const Context& context) {
  return map_of(rand_geo_kernel, input, options, context);
}
DistanceRun rand_geo_distances(const Input& input, const MethodOptions& options,
                               const Context& context) {
  return distances_of(rand_geo_kernel, input, options, context);
}
DistanceRun rand_geo_landmarks(const Input& input, const MethodOptions& options,
                               const Context& context) {
  return landmarks_of(rand_geo_kernel, input, options, context);
}

namespace detail {

Method heat_geo_method() {
  return {.name = "heatgeo",
          .display = "HeatGeo",
          .title = "Heat Geodesic Embedding",
          .summary = "heat-geodesic distances, MDS",
          .estimator = "HeatGeo",
          .citations = {huguet},
          .has_parts = heat_geo_parts | parts::mds_weights | parts::device,
          .embed = heat_geo,
          .distances = heat_geo_distances,
          .distances_from = heat_geo_distances_from,
          .by_landmarks = heat_geo_landmarks,
          .choices = with_heat_geo_choices};
}

Method phate_method() {
  return {.name = "phate",
          .display = "PHATE",
          .title = "PHATE",
          .summary = "potential distances of a random walk, MDS",
          .estimator = "PHATE",
          .citations = {moon},
          .has_parts = walk_parts | scaling_parts | parts::mds_weights,
          .embed = phate,
          .distances = phate_distances,
          .by_landmarks = phate_landmarks,
          .max_exact = kMostPhatePoints};
}

Method heat_phate_method() {
  return {.name = "heat-phate",
          .display = "Heat-PHATE",
          .title = "PHATE with the heat kernel",
          .summary = "potential distances of the heat kernel, MDS",
          .estimator = "HeatPHATE",
          .citations = {moon, huguet},
          .has_parts = heat_parts | scaling_parts | parts::pivots | parts::mds_weights,
          .embed = heat_phate,
          .distances = heat_phate_distances,
          .by_landmarks = heat_phate_landmarks};
}

Method rand_geo_method() {
  return {.name = "rand-geo",
          .display = "Rand-Geo",
          .title = "the heat-geodesic formula on a random walk",
          .summary = "heat-geodesic formula on a random walk, MDS",
          .estimator = "RandGeo",
          .citations = {huguet},
          .has_parts =
              walk_parts | parts::geodesic | scaling_parts | parts::pivots | parts::mds_weights,
          .embed = rand_geo,
          .distances = rand_geo_distances,
          .by_landmarks = rand_geo_landmarks};
}

}  // namespace detail
}  // namespace geotherm
