// Laplacian eigenmaps (docs/methods/spectral.md).
#include "methods/check_map.hpp"
#include "methods/method_rows.hpp"
#include "methods/stages.hpp"

namespace geotherm {

EmbeddingRun laplacian_eigenmaps(const Input& input, const MethodOptions& options,
                                 const Context& context) {
  DistanceRun run = detail::graph_of(input, options, context);
  SpectralEmbedding found;
  {
    const detail::StageClock clock(run.report, "layout");
    found = spectral_embedding(run.graph, {.n_components = options.mds.n_components}, context);
  }
  return detail::checked(
      detail::refined(detail::finish(std::move(run), std::move(found)), input, options, context),
      input);
}

namespace detail {

Method laplacian_eigenmaps_method() {
  return {.name = "laplacian-eigenmaps",
          .display = "Laplacian eigenmaps",
          .title = "Laplacian eigenmaps",
          .summary = "eigenvectors of the Laplacian",
          .estimator = "LaplacianEigenmaps",
          .citations = {belkin},
          .has_parts = graph_parts,
          .embed = laplacian_eigenmaps,
          .spectral = SpectralForm::laplacian_eigenmaps};
}

}  // namespace detail
}  // namespace geotherm
