// The steps against noise around a graph: which of them a method takes by itself, and what they
// did (docs/methods/shortcuts.md).
#include <algorithm>

#include "methods/stages.hpp"

namespace geotherm {

MethodOptions with_heat_geo_choices(MethodOptions options, std::size_t n_points) {
  constexpr std::size_t most_searched = 20000;
  if (!options.pca) options.pca = PcaOptions{};
  // Principal components of sets, codes or angles mean nothing.
  if (needs_raw_columns(options.neighbors.metric) && !options.pca->rank) options.pca->rank = 0;
  if (!options.shortcuts && n_points <= most_searched) options.shortcuts = ShortcutOptions{};
  if (!options.rates) options.rates = Rates::hops;
  return options;
}

MethodOptions as_published(MethodOptions options) {
  options.pca = PcaOptions{.rank = 0};
  options.smooth.reset();
  options.shortcuts = ShortcutOptions{.share = 0};
  options.rates = Rates::hops;
  options.has_data_units = false;
  options.refine = RefineOptions{.epochs = 0};
  if (options.time_choice) options.time_choice->rule = TimeRule::knee;
  return options;
}

namespace detail {

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

}  // namespace detail
}  // namespace geotherm
