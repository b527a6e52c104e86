// t-SNE (docs/methods/layouts.md).
#include "methods/method_rows.hpp"
#include "methods/stages.hpp"
#include "methods/start.hpp"

namespace geotherm {

EmbeddingRun tsne(const Input& input, const MethodOptions& options, const Context& given) {
  const DeviceContext on = on_device(options.device, given);
  const Context& context = on.context;
  const std::size_t n_components = options.mds.n_components;
  if (n_components > 3) {
    throw InvalidArgument("n_components is " + std::to_string(n_components) +
                          ": t-SNE makes maps of 1, 2 or 3 dimensions");
  }
  detail::NeighborRun found = detail::neighbors_of(
      input, options,
      [&](const std::optional<std::size_t>&, std::size_t n) {
        return neighbors_for(options.tsne, n);
      },
      context);
  const auto own_start = [&](const detail::PointNeighbors& of, RunReport& report) {
    const bool has_points = !of.points.empty();
    report.resolved["start"] = std::string(has_points ? "pca" : "spectral");
    if (of.lists.n_points == 1) return Matrix<double>(1, n_components);
    if (!has_points) {
      return detail::graph_eigenmaps(detail::start_graph(of, context), n_components, context);
    }
    return detail::principal_components<double>(of.points.view(), n_components, context).scores;
  };
  const auto layout = [&](const NeighborLists& lists, Matrix<double> start, RunReport& report) {
    Layout made = tsne_layout(lists, std::move(start), options.tsne, context);
    report.resolved["kl_divergence"] = made.objective;
    return made;
  };
  EmbeddingRun run =
      detail::lay_out(std::move(found), {own_start, layout}, input, options, context);
  detail::note_device(on, options, run.distances.report);
  return run;
}

namespace detail {

Method tsne_method() {
  return {.name = "tsne",
          .display = "t-SNE",
          .title = "t-SNE",
          .summary = "t-SNE on the neighbour lists",
          .estimator = "TSNE",
          .citations = {maaten},
          .has_parts = neighbor_parts | parts::tsne | parts::device,
          .embed = tsne,
          .is_scanpy_name = true};
}

}  // namespace detail
}  // namespace geotherm
