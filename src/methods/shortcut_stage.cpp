// The search for shortcut edges: whether it is asked for, and what it did
// (docs/methods/shortcuts.md).
#include <algorithm>

#include "core/percent.hpp"
#include "methods/stages.hpp"

namespace geotherm::detail {

bool looks_for_shortcuts(const MethodOptions& options) {
  return options.shortcuts && options.shortcuts->share > 0;
}

void note_shortcuts(const ShortcutReport& report, RunReport& into, const Context& context) {
  auto& resolved = into.resolved;
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
    context.warn("shortcut edges: " + in_percent(report.removed_share()) +
                 " of the edges were removed, more than noise usually asks for (compare with "
                 "`shortcuts` off)");
  }
}

}  // namespace geotherm::detail
