// The way that all methods of kernel distances go: graph, kernel, distances, map; where there are
// too many points, kernel and distances on landmarks.
#include "dissimilarity/kernel_distance.hpp"
#include "methods/check_map.hpp"
#include "methods/heat_distances.hpp"
#include "methods/run_state.hpp"
#include "methods/scaled.hpp"
#include "methods/stages.hpp"

namespace geotherm::detail {
namespace {

/// What is done to distances once they have their unit.
void finish(Matrix<double>& values, const HeatGeodesicOptions& options, const Context& context) {
  if (options.denoise > 0) denoise_triplets(values, options.denoise, context);
  if (options.max_distance) cut_to(values, *options.max_distance, context);
}

/// run.graph -> distances between its points.
Dissimilarity distances_on_graph(const KernelDistance& method, DistanceRun& run,
                                 const MethodOptions& options, const Context& context) {
  if (!method.has_units) {
    const auto kernel = method.kernel(run, options, context);
    const StageClock clock(run.report, "distances");
    note_distances(run, method.distance(*kernel, options, context), *kernel, options, context);
    return std::move(run.dissimilarity);
  }
  HeatDistances heat(run, options, context);
  const StageClock clock(run.report, "distances");
  // Limit and denoising come after the unit: the limit is in the units of the data.
  Dissimilarity distances = heat.all_pairs(context);
  finish(distances.values, options.dissimilarity, context);
  note_distances(run, std::move(distances), heat.kernel(), options, context);
  return std::move(run.dissimilarity);
}

}  // namespace

CoarseMethod on_landmarks(const KernelDistance& method) {
  return {[method](DistanceRun& coarse, const Cells&, const MethodOptions& options,
                   const Context& context) {
            return distances_on_graph(method, coarse, options, context);
          },
          method.walks_between_cells, method.has_units};
}

Dissimilarity geodesic_of(const DiffusionKernel& kernel, const MethodOptions& options,
                          const Context& context) {
  return heat_geodesic(kernel, options.dissimilarity, context);
}

Dissimilarity potential_of(const DiffusionKernel& kernel, const MethodOptions&,
                           const Context& context) {
  return potential_distance(kernel, {}, context);
}

DistanceRun kernel_distances(const KernelDistance& method, const Input& input,
                             const MethodOptions& options, const Context& context) {
  DistanceRun run = graph_of(input, options, context);
  refuse_all_pairs(run, options);
  run.dissimilarity = distances_on_graph(method, run, options, context);
  spread_to_rows(run.dissimilarity, run.unique_inverse, context);
  return run;
}

DistanceRun kernel_landmarks(const KernelDistance& method, const Input& input,
                             const MethodOptions& options, const Context& context) {
  DistanceRun run = graph_of(input, options, context);
  measure_by_landmarks(run, on_landmarks(method), options, context);
  return run;
}

EmbeddingRun kernel_map(const KernelDistance& method, const Input& input,
                        const MethodOptions& options, const Context& context) {
  DistanceRun run = graph_of(input, options, context);
  if (goes_by_landmarks(run, options)) {
    if (method.has_units) {
      if (auto map = map_by_pivots(run, options, context)) return checked(std::move(*map), input);
    }
    return checked(map_by_landmarks(std::move(run), on_landmarks(method), options, context), input);
  }
  run = made_once<DistanceRun>(context, "distances", [&](const Context& listening) {
    run.dissimilarity = distances_on_graph(method, run, options, listening);
    return std::move(run);
  });
  return checked(lay_out(std::move(run), options, context), input);
}

}  // namespace geotherm::detail
