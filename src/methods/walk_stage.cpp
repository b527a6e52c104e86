// What methods share past the graph: powers of its random walk, and the note of their distances.
#include <algorithm>
#include <cmath>

#include "dissimilarity/kernel_distance.hpp"
#include "methods/stages.hpp"

namespace geotherm::detail {
namespace {

/// Past this many steps a walk has long forgotten where it began.
constexpr double most_steps = 1e6;

/// The time alone, and no curve, where it was given.
TimeChoice steps_on(const Graph& graph, const MethodOptions& options, RunReport& report,
                    const Context& context) {
  const StageClock clock(report, "time");
  if (options.time_choice) {
    TimeChoice choice = choose_walk_steps(graph, {}, context);
    report.resolved["time_choice"] = choice.how;
    return choice;
  }
  const double steps = std::clamp(std::round(options.heat.time), 1.0, most_steps);
  if (steps != options.heat.time) {
    context.warn("time is " + text(options.heat.time) + " and a walk takes whole steps: " +
                 std::to_string(static_cast<int>(steps)) + " are taken (give a whole number)");
  }
  TimeChoice given;
  given.time = steps;
  return given;
}

}  // namespace

KernelRun walk_on(Graph graph, double time_factor, const MethodOptions& options, RunReport& report,
                  const Context& context) {
  if (options.rates == Rates::lengths) {
    context.warn("rates is lengths: a random walk takes the affinities as they are (hops)");
  }
  // A walk spreads with the root of its steps, so longer steps square.
  const double factor = time_factor * time_factor;
  TimeChoice choice = steps_on(graph, options, report, context);
  const int steps = std::max(1, static_cast<int>(std::lround(factor * std::trunc(choice.time))));
  if (!options.time_choice) choice = {};
  const StageClock clock(report, "walk");
  auto kernel = walk_power(random_walk(graph), steps, context);
  const KernelReport made = kernel->report();
  auto& resolved = report.resolved;
  resolved["rates"] = std::string(to_string(Rates::hops));
  resolved["time"] = made.time;
  resolved["kernel"] = std::string(to_string(made.method));
  resolved["order"] = static_cast<double>(made.order);
  resolved["kernel_resolution"] = made.resolution;
  resolved["kernel_condition"] = made.time;
  return {std::move(graph), std::move(choice), std::move(kernel)};
}

void note_distances(const Dissimilarity& distances, RunReport& report) {
  report.resolved["unresolved_share"] = distances.unresolved_share;
  report.resolved["unresolved_treatment"] = distances.unresolved_treatment;
  if (distances.flat_share > 0) report.resolved["flat_share"] = distances.flat_share;
}

Matrix<double> heat_weights(const DiffusionKernel& kernel, const MethodOptions& options,
                            const Context& context) {
  if (options.mds.weights != MdsWeights::heat) return {};
  Matrix<double> heat = kernel.dense(context);
  if (kernel.is_symmetric()) return heat;
  for (std::size_t i = 0; i < heat.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) heat(i, j) = heat(j, i) = (heat(i, j) + heat(j, i)) / 2;
  }
  return heat;
}

}  // namespace geotherm::detail
