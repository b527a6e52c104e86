#include "graph/detour.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace geotherm::detail {
namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

}  // namespace

DetourSearch::DetourSearch(const Graph& graph, const std::vector<EdgeState>& state,
                           const std::vector<char>& allowed)
    : graph_(graph), state_(state), allowed_(allowed) {
  side_.best.assign(graph.n_points(), unreached);
}

void DetourSearch::Side::reach(Index point, double distance, double bound) {
  double& known = best[static_cast<std::size_t>(point)];
  if (distance > bound || distance >= known) return;
  if (known == unreached) touched.push_back(point);
  known = distance;
  queue.emplace_back(distance, point);
  std::push_heap(queue.begin(), queue.end(), std::greater<>());
}

std::optional<DetourSearch::Entry> DetourSearch::Side::take_nearest() {
  std::pop_heap(queue.begin(), queue.end(), std::greater<>());
  const auto [distance, point] = queue.back();
  queue.pop_back();
  if (distance > best[static_cast<std::size_t>(point)]) return std::nullopt;
  return Entry(distance, point);
}

void DetourSearch::Side::forget() {
  for (const Index point : touched) best[static_cast<std::size_t>(point)] = unreached;
  touched.clear();
  queue.clear();
}

bool DetourSearch::may_pass(std::size_t entry) const {
  if (!is_open(state_[entry])) return false;
  return allowed_.empty() || allowed_[static_cast<std::size_t>(graph_.weights.indices[entry])] != 0;
}

Index DetourSearch::settle_next(Side& side, double bound) {
  while (!side.queue.empty()) {
    const auto taken = side.take_nearest();
    if (!taken) continue;
    const auto [distance, point] = *taken;
    const auto i = static_cast<std::size_t>(point);
    for (std::size_t e = graph_.weights.offsets[i]; e < graph_.weights.offsets[i + 1]; ++e) {
      if (may_pass(e)) side.reach(graph_.weights.indices[e], distance + graph_.lengths[e], bound);
    }
    return point;
  }
  return -1;
}

bool DetourSearch::is_joined(Index from, Index to, double bound) {
  for (const Index end : {from, to}) {
    if (!allowed_.empty() && allowed_[static_cast<std::size_t>(end)] == 0) return false;
  }
  if (other_.best.empty()) other_.best.assign(graph_.n_points(), unreached);
  side_.reach(from, 0, bound);
  other_.reach(to, 0, bound);
  bool is_found = from == to;
  // A path that neither side has met yet is as long as both radii together.
  while (!is_found && !side_.queue.empty() && !other_.queue.empty() &&
         side_.nearest().first + other_.nearest().first <= bound) {
    const bool is_first = side_.queue.size() <= other_.queue.size();
    Side& near = is_first ? side_ : other_;
    const Side& far = is_first ? other_ : side_;
    const auto taken = near.take_nearest();
    if (!taken) continue;
    const auto [distance, point] = *taken;
    const auto i = static_cast<std::size_t>(point);
    for (std::size_t e = graph_.weights.offsets[i]; e < graph_.weights.offsets[i + 1]; ++e) {
      const Index next = graph_.weights.indices[e];
      const double on = distance + graph_.lengths[e];
      if (!may_pass(e)) continue;
      if (on + far.best[static_cast<std::size_t>(next)] <= bound) {
        is_found = true;
        break;
      }
      near.reach(next, on, bound);
    }
  }
  side_.forget();
  other_.forget();
  return is_found;
}

std::vector<double> DetourSearch::distances(std::span<const Index> sources,
                                            std::span<const Index> targets, double bound,
                                            std::size_t most_settled) {
  std::vector<Index> wanted(targets.begin(), targets.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::size_t n_open = wanted.size();
  for (const Index source : sources) side_.reach(source, 0, bound);
  double settled = -1;
  for (std::size_t k = 0; k < most_settled && n_open > 0; ++k) {
    const Index point = settle_next(side_, bound);
    if (point < 0) break;
    settled = side_.best[static_cast<std::size_t>(point)];
    if (std::binary_search(wanted.begin(), wanted.end(), point)) --n_open;
  }
  std::vector<double> found;
  for (const Index target : targets) {
    const double best = side_.best[static_cast<std::size_t>(target)];
    found.push_back(best <= settled ? best : unreached);
  }
  side_.forget();
  return found;
}

std::vector<DetourSearch::Reached> DetourSearch::within(std::span<const Index> sources,
                                                        double bound) {
  for (const Index source : sources) side_.reach(source, 0, bound);
  std::vector<Reached> found;
  for (Index point = settle_next(side_, bound); point >= 0; point = settle_next(side_, bound)) {
    found.push_back({point, side_.best[static_cast<std::size_t>(point)]});
  }
  side_.forget();
  return found;
}

}  // namespace geotherm::detail
