// What methods share past the graph: powers of its random walk, and the note of their distances.
#include <algorithm>
#include <cmath>

#include "dissimilarity/kernel_distance.hpp"
#include "methods/stages.hpp"

namespace geotherm::detail {
namespace {

/// Past this many steps a walk has long forgotten where it began.
constexpr double most_steps = 1e6;

int steps_of(DistanceRun& run, const MethodOptions& options, const Context& context) {
  const StageClock clock(run.report, "time");
  if (options.time_choice) {
    run.time_choice = choose_walk_steps(run.graph, {}, context);
    run.report.resolved["time_choice"] = run.time_choice.how;
    return static_cast<int>(run.time_choice.time);
  }
  const double steps = std::clamp(std::round(options.heat.time), 1.0, most_steps);
  if (steps != options.heat.time) {
    context.warn("time is " + text(options.heat.time) + " and a walk takes whole steps: " +
                 std::to_string(static_cast<int>(steps)) + " are taken (give a whole number)");
  }
  return static_cast<int>(steps);
}

}  // namespace

std::unique_ptr<DiffusionKernel> walk_of(DistanceRun& run, const MethodOptions& options,
                                         const Context& context) {
  if (options.rates == Rates::lengths) {
    context.warn("rates is lengths: a random walk takes the affinities as they are (hops)");
  }
  // A walk spreads with the root of its steps, so longer steps square.
  const double factor = run.time_factor * run.time_factor;
  const int steps =
      std::max(1, static_cast<int>(std::lround(factor * steps_of(run, options, context))));
  const StageClock clock(run.report, "walk");
  auto kernel = walk_power(random_walk(run.graph), steps, context);
  run.kernel = kernel->report();
  auto& resolved = run.report.resolved;
  resolved["rates"] = std::string(to_string(Rates::hops));
  resolved["time"] = run.kernel.time;
  resolved["kernel"] = std::string(to_string(run.kernel.method));
  resolved["order"] = static_cast<double>(run.kernel.order);
  resolved["kernel_resolution"] = run.kernel.resolution;
  resolved["kernel_condition"] = run.kernel.time;
  return kernel;
}

void note_distances(DistanceRun& run, Dissimilarity distances, const DiffusionKernel& kernel,
                    const MethodOptions& options, const Context& context) {
  run.dissimilarity = std::move(distances);
  run.report.resolved["unresolved_share"] = run.dissimilarity.unresolved_share;
  run.report.resolved["unresolved_treatment"] = run.dissimilarity.unresolved_treatment;
  if (run.dissimilarity.flat_share > 0) {
    run.report.resolved["flat_share"] = run.dissimilarity.flat_share;
  }
  if (options.mds.weights != MdsWeights::heat) return;
  run.heat = kernel.dense(context);
  if (kernel.is_symmetric()) return;
  for (std::size_t i = 0; i < run.heat.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      run.heat(i, j) = run.heat(j, i) = (run.heat(i, j) + run.heat(j, i)) / 2;
    }
  }
}

}  // namespace geotherm::detail
