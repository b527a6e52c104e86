#include "graph/detour.hpp"

#include <algorithm>
#include <limits>

namespace geotherm::detail {
namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

}  // namespace

DetourSearch::DetourSearch(const Graph& graph, const std::vector<EdgeState>& state,
                           const std::vector<char>& allowed)
    : graph_(graph), state_(state), allowed_(allowed), best_(graph.n_points(), unreached) {}

void DetourSearch::reach(Index point, double distance, double bound) {
  double& best = best_[static_cast<std::size_t>(point)];
  if (distance > bound || distance >= best) return;
  if (best == unreached) touched_.push_back(point);
  best = distance;
  queue_.emplace(distance, point);
}

Index DetourSearch::settle_next(double bound) {
  while (!queue_.empty()) {
    const auto [distance, point] = queue_.top();
    queue_.pop();
    const auto i = static_cast<std::size_t>(point);
    if (distance > best_[i]) continue;
    for (std::size_t e = graph_.weights.offsets[i]; e < graph_.weights.offsets[i + 1]; ++e) {
      const Index next = graph_.weights.indices[e];
      if (!is_open(state_[e])) continue;
      if (!allowed_.empty() && allowed_[static_cast<std::size_t>(next)] == 0) continue;
      reach(next, distance + graph_.lengths[e], bound);
    }
    return point;
  }
  return -1;
}

void DetourSearch::forget() {
  for (const Index point : touched_) best_[static_cast<std::size_t>(point)] = unreached;
  touched_.clear();
  queue_ = {};
}

std::vector<double> DetourSearch::distances(std::span<const Index> sources,
                                            std::span<const Index> targets, double bound,
                                            std::size_t most_settled) {
  std::vector<Index> wanted(targets.begin(), targets.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::size_t n_open = wanted.size();
  for (const Index source : sources) reach(source, 0, bound);
  double settled = -1;
  for (std::size_t k = 0; k < most_settled && n_open > 0; ++k) {
    const Index point = settle_next(bound);
    if (point < 0) break;
    settled = best_[static_cast<std::size_t>(point)];
    if (std::binary_search(wanted.begin(), wanted.end(), point)) --n_open;
  }
  std::vector<double> found;
  for (const Index target : targets) {
    const double best = best_[static_cast<std::size_t>(target)];
    found.push_back(best <= settled ? best : unreached);
  }
  forget();
  return found;
}

std::vector<DetourSearch::Reached> DetourSearch::within(std::span<const Index> sources,
                                                        double bound) {
  for (const Index source : sources) reach(source, 0, bound);
  std::vector<Reached> found;
  for (Index point = settle_next(bound); point >= 0; point = settle_next(bound)) {
    found.push_back({point, best_[static_cast<std::size_t>(point)]});
  }
  forget();
  return found;
}

}  // namespace geotherm::detail
