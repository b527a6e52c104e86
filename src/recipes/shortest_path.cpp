// Isomap's distances: shortest paths along the kNN graph (docs/methods/phate.md).
#include "recipes/stages.hpp"

namespace geotherm {
namespace {

/// Distances between the distinct points.
DistanceRun distances_of_places(const Input& input, const RecipeOptions& options,
                                const Context& context) {
  if (options.mds.weights == MdsWeights::heat) {
    throw InvalidArgument(
        "weights is heat and shortest paths have no heat kernel: choose none, inverse or gaussian");
  }
  RecipeOptions with_lengths = options;
  with_lengths.affinity.kind = Affinity::knn;
  DistanceRun run = detail::graph_of(input, with_lengths, context);
  const detail::StageClock clock(run.report, "distances");
  run.dissimilarity = shortest_path_distance(run.graph, context);
  run.report.resolved["unresolved_share"] = run.dissimilarity.unresolved_share;
  run.report.resolved["unresolved_treatment"] = run.dissimilarity.unresolved_treatment;
  return run;
}

}  // namespace

DistanceRun shortest_path_distances(const Input& input, const RecipeOptions& options,
                                    const Context& context) {
  DistanceRun run = distances_of_places(input, options, context);
  detail::spread_to_rows(run.dissimilarity, run.place_of, context);
  return run;
}

EmbeddingRun shortest_path(const Input& input, const RecipeOptions& options,
                           const Context& context) {
  return detail::lay_out(distances_of_places(input, options, context), options, context);
}

}  // namespace geotherm
