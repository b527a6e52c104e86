// Isomap's distances: shortest paths along the kNN graph (docs/methods/phate.md).
#include "methods/check_map.hpp"
#include "methods/method_rows.hpp"
#include "methods/run_state.hpp"
#include "methods/scaled.hpp"
#include "methods/stages.hpp"
#include "methods/start.hpp"

namespace geotherm {
namespace {

DistanceRun graph_with_lengths(const Input& input, const MethodOptions& options,
                               const Context& context) {
  if (options.mds.weights == MdsWeights::heat) {
    throw InvalidArgument(
        "weights is heat and shortest paths have no heat kernel: choose none, inverse or gaussian");
  }
  MethodOptions with_lengths = options;
  with_lengths.affinity.kind = Affinity::knn;
  return detail::graph_of(input, with_lengths, context);
}

DistanceRun measured(DistanceRun run, const Context& context) {
  {
    const detail::StageClock clock(run.report, "distances");
    run.dissimilarity = shortest_path_distance(run.graph, context);
  }
  detail::note_distances(run.dissimilarity, run.report);
  return run;
}

DistanceRun on_landmarks(DistanceRun coarse, const Cells& cells, const MethodOptions&,
                         const Context& context) {
  {
    const detail::StageClock clock(coarse.report, "distances");
    coarse.dissimilarity = shortest_path_distance(cells.touching, context);
  }
  return coarse;
}

}  // namespace

DistanceRun shortest_path_distances(const Input& input, const MethodOptions& options,
                                    const Context& context) {
  DistanceRun run = graph_with_lengths(input, options, context);
  detail::refuse_all_pairs(run, options);
  run = measured(std::move(run), context);
  detail::spread_to_rows(run.dissimilarity, run.unique_inverse, context);
  return run;
}

EmbeddingRun shortest_path(const Input& input, const MethodOptions& asked, const Context& context) {
  DistanceRun run = graph_with_lengths(input, asked, context);
  const MethodOptions options = detail::with_start(asked, input, run, context);
  detail::note_start(options, run.report);
  const auto finished = [&](EmbeddingRun map) {
    return detail::checked(
        detail::refined(detail::turned_to_start(std::move(map), options), input, options, context),
        input);
  };
  if (detail::goes_by_landmarks(run.graph.n_points(), options, run.report)) {
    return finished(detail::map_by_landmarks(std::move(run), {on_landmarks}, options, context));
  }
  run = detail::made_once<DistanceRun>(context, "distances", [&](const Context& listening) {
    return measured(std::move(run), listening);
  });
  return finished(detail::lay_out(std::move(run), options, context));
}

DistanceRun shortest_path_landmarks(const Input& input, const MethodOptions& options,
                                    const Context& context) {
  return detail::measured_by_landmarks(graph_with_lengths(input, options, context), {on_landmarks},
                                       options, context);
}

namespace detail {

Method shortest_path_method() {
  return {.name = "shortest-path",
          .display = "Shortest paths",
          .title = "metric scaling of shortest paths along the graph (Isomap)",
          .summary = "shortest paths on the graph, MDS (Isomap)",
          .estimator = "ShortestPath",
          .citations = {tenenbaum},
          .has_parts = path_parts | scaling_parts | parts::pivots | parts::mds_weights,
          .embed = shortest_path,
          .distances = shortest_path_distances,
          .by_landmarks = shortest_path_landmarks};
}

}  // namespace detail
}  // namespace geotherm
