// UMAP (docs/methods/layouts.md).
#include <algorithm>

#include "methods/method_rows.hpp"
#include "methods/stages.hpp"
#include "methods/start.hpp"

namespace geotherm {

EmbeddingRun umap(const Input& input, const MethodOptions& options, const Context& given) {
  const DeviceContext on = on_device(options.device, given);
  const Context& context = on.context;
  static constexpr std::size_t usual_knn = 15;
  const std::size_t n_components = options.mds.n_components;
  detail::NeighborRun found = detail::neighbors_of(
      input, options,
      [&context](const std::optional<std::size_t>& knn, std::size_t n) {
        if (!knn && n <= usual_knn) {
          context.warn("only " + std::to_string(n) + " points: knn is " + std::to_string(n - 1) +
                       " instead of " + std::to_string(usual_knn));
        }
        return knn.value_or(std::min(usual_knn, n - 1));
      },
      context);
  const auto own_start = [&](const detail::PointNeighbors& of, RunReport& report) {
    auto& resolved = report.resolved;
    if (of.lists.n_points == 1) {
      resolved["start"] = std::string("origin");
      return Matrix<double>(1, n_components);
    }
    const Graph graph = detail::start_graph(of, context);
    resolved["components"] = static_cast<double>(graph.n_components);
    // In pieces: eigenvectors tell the pieces apart and nothing else.
    const bool from_points = graph.n_components > 1 && !of.points.empty();
    resolved["start"] = std::string(from_points ? "pca" : "spectral");
    return from_points
               ? detail::principal_components<double>(of.points.view(), n_components, context)
                     .scores
               : detail::graph_eigenmaps(graph, n_components, context);
  };
  const auto layout = [&](const NeighborLists& lists, Matrix<double> start, RunReport&) {
    return umap_layout(lists, std::move(start), options.umap, context);
  };
  EmbeddingRun run =
      detail::lay_out(std::move(found), {own_start, layout}, input, options, context);
  detail::note_device(on, options, run.distances.report);
  return run;
}

namespace detail {

Method umap_method() {
  return {.name = "umap",
          .display = "UMAP",
          .title = "UMAP",
          .summary = "UMAP on the neighbour lists",
          .estimator = "UMAP",
          .citations = {mcinnes},
          .has_parts = neighbor_parts | parts::knn | parts::umap | parts::device,
          .embed = umap,
          .is_scanpy_name = true};
}

}  // namespace detail
}  // namespace geotherm
