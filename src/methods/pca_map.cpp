// Principal components as a map.
#include <algorithm>

#include "methods/check_map.hpp"
#include "methods/method_rows.hpp"
#include "methods/stages.hpp"

namespace geotherm {

EmbeddingRun pca_map(const Input& input, const MethodOptions& options, const Context& context) {
  // Options of modules it does not walk through are checked all the same, as every method does: a
  // wrong number should not turn up only when another method is tried.
  refuse_if_any(issues_with(options));
  if (!input.has_points()) {
    throw InvalidArgument("PCA needs points as its input");
  }
  DistanceRun run;
  run.unique_inverse = detail::rows_as_points(input.n_points());
  refuse_if_any(issues_with(options.neighbors, input.n_points()));
  Matrix<double> coordinates;
  {
    const detail::StageClock clock(run.report, "layout");
    const std::size_t n_components = options.mds.n_components;
    Pca found = input.points().empty()
                    ? detail::principal_components(input.points32(), n_components, context)
                    : detail::principal_components(input.points(), n_components, context);
    coordinates = std::move(found.scores);
    run.reduction.components = std::move(found.components);
    run.reduction.mean = std::move(found.mean);
  }
  return detail::checked(
      detail::refined(detail::finish(std::move(run), std::move(coordinates), Outcome::converged, 0),
                      input, options, context),
      input);
}

namespace detail {

Method pca_method() {
  return {.name = "pca",
          .display = "PCA",
          .title = "principal component analysis",
          .summary = "principal components",
          .has_parts = parts::map | parts::refine,
          .needs = Needs::points,
          .embed = pca_map,
          .is_linear = true,
          .is_scanpy_name = true};
}

}  // namespace detail
}  // namespace geotherm
