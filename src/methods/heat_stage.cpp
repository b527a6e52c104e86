// Graph -> Laplacian -> time -> heat kernel.
#include <algorithm>

#include "methods/stages.hpp"

namespace geotherm::detail {

std::unique_ptr<DiffusionKernel> kernel_of(DistanceRun& run, const MethodOptions& options,
                                           const Context& context) {
  Laplacian laplacian;
  const Rates rates = run.graph.has_lengths() ? options.rates.value_or(Rates::hops) : Rates::hops;
  run.report.resolved["rates"] = std::string(to_string(rates));
  {
    const StageClock clock(run.report, "laplacian");
    if (rates == Rates::lengths) run.graph = with_length_rates(std::move(run.graph), context);
    laplacian = build_laplacian(run.graph, options.laplacian, context);
  }
  HeatKernelOptions heat = options.heat;
  if (options.time_choice) {
    const StageClock clock(run.report, "time");
    run.time_choice = choose_time(laplacian, *options.time_choice, context);
    heat.time = run.time_choice.time;
    run.report.resolved["time_choice"] = run.time_choice.how;
  }
  heat.time *= run.time_factor;
  const StageClock clock(run.report, "heat_kernel");
  auto kernel = heat_kernel(laplacian, heat, context);
  run.kernel = kernel->report();
  auto& resolved = run.report.resolved;
  resolved["time"] = run.kernel.time;
  resolved["laplacian"] = std::string(to_string(options.laplacian));
  resolved["kernel"] = std::string(to_string(run.kernel.method));
  resolved["order"] = static_cast<double>(run.kernel.order);
  resolved["kernel_resolution"] = run.kernel.resolution;
  resolved["kernel_condition"] = std::max(1.0, run.kernel.time * laplacian.largest_diagonal);
  return kernel;
}

}  // namespace geotherm::detail
