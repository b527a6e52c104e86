// UMAP (docs/methods/layouts.md).
#include <algorithm>

#include "methods/check_map.hpp"
#include "methods/method_rows.hpp"
#include "methods/stages.hpp"
#include "methods/start.hpp"

namespace geotherm {

EmbeddingRun umap(const Input& input, const MethodOptions& options, const Context& context) {
  static constexpr std::size_t usual_knn = 15;
  const std::size_t n_components = options.mds.n_components;
  auto [placed, run] = detail::neighbors_of(
      input, options,
      [&context](const std::optional<std::size_t>& knn, std::size_t n) {
        if (!knn && n <= usual_knn) {
          context.warn("only " + std::to_string(n) + " points: knn is " + std::to_string(n - 1) +
                       " instead of " + std::to_string(usual_knn));
        }
        return knn.value_or(std::min(usual_knn, n - 1));
      },
      context);
  Layout layout;
  {
    const detail::StageClock clock(run.report, "layout");
    const std::size_t n = placed.lists.n_points;
    Matrix<double> start = detail::asked_start(options, input, run, placed, context);
    std::string kind = "origin";
    const bool is_asked = !start.empty();
    if (!is_asked) start = Matrix<double>(n, n_components);
    if (n > 1 && !is_asked) {
      const Graph graph = build_graph(placed.lists, {.kind = Affinity::fuzzy_union}, context);
      // In pieces: eigenvectors tell the pieces apart and nothing else.
      const bool from_points = graph.n_components > 1 && !placed.points.empty();
      start = from_points
                  ? detail::principal_components<double>(placed.points.view(), n_components, context).scores
                  : detail::graph_eigenmaps(graph, n_components, context);
      kind = from_points ? "pca" : "spectral";
      run.report.resolved["components"] = static_cast<double>(graph.n_components);
    }
    if (!is_asked) run.report.resolved["start"] = kind;
    layout = umap_layout(placed.lists, std::move(start), options.umap, context);
  }
  return detail::checked(
      detail::turned_to_start(detail::finish(std::move(run), std::move(layout.coordinates),
                                             layout.outcome, layout.iterations),
                              options),
      input);
}

namespace detail {

Method umap_method() {
  return {.name = "umap",
          .display = "UMAP",
          .title = "UMAP",
          .summary = "UMAP on the neighbour lists",
          .estimator = "UMAP",
          .citations = {mcinnes},
          .has_parts = neighbor_parts | parts::knn | parts::umap,
          .embed = umap,
          .is_scanpy_name = true};
}

}  // namespace detail
}  // namespace geotherm
