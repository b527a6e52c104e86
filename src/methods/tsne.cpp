// t-SNE (docs/methods/layouts.md).
#include "methods/check_map.hpp"
#include "methods/stages.hpp"
#include "methods/start.hpp"

namespace geotherm {

EmbeddingRun tsne(const Input& input, const MethodOptions& options, const Context& context) {
  const std::size_t n_components = options.mds.n_components;
  if (n_components > 3) {
    throw InvalidArgument("n_components is " + std::to_string(n_components) +
                          ": t-SNE makes maps of 1, 2 or 3 dimensions");
  }
  DistanceRun run;
  const detail::PlacedNeighbors placed = detail::neighbors_of(
      input, options,
      [&](const std::optional<std::size_t>&, std::size_t n) {
        return neighbors_for(options.tsne, n);
      },
      run, context);
  Layout layout;
  {
    const detail::StageClock clock(run.report, "layout");
    Matrix<double> start = detail::asked_start(options, input, run, placed, context);
    if (start.empty()) {
      start =
        placed.lists.n_points == 1 ? Matrix<double>(1, n_components)
        : placed.points.empty()
            ? detail::graph_eigenmaps(
                  build_graph(placed.lists, {.kind = Affinity::fuzzy_union}, context), n_components,
                  context)
            : detail::principal_components(placed.points.view(), n_components, context);
      run.report.resolved["start"] = std::string(placed.points.empty() ? "spectral" : "pca");
    }
    layout = tsne_layout(placed.lists, std::move(start), options.tsne, context);
  }
  run.report.resolved["kl_divergence"] = layout.objective;
  return detail::checked(
      detail::turned_to_start(detail::finish(std::move(run), std::move(layout.coordinates),
                                             layout.outcome, layout.iterations),
                              options),
      input);
}

}  // namespace geotherm
