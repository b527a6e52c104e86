// PHATE with the heat kernel in place of the random walk (docs/methods/phate.md).
#include "recipes/stages.hpp"

namespace geotherm {
namespace {

/// Distances between the distinct points.
DistanceRun distances_of_places(const Input& input, const RecipeOptions& options,
                                const Context& context) {
  DistanceRun run = detail::graph_of(input, options, context);
  const auto kernel = detail::kernel_of(run, options, context);
  const detail::StageClock clock(run.report, "distances");
  detail::note_distances(run, potential_distance(*kernel, {}, context), *kernel, options, context);
  return run;
}

}  // namespace

DistanceRun heat_phate_distances(const Input& input, const RecipeOptions& options,
                                 const Context& context) {
  DistanceRun run = distances_of_places(input, options, context);
  detail::spread_to_rows(run.dissimilarity, run.place_of, context);
  return run;
}

EmbeddingRun heat_phate(const Input& input, const RecipeOptions& options, const Context& context) {
  return detail::lay_out(distances_of_places(input, options, context), options, context);
}

}  // namespace geotherm
