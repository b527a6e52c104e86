// t-SNE (docs/methods/layouts.md).
#include "methods/check_map.hpp"
#include "methods/method_rows.hpp"
#include "methods/stages.hpp"
#include "methods/start.hpp"

namespace geotherm {

EmbeddingRun tsne(const Input& input, const MethodOptions& options, const Context& context) {
  const std::size_t n_components = options.mds.n_components;
  if (n_components > 3) {
    throw InvalidArgument("n_components is " + std::to_string(n_components) +
                          ": t-SNE makes maps of 1, 2 or 3 dimensions");
  }
  auto [placed, run] = detail::neighbors_of(
      input, options,
      [&](const std::optional<std::size_t>&, std::size_t n) {
        return neighbors_for(options.tsne, n);
      },
      context);
  Layout layout;
  {
    const detail::StageClock clock(run.report, "layout");
    Matrix<double> start = detail::asked_start(options, input, run, placed, context);
    if (start.empty()) {
      run.report.resolved["start"] = std::string(placed.points.empty() ? "spectral" : "pca");
      start =
          placed.lists.n_points == 1 ? Matrix<double>(1, n_components)
          : placed.points.empty()
              ? detail::graph_eigenmaps(
                    build_graph(placed.lists, {.kind = Affinity::fuzzy_union}, context),
                    n_components, context)
              : detail::principal_components<double>(placed.points.view(), n_components, context)
                    .scores;
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

namespace detail {

Method tsne_method() {
  return {.name = "tsne",
          .display = "t-SNE",
          .title = "t-SNE",
          .summary = "t-SNE on the neighbour lists",
          .estimator = "TSNE",
          .citations = {maaten},
          .has_parts = neighbor_parts | parts::tsne,
          .embed = tsne,
          .is_scanpy_name = true};
}

}  // namespace detail
}  // namespace geotherm
