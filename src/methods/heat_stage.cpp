// Graph -> Laplacian -> time -> heat kernel.
#include <algorithm>

#include "methods/stages.hpp"

namespace geotherm::detail {

KernelRun heat_on(Graph graph, double time_factor, const MethodOptions& options, RunReport& report,
                  const Context& context) {
  Laplacian laplacian;
  auto& resolved = report.resolved;
  const Rates rates = graph.has_lengths() ? options.rates.value_or(Rates::hops) : Rates::hops;
  resolved["rates"] = std::string(to_string(rates));
  {
    const StageClock clock(report, "laplacian");
    if (rates == Rates::lengths) graph = with_length_rates(std::move(graph), context);
    laplacian = build_laplacian(graph, options.laplacian, context);
  }
  HeatKernelOptions heat = options.heat;
  TimeChoice choice;
  if (options.time_choice) {
    const StageClock clock(report, "time");
    choice = choose_time(laplacian, *options.time_choice, context);
    heat.time = choice.time;
    resolved["time_choice"] = choice.how;
  }
  heat.time *= time_factor;
  const StageClock clock(report, "heat_kernel");
  auto kernel = heat_kernel(laplacian, heat, context);
  const KernelReport made = kernel->report();
  resolved["time"] = made.time;
  resolved["laplacian"] = std::string(to_string(options.laplacian));
  resolved["kernel"] = std::string(to_string(made.method));
  resolved["order"] = static_cast<double>(made.order);
  resolved["kernel_resolution"] = made.resolution;
  resolved["kernel_condition"] = std::max(1.0, made.time * laplacian.largest_diagonal);
  return {std::move(graph), std::move(choice), std::move(kernel)};
}

}  // namespace geotherm::detail
