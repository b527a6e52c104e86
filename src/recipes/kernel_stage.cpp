// The way that all methods of kernel distances go: graph, kernel, distances, map.
#include "recipes/stages.hpp"

namespace geotherm::detail {
namespace {

/// Distances between the distinct points.
DistanceRun distances_of_places(const KernelDistance& method, const Input& input,
                                const RecipeOptions& options, const Context& context) {
  DistanceRun run = graph_of(input, options, context);
  const auto kernel = method.kernel(run, options, context);
  const StageClock clock(run.report, "distances");
  note_distances(run, method.distance(*kernel, options, context), *kernel, options, context);
  return run;
}

}  // namespace

Dissimilarity geodesic_of(const DiffusionKernel& kernel, const RecipeOptions& options,
                          const Context& context) {
  return heat_geodesic(kernel, options.dissimilarity, context);
}

Dissimilarity potential_of(const DiffusionKernel& kernel, const RecipeOptions&,
                           const Context& context) {
  return potential_distance(kernel, {}, context);
}

DistanceRun kernel_distances(const KernelDistance& method, const Input& input,
                             const RecipeOptions& options, const Context& context) {
  DistanceRun run = distances_of_places(method, input, options, context);
  spread_to_rows(run.dissimilarity, run.place_of, context);
  return run;
}

EmbeddingRun kernel_map(const KernelDistance& method, const Input& input,
                        const RecipeOptions& options, const Context& context) {
  return lay_out(distances_of_places(method, input, options, context), options, context);
}

}  // namespace geotherm::detail
