// From dissimilarities to a map: classical start, chosen method, orientation.
#include <string>

#include "embedding/classical_mds.hpp"
#include "embedding/device_pairs.hpp"
#include "embedding/resume.hpp"
#include "embedding/sgd_mds.hpp"
#include "embedding/smacof.hpp"
#include "geotherm/embedding.hpp"

namespace geotherm {
namespace {

constexpr std::size_t default_smacof_sweeps = 300;

/// A start need not be exact; classical scaling as a result should be.
constexpr double start_tolerance = 1e-3;
constexpr double result_tolerance = 1e-10;

/// Stress below which there is nothing to gain by another start.
constexpr double perfect = 1e-12;
/// A shake is this many stochastic sweeps. If as many plain ones as `n_trial` do not bring the
/// layout back to within `hopeless` of the best, it was for nothing.
constexpr std::size_t n_shaking = 5;
constexpr std::size_t n_trial = 15;
constexpr double hopeless = 1.01;

/// Names of the stages for a Checkpoint.
constexpr const char* layout_stage = "layout";

Embedding by_sgd(const detail::Problem& problem, const Matrix<double>& start,
                 const MdsOptions& options, const Context& context, const std::string& stage) {
  detail::SgdRun run(problem, start, options, context);
  detail::take_up_run(run, stage, context);
  detail::run_on(run, options.max_iterations.value_or(detail::default_sgd_sweeps), stage, context);
  return run.embedding();
}

/// Another local minimum, from the start shaken by stochastic sweeps: theirs are other valleys.
Embedding shaken(const detail::Problem& problem, const Matrix<double>& start,
                 const MdsOptions& options, const Context& context, std::size_t number,
                 double best) {
  Context other = context;
  other.seed = Rng(context.seed, "mds.shake", number).next();
  MdsOptions few = options;
  few.max_iterations = n_shaking;
  const std::string stage = layout_stage + std::string("-shaken-") + std::to_string(number);
  Embedding embedding = by_sgd(problem, start, few, other, stage + "-start");
  if (embedding.outcome == Outcome::stopped) return embedding;
  detail::SmacofRun run(problem, embedding.coordinates, options, context);
  // Past the trial a run that was taken up has passed it: its stress never rises.
  detail::take_up_run(run, stage, context);
  detail::run_on(run, n_trial, stage, context);
  embedding = run.embedding();
  if (embedding.outcome != Outcome::iteration_limit || embedding.stress > hopeless * best) {
    return embedding;
  }
  detail::run_on(run, options.max_iterations.value_or(default_smacof_sweeps), stage, context);
  return run.embedding();
}

Embedding by_smacof(const detail::Problem& problem, const Matrix<double>& start,
                    const MdsOptions& options, const Context& context) {
  const std::size_t n_sweeps = options.max_iterations.value_or(default_smacof_sweeps);
  detail::SmacofRun run(problem, start, options, context);
  detail::take_up_run(run, layout_stage, context);
  detail::run_on(run, n_sweeps, layout_stage, context);
  Embedding best = run.embedding();
  if (n_sweeps < n_trial) return best;
  for (std::size_t s = 0; s < options.n_shakes; ++s) {
    if (best.outcome == Outcome::stopped || best.stress <= perfect) break;
    Embedding other = shaken(problem, start, options, context, s, best.stress);
    const bool is_stopped = other.outcome == Outcome::stopped;
    if (other.stress < best.stress) best = std::move(other);
    if (is_stopped) best.outcome = Outcome::stopped;
  }
  return best;
}

/// The layout of a problem that has been checked.
Embedding solved(const detail::Problem& problem, const MdsOptions& options,
                 const Context& context) {
  const bool is_classical = options.method == MdsMethod::classical;
  if (!options.start.empty() && !is_classical) {
    if (options.start.rows() != problem.n() || options.start.cols() != options.n_components) {
      throw InvalidArgument("start is " + std::to_string(options.start.rows()) + " x " +
                            std::to_string(options.start.cols()) +
                            ": give one row for each of the " + std::to_string(problem.n()) +
                            " points and " + std::to_string(options.n_components) + " columns");
    }
    MdsOptions once = options;
    once.n_shakes = 0;
    return options.method == MdsMethod::sgd
               ? by_sgd(problem, options.start, once, context, layout_stage)
               : by_smacof(problem, options.start, once, context);
  }
  const detail::ClassicalLayout start = detail::classical_layout(
      problem, options.n_components, is_classical ? result_tolerance : start_tolerance, context);
  if (is_classical || start.outcome == Outcome::stopped) {
    // Nothing but the stress is left to do.
    Embedding embedding =
        detail::SmacofRun(problem, start.coordinates, options, context).embedding();
    embedding.coordinates = start.coordinates;
    embedding.outcome = start.outcome;
    embedding.iterations = is_classical ? start.n_products : 0;
    return embedding;
  }
  if (options.method == MdsMethod::sgd) {
    return by_sgd(problem, start.coordinates, options, context, layout_stage);
  }
  return by_smacof(problem, start.coordinates, options, context);
}

#ifdef GEOTHERM_WITH_CUDA
/// Below this a pass over the pairs is shorter than the way to the device and back.
constexpr std::size_t least_for_device = 1000;

bool goes_to_device(std::size_t n, const MdsOptions& options, const Context& context) {
  return n >= least_for_device && detail::device_of(context) != nullptr &&
         options.weights == MdsWeights::none &&
         options.n_components <= detail::most_device_components;
}
#endif

}  // namespace

#ifdef GEOTHERM_WITH_CUDA
Embedding detail::mds_of_resident(const ResidentDistances& distances, const MdsOptions& options,
                                  const Context& context) {
  refuse_if_any(issues_with(options));
  const auto pairs = device_pairs(distances);
  return solved(checked_problem(*pairs), options, context);
}
#endif

Embedding mds(MatrixView<const double> distances, const MdsOptions& options,
              MatrixView<const double> heat, const Context& context) {
  refuse_if_any(issues_with(options));
  const bool is_heat = options.weights == MdsWeights::heat;
  const detail::Problem problem = detail::checked_problem(
      distances, is_heat ? heat : MatrixView<const double>{}, options.weights, context);
  if (options.method == MdsMethod::classical && options.weights != MdsWeights::none) {
    context.warn("classical scaling does not use weights: only the reported stress is weighted");
  }
#ifdef GEOTHERM_WITH_CUDA
  if (goes_to_device(distances.rows, options, context)) {
    const detail::ResidentDistances resident =
        detail::upload(*detail::device_of(context), distances);
    return detail::mds_of_resident(resident, options, context);
  }
#endif
  return solved(problem, options, context);
}

}  // namespace geotherm
