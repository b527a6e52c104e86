// The steps against noise around a graph: which of them a method takes by itself, what they did,
// and distances in the units of the data (docs/methods/shortcuts.md).
#include <algorithm>
#include <cmath>

#include "core/median.hpp"
#include "geotherm/metrics.hpp"
#include "methods/stages.hpp"

namespace geotherm {

MethodOptions with_heat_geo_choices(MethodOptions options, std::size_t n_points) {
  constexpr std::size_t most_searched = 20000;
  if (!options.pca) options.pca = PcaOptions{};
  if (!options.shortcuts && n_points <= most_searched) options.shortcuts = ShortcutOptions{};
  if (!options.rates) options.rates = Rates::lengths;
  return options;
}

MethodOptions as_published(MethodOptions options) {
  options.pca = PcaOptions{.rank = 0};
  options.smooth.reset();
  options.shortcuts = ShortcutOptions{.share = 0};
  options.rates = Rates::hops;
  options.refine = RefineOptions{.epochs = 0};
  if (options.time_choice) options.time_choice->rule = TimeRule::knee;
  return options;
}

namespace detail {
namespace {

/// Points spread evenly over all, at most `most` of them.
std::vector<Index> evenly(std::size_t n, std::size_t most) {
  const std::size_t n_chosen = std::min(n, most);
  std::vector<Index> chosen(n_chosen);
  for (std::size_t k = 0; k < n_chosen; ++k) chosen[k] = static_cast<Index>(k * n / n_chosen);
  return chosen;
}

}  // namespace

bool looks_for_shortcuts(const MethodOptions& options) {
  return options.shortcuts && options.shortcuts->share > 0;
}

void note_shortcuts(DistanceRun& run, const Context& context) {
  const ShortcutReport& report = run.shortcuts;
  auto& resolved = run.report.resolved;
  resolved["edges_examined"] = static_cast<double>(report.n_candidates);
  resolved["edges_removed"] = static_cast<double>(report.removed.size());
  resolved["edges_down_weighted"] = static_cast<double>(report.down_weighted.size());
  resolved["removed_share"] = report.removed_share();
  double largest = 0;
  std::size_t n_points = 0;
  for (const double fraction : report.removed_fraction) {
    largest = std::max(largest, fraction);
    n_points += fraction > 0 ? 1 : 0;
  }
  resolved["points_that_lost_edges"] = static_cast<double>(n_points);
  resolved["largest_removed_fraction"] = largest;
  if (report.removed_share() > 0.02) {
    context.warn("short circuits: " + std::to_string(100 * report.removed_share()) +
                 " % of the edges were removed, more than noise usually asks for; compare with "
                 "shortcuts off");
  }
}

double length_over_heat(const Graph& graph, std::span<const Index> points,
                        const Matrix<double>& rows) {
  // Squares of distances are differences of logarithms: below this they are rounding, as between
  // points that smoothing has brought together.
  const double least = 1e-7 * *std::max_element(rows.data(), rows.data() + rows.size());
  std::vector<double> ratios;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const auto i = static_cast<std::size_t>(points[p]);
    for (std::size_t k = graph.weights.offsets[i]; k < graph.weights.offsets[i + 1]; ++k) {
      const double distance = rows(p, static_cast<std::size_t>(graph.weights.indices[k]));
      if (distance > least) ratios.push_back(graph.lengths[k] / distance);
    }
  }
  const double scale = median(std::move(ratios));
  return scale > 0 && std::isfinite(scale) ? scale : 1;
}

double length_scale(const Graph& graph, const MethodOptions& options, const DistancesFrom& from) {
  if (options.rates != Rates::lengths || !graph.has_lengths()) return 1;
  const std::vector<Index> sources = evenly(graph.n_points(), 256);
  return length_over_heat(graph, sources, from(sources));
}

double length_scale(const Graph& graph, const DiffusionKernel& kernel, const MethodOptions& options,
                    const Context& context) {
  HeatGeodesicOptions plain;
  plain.harnack = options.dissimilarity.harnack;
  plain.kernel_floor = options.dissimilarity.kernel_floor;
  return length_scale(graph, options, [&](std::span<const Index> sources) {
    return heat_geodesic_from(kernel, sources, plain, context);
  });
}

void compare_with_shortcuts(DistanceRun& run, const DiffusionKernel& kernel,
                            const MethodOptions& options, const Context& context) {
  if (!run.graph_before) return;
  constexpr std::size_t most_points = 50000;
  const Graph before = std::move(*run.graph_before);
  run.graph_before.reset();
  if (run.graph.n_points() > most_points) return;
  const StageClock clock(run.report, "shortcuts");
  const std::vector<Index> sample = evenly(run.graph.n_points(), 128);
  const Graph rated = options.rates == Rates::lengths ? with_length_rates(before, context) : before;
  const Laplacian laplacian = build_laplacian(rated, options.laplacian, context);
  HeatKernelOptions heat = options.heat;
  heat.time = run.kernel.time;
  HeatGeodesicOptions plain;
  plain.harnack = options.dissimilarity.harnack;
  const Matrix<double> without = heat_geodesic_between(kernel, sample, plain, context);
  const Matrix<double> with =
      heat_geodesic_between(*heat_kernel(laplacian, heat, context), sample, plain, context);
  double sum = 0;
  for (std::size_t s = 0; s < sample.size(); ++s) sum += pearson(with.row(s), without.row(s));
  run.report.resolved["correlation_with_shortcuts"] = sum / static_cast<double>(sample.size());
}

}  // namespace detail
}  // namespace geotherm
