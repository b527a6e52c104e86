// The way that all methods of kernel distances go: graph, kernel, distances, map; where there are
// too many points, kernel and distances on landmarks.
#include "core/take_rows.hpp"
#include "dissimilarity/kernel_distance.hpp"
#include "methods/check_map.hpp"
#include "methods/run_state.hpp"
#include "methods/scaled.hpp"
#include "methods/stages.hpp"

namespace geotherm::detail {
namespace {

void multiply(Matrix<double>& values, double factor, const Context& context) {
  if (factor == 1) return;
  parallel_for(context, values.rows(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (double& value : values.row(i)) value *= factor;
    }
  });
}

/// What is done to distances once they have their unit.
void finish(Matrix<double>& values, const HeatGeodesicOptions& options, const Context& context) {
  if (options.denoise > 0) denoise_triplets(values, options.denoise, context);
  if (options.max_distance) cut_to(values, *options.max_distance, context);
}

/// run.graph -> distances between its points.
Dissimilarity distances_on_graph(const KernelDistance& method, DistanceRun& run,
                                 const MethodOptions& options, const Context& context) {
  const auto kernel = method.kernel(run, options, context);
  compare_with_shortcuts(run, *kernel, options, context);
  const StageClock clock(run.report, "distances");
  if (!method.has_units) {
    note_distances(run, method.distance(*kernel, options, context), *kernel, options, context);
    return std::move(run.dissimilarity);
  }
  // Limit and denoising come after the scale: the limit is in the units of the data, and what an
  // edge measures is asked before anything else is done to it.
  MethodOptions plain = options;
  plain.dissimilarity.denoise = 0;
  plain.dissimilarity.max_distance.reset();
  Dissimilarity distances = method.distance(*kernel, plain, context);
  const double scale = length_scale(run.graph, options, [&](std::span<const Index> points) {
    return take_rows<double>(distances.values, points);
  });
  run.report.resolved["length_scale"] = scale;
  multiply(distances.values, scale, context);
  finish(distances.values, options.dissimilarity, context);
  note_distances(run, std::move(distances), *kernel, options, context);
  return std::move(run.dissimilarity);
}

CoarseMethod on_landmarks(const KernelDistance& method) {
  return {[method](DistanceRun& coarse, const Cells&, const MethodOptions& options,
                   const Context& context) {
            return distances_on_graph(method, coarse, options, context);
          },
          method.walks_between_cells};
}

}  // namespace

MethodOptions in_heat_units(MethodOptions options, double scale) {
  auto& limit = options.dissimilarity.max_distance;
  if (limit) *limit /= scale;
  return options;
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
