// Heat geodesic distances of a graph on a GPU: what HeatDistances::all_pairs does, with the pairs
// in the device's memory.
#include "methods/heat_distances.hpp"

#ifdef GEOTHERM_WITH_CUDA
#include <cstdio>
#include <numeric>

#include "core/percent.hpp"
#include "dissimilarity/device_geodesic.hpp"
#include "dissimilarity/fill_unresolved.hpp"
#include "dissimilarity/flat_heat.hpp"
#include "methods/across_components.hpp"

namespace geotherm::detail {
namespace {

std::string in_gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1024.0 * 1024.0 * 1024.0));
  return text;
}

void refuse_too_large(const Device& device, std::size_t n, std::size_t n_times) {
  const double pairs = 4.0 * static_cast<double>(n) * static_cast<double>(n);
  const double needed = exact_device_memory(n) - (n_times < 2 ? pairs : 0);
  const auto free = static_cast<double>(free_memory(device));
  if (needed <= free) return;
  throw InvalidArgument("`device` is cuda: all pairs of " + std::to_string(n) + " points take " +
                        in_gibibytes(needed) + " of GPU memory, and " + in_gibibytes(free) +
                        " are free; take `landmarks` auto, fewer rows, or `device` cpu");
}

/// The CPU fills unresolved pairs with all of them in its memory, in double and twice.
void refuse_to_fill(std::size_t n, std::size_t n_unresolved) {
  const double needed = 16.0 * static_cast<double>(n) * static_cast<double>(n);
  const auto machine = static_cast<double>(machine_memory());
  if (needed <= 0.8 * machine) return;
  throw InvalidArgument(std::to_string(n_unresolved) +
                        " pairs are out of the reach of heat; shortest paths would fill "
                        "them on the CPU, with " +
                        in_gibibytes(needed) + " of its " + in_gibibytes(machine) +
                        ": take a longer `time`, or `landmarks` auto");
}

}  // namespace

std::optional<HeatDistances::Resident> HeatDistances::resident_pairs(Device& device,
                                                                     const Context& context) {
  const Graph& g = graph();
  const std::size_t n = g.n_points();
  std::vector<const BlockwiseKernel*> kernels;
  for (const Scale& scale : scales_) {
    const auto* kernel = dynamic_cast<const BlockwiseKernel*>(scale.kernel.get());
    if (kernel == nullptr || !kernel->series()) {
      context.info("distances: on the CPU, since this kernel has no series for a GPU");
      return std::nullopt;
    }
    kernels.push_back(kernel);
  }
  refuse_too_large(device, n, kernels.size());
  std::vector<LogHeat> heats;
  HeatGeodesicOptions unfilled = plain_;
  unfilled.kernel_floor = 0;
  for (std::size_t s = 0; s < kernels.size(); ++s) {
    heats.push_back(log_heat(device, *kernels[s], s == 0 ? plain_ : unfilled, context));
    report_.resolved[s == 0 ? "series_terms" : "short_series_terms"] =
        heats.back().column_terms / static_cast<double>(n);
    if (s == 0) {
      report_.resolved["series_squarings"] = static_cast<double>(heats.back().n_squarings);
    }
  }
  const KernelReport& report = kernel().report();
  Resident found;
  auto& [result, notes] = found;
  notes.flat_share = flat_share(heats.front(), report);
  if (g.n_components == 1) FlatHeat(report).warn_of(notes.flat_share, context);

  const std::vector<Index> sources = calibration_points();
  Matrix<double> paths;
  if (has_units()) paths = shortest_paths(g, sources, context);
  std::vector<HeatShare> shares;
  for (std::size_t s = 0; s < scales_.size(); ++s) {
    calibrate(scales_[s], sources, distances_from(heats[s], sources), paths);
    shares.push_back({&heats[s], scales_[s].weight, scales_[s].unit});
  }
  const JoinedDistances joined = join(shares, g.component, result);
  if (!joined.rows.empty()) {
    const double n_pairs = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
    notes.unresolved_share = static_cast<double>(joined.n_unresolved) / n_pairs;
    // As fill_unresolved: the CPU takes exact paths over all pairs where those are few.
    const bool is_small = n_pairs * 2 * static_cast<double>(n) <= FillLimits{}.exact_work;
    if (is_small || fill_by_pivots(result, joined.rows, g.component) > 0) {
      refuse_to_fill(n, joined.n_unresolved);
      context.info("distances: " + std::to_string(joined.n_unresolved) +
                   " pairs are out of the reach of heat; shortest paths fill them on the CPU");
      return std::nullopt;
    }
    notes.unresolved_treatment = "shortest paths over resolved pairs";
    context.info(in_percent(notes.unresolved_share) +
                 " of the pairs are unresolved: " + notes.unresolved_treatment);
  }
  if (g.n_components > 1) {
    // Few bytes beside the rest, and the bridges are on the CPU.
    Matrix<double> values = download(result, context);
    std::vector<Index> everyone(n);
    std::iota(everyone.begin(), everyone.end(), Index{0});
    fill_across(values, everyone, whole_, context);
    replace(result, values);
  }
  return found;
}

}  // namespace geotherm::detail
#endif
