// The whole way from dissimilarities to a map: classical start, chosen method, orientation.
#include "geotherm/embedding.hpp"

#include "embedding/classical_mds.hpp"
#include "embedding/sgd_mds.hpp"
#include "embedding/smacof.hpp"

namespace geotherm {
namespace {

constexpr std::size_t default_smacof_sweeps = 300;

/// A start need not be exact; classical scaling as a result should be.
constexpr double start_tolerance = 1e-3;
constexpr double result_tolerance = 1e-10;

}  // namespace

Embedding mds(MatrixView<const double> distances, const MdsOptions& options,
              MatrixView<const double> heat, const Context& context) {
  refuse_if_any(issues_with(options));
  const bool is_heat = options.weights == MdsWeights::heat;
  const detail::Problem problem = detail::checked_problem(
      distances, is_heat ? heat : MatrixView<const double>{}, options.weights, context);
  const bool is_classical = options.method == MdsMethod::classical;
  if (is_classical && options.weights != MdsWeights::none) {
    context.warn("classical scaling knows no weights: only the stress reported is weighted");
  }
  const detail::ClassicalLayout start =
      detail::classical_layout(problem, options.n_components,
                               is_classical ? result_tolerance : start_tolerance, context);
  const bool is_stopped = start.outcome == Outcome::stopped;

  if (options.method == MdsMethod::sgd) {
    detail::SgdRun run(problem, start.coordinates, options, context);
    if (!is_stopped) run.run_to(options.max_iterations.value_or(detail::default_sgd_sweeps));
    Embedding embedding = run.embedding();
    if (is_stopped) embedding.outcome = Outcome::stopped;
    return embedding;
  }
  detail::SmacofRun run(problem, start.coordinates, options, context);
  if (!is_classical && !is_stopped) {
    run.run_to(options.max_iterations.value_or(default_smacof_sweeps));
  }
  Embedding embedding = run.embedding();
  if (is_stopped) embedding.outcome = Outcome::stopped;
  if (is_classical) {
    embedding.coordinates = start.coordinates;
    embedding.iterations = start.n_products;
    embedding.outcome = start.outcome;
  }
  return embedding;
}

}  // namespace geotherm
