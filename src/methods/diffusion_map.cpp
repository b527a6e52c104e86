// Diffusion maps (docs/methods/spectral.md).
#include <cmath>

#include "geotherm/heat.hpp"
#include "methods/check_map.hpp"
#include "methods/method_rows.hpp"
#include "methods/stages.hpp"

namespace geotherm {
namespace {

int steps_of(const MethodOptions& options, RunReport& report) {
  const double time = options.time_choice ? 1.0 : options.heat.time;
  if (!(time >= 1 && time <= 1e9) || time != std::floor(time)) {
    throw InvalidArgument("time is " + std::to_string(time) +
                          ": a random walk makes whole steps, give 1, 2, 3, ...");
  }
  report.resolved["time"] = time;
  report.resolved["time_choice"] = std::string(options.time_choice ? "one step" : "given");
  return static_cast<int>(time);
}

}  // namespace

EmbeddingRun diffusion_map(const Input& input, const MethodOptions& options,
                           const Context& context) {
  DistanceRun run = detail::graph_of(input, options, context);
  const SpectralOptions spectral = {.n_components = options.mds.n_components,
                                    .form = SpectralForm::diffusion_map,
                                    .steps = steps_of(options, run.report)};
  SpectralEmbedding found;
  {
    const detail::StageClock clock(run.report, "layout");
    found = spectral_embedding(run.graph, spectral, context);
  }
  return detail::checked(
      detail::refined(detail::finish(std::move(run), std::move(found)), input, options, context),
      input);
}

DistanceRun diffusion_map_distances(const Input& input, const MethodOptions& options,
                                    const Context& context) {
  DistanceRun run = detail::graph_of(input, options, context);
  const int steps = steps_of(options, run.report);
  {
    const detail::StageClock clock(run.report, "distances");
    const auto kernel = walk_power(random_walk(run.graph), steps, context);
    run.kernel = kernel->report();
    run.dissimilarity = diffusion_distance(*kernel, stationary_distribution(run.graph), context);
  }
  detail::spread_to_rows(run.dissimilarity, run.unique_inverse, context);
  return run;
}

namespace detail {

Method diffusion_map_method() {
  return {.name = "diffusion-map",
          .display = "Diffusion map",
          .title = "a diffusion map",
          .summary = "diffusion distances, eigenvectors of a walk",
          .estimator = "DiffusionMap",
          .citations = {coifman},
          .has_parts = walk_parts,
          .embed = diffusion_map,
          .distances = diffusion_map_distances,
          .spectral = SpectralForm::diffusion_map};
}

}  // namespace detail
}  // namespace geotherm
