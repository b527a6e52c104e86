#include "viewer/page_trajectory.hpp"

#include <algorithm>
#include <cmath>

namespace geotherm::detail {
namespace {

template <class T, class ToJson>
std::string list_of(const std::vector<T>& items, ToJson to_json) {
  std::string out = "[";
  for (const T& item : items) {
    if (out.size() > 1) out += ',';
    out += to_json(item);
  }
  return out + "]";
}

}  // namespace

std::string trajectory_json(const PageTrajectory& given, std::span<const std::size_t> sample,
                            PageBlocks& blocks) {
  const std::size_t n = sample.empty() ? given.edge_of.size() : sample.size();
  // Edges count from 1: 0 is a point of none.
  std::vector<std::uint16_t> edge_of(n);
  std::vector<std::uint8_t> fraction(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = sample.empty() ? i : sample[i];
    edge_of[i] = static_cast<std::uint16_t>(given.edge_of[row] + 1);
    fraction[i] = static_cast<std::uint8_t>(std::lround(255 * given.fraction[row]));
  }
  return "{\"pseudotime\":" + json_string(given.pseudotime) +
         ",\"columns\":" + list_of(given.columns, [](auto& name) { return json_string(name); }) +
         ",\"milestones\":" +
         list_of(given.milestones, [](auto& name) { return json_string(name); }) + ",\"edges\":" +
         list_of(given.edges,
                 [](auto& edge) {
                   std::string pair = "[";
                   pair += std::to_string(edge.first);
                   pair += ',';
                   pair += std::to_string(edge.second);
                   pair += ']';
                   return pair;
                 }) +
         ",\"ends\":" + list_of(given.ends, [](Index end) { return std::to_string(end); }) +
         ",\"edgeOf\":" + blocks.add(edge_of) + ",\"fraction\":" + blocks.add(fraction) + "}";
}

void check_trajectory(const PageData& data, std::vector<std::string>& issues) {
  if (!data.trajectory || data.panels.empty()) return;
  const PageTrajectory& given = *data.trajectory;
  const std::size_t n = data.panels.front().coordinates.rows;
  if (given.edge_of.size() != n || given.fraction.size() != n) {
    issues.push_back("the trajectory has places of " + std::to_string(given.edge_of.size()) +
                     " and " + std::to_string(given.fraction.size()) + " points, the map has " +
                     std::to_string(n));
  }
  const auto n_milestones = static_cast<Index>(given.milestones.size());
  const auto is_milestone = [&](Index m) { return m >= 0 && m < n_milestones; };
  const bool has_good_edges =
      given.edges.size() < 65535 &&
      std::all_of(
          given.edges.begin(), given.edges.end(),
          [&](auto& edge) { return is_milestone(edge.first) && is_milestone(edge.second); });
  if (!has_good_edges || !std::all_of(given.ends.begin(), given.ends.end(), is_milestone)) {
    issues.push_back("the trajectory names milestones that it does not have");
  }
  const auto n_edges = static_cast<Index>(given.edges.size());
  const bool has_good_places =
      std::all_of(given.edge_of.begin(), given.edge_of.end(),
                  [&](Index edge) { return edge >= -1 && edge < n_edges; }) &&
      std::all_of(given.fraction.begin(), given.fraction.end(),
                  [](double share) { return share >= 0 && share <= 1; });
  if (!has_good_places) {
    issues.push_back("the trajectory has points outside its edges: give edges of -1 to " +
                     std::to_string(n_edges - 1) + " and fractions in [0, 1]");
  }
  const bool has_order = std::any_of(data.columns.begin(), data.columns.end(), [&](auto& column) {
    return column.name == given.pseudotime && !column.numbers.empty();
  });
  if (!has_order) {
    issues.push_back("the trajectory is ordered by '" + given.pseudotime +
                     "', which is no column of numbers of the page");
  }
}

}  // namespace geotherm::detail
