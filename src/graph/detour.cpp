#include "graph/detour.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace geotherm::detail {
namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

}  // namespace

DetourSearch::DetourSearch(const Graph& graph, const std::vector<EdgeState>& state,
                           const std::vector<char>& allowed)
    : graph_(graph), state_(state), allowed_(allowed), best_(graph.n_points(), unreached) {}

std::vector<double> DetourSearch::distances(Index source, std::span<const Index> targets,
                                            double bound) {
  using Entry = std::pair<double, Index>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto reach = [&](Index point, double distance) {
    double& best = best_[static_cast<std::size_t>(point)];
    if (distance > bound || distance >= best) return;
    if (best == unreached) touched_.push_back(point);
    best = distance;
    queue.emplace(distance, point);
  };
  std::vector<Index> wanted(targets.begin(), targets.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::size_t n_open = wanted.size();

  reach(source, 0);
  while (!queue.empty() && n_open > 0) {
    const auto [distance, point] = queue.top();
    queue.pop();
    const auto i = static_cast<std::size_t>(point);
    if (distance > best_[i]) continue;
    if (std::binary_search(wanted.begin(), wanted.end(), point)) --n_open;
    for (std::size_t e = graph_.weights.offsets[i]; e < graph_.weights.offsets[i + 1]; ++e) {
      const Index next = graph_.weights.indices[e];
      if (!is_open(state_[e])) continue;
      if (!allowed_.empty() && allowed_[static_cast<std::size_t>(next)] == 0) continue;
      reach(next, distance + graph_.lengths[e]);
    }
  }
  std::vector<double> found;
  for (const Index target : targets) found.push_back(best_[static_cast<std::size_t>(target)]);
  for (const Index point : touched_) best_[static_cast<std::size_t>(point)] = unreached;
  touched_.clear();
  return found;
}

}  // namespace geotherm::detail
