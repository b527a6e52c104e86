// The last stage: a finished map -> the map refined by the neighbours of its points.
#include <algorithm>

#include "core/take_rows.hpp"
#include "methods/stages.hpp"

namespace geotherm {
namespace detail {
namespace {

/// Empty where the map is to be refined; else why not.
std::string reason_against(const EmbeddingRun& run, const MethodOptions& options) {
  const std::size_t dimensions = run.embedding.coordinates.cols();
  if (!options.refine) return "off by default";
  if (epochs_of(*options.refine) == 0) return "not asked for";
  if (dimensions > 3) {
    return "maps of 1, 2 or 3 dimensions can be refined, this one has " +
           std::to_string(dimensions);
  }
  if (run.embedding.outcome == Outcome::stopped) return "the layout was stopped before its end";
  return {};
}

/// From the run's graph; without one, from neighbours found in the input, whose places become those
/// of the run.
SparseMatrix memberships_of(EmbeddingRun& run, const Input& input, const MethodOptions& options,
                            const Context& context) {
  const std::size_t knn = options.refine->knn;
  if (run.distances.graph.n_points() > 0) {
    return refine_memberships(run.distances.graph, knn, context);
  }
  if (input.affinities() != nullptr) {
    return refine_memberships(graph_from_affinities(*input.affinities(), context), knn, context);
  }
  MethodOptions plain = options;
  plain.pca.reset();
  auto [placed, found] = neighbors_of(
      input, plain,
      [knn](const std::optional<std::size_t>&, std::size_t n) { return std::min(knn, n - 1); },
      context);
  run.distances.unique_inverse = std::move(found.unique_inverse);
  // A row finds its place by neighbours from here on, not by a projection.
  run.distances.reduction = {};
  if (placed.lists.n_points < 2) return {};
  return refine_memberships(placed.lists, knn, context);
}

}  // namespace

EmbeddingRun refined(EmbeddingRun run, const Input& input, const MethodOptions& options,
                     const Context& context) {
  auto& resolved = run.distances.report.resolved;
  const std::string reason = reason_against(run, options);
  if (!reason.empty()) {
    if (run.embedding.coordinates.cols() > 3 && options.refine && epochs_of(*options.refine) > 0) {
      context.warn("the map is not refined: " + reason);
    }
    resolved["refine_epochs"] = 0.0;
    resolved["refine_reason"] = reason;
    return run;
  }
  const StageClock clock(run.distances.report, "refinement");
  const SparseMatrix memberships = memberships_of(run, input, options, context);
  const std::vector<Index> rows = first_rows(run.distances.unique_inverse);
  if (rows.size() < 2) {
    resolved["refine_epochs"] = 0.0;
    resolved["refine_reason"] = std::string("there is one distinct point");
    return run;
  }
  Refined refined = refine_layout(take_rows<double>(run.embedding.coordinates.view(), rows).view(),
                                  memberships, *options.refine, context);
  run.embedding.coordinates = std::move(refined.coordinates);
  spread_to_rows(run.embedding, run.distances.unique_inverse);
  if (refined.outcome == Outcome::stopped) run.embedding.outcome = Outcome::stopped;
  resolved["refine_epochs"] = static_cast<double>(refined.epochs);
  resolved["refine_reason"] =
      std::string(options.refine->epochs ? "as many epochs as asked for" : "epochs of the balance");
  resolved["refine_unit"] = refined.unit;
  resolved["refine_largest_move"] = refined.largest_move;
  return run;
}

}  // namespace detail

EmbeddingRun refine_map(const Input& input, MatrixView<const double> map,
                        const MethodOptions& options, const Context& context) {
  refuse_if_any(issues_with(options));
  if (map.rows != input.n_points()) {
    throw InvalidArgument("the map has " + std::to_string(map.rows) + " rows, the input " +
                          std::to_string(input.n_points()) + ": give both for the same points");
  }
  if (map.cols < 1 || map.cols > 3) {
    throw InvalidArgument("the map has " + std::to_string(map.cols) +
                          " dimensions: a map of 1, 2 or 3 can be refined");
  }
  EmbeddingRun run;
  detail::keep_places(map.rows, run.distances);
  run.embedding.coordinates = detail::take_rows<double>(map, run.distances.unique_inverse);
  MethodOptions chosen = options;
  if (!chosen.refine) chosen.refine = RefineOptions{};
  return detail::refined(std::move(run), input, chosen, context);
}

}  // namespace geotherm
