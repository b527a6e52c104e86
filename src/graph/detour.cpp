#include "graph/detour.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace geotherm::detail {
namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();
// What sums of lengths in another order may differ by.
constexpr double rounding = 1e-12;

}  // namespace

OpenEdges::OpenEdges(const Graph& graph, const std::vector<EdgeState>& state,
                     const std::vector<char>& allowed, const Context& context)
    : offsets_(graph.n_points() + 1, 0) {
  const SparseMatrix& w = graph.weights;
  const auto for_each_open = [&](std::size_t i, const auto& take) {
    if (!allowed.empty() && allowed[i] == 0) return;
    for (std::size_t e = w.offsets[i]; e < w.offsets[i + 1]; ++e) {
      if (!is_open(state[e])) continue;
      if (!allowed.empty() && allowed[static_cast<std::size_t>(w.indices[e])] == 0) continue;
      take(e);
    }
  };
  constexpr std::size_t block = 1024;
  parallel_for(context, w.rows, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for_each_open(i, [&](std::size_t) { ++offsets_[i + 1]; });
    }
  });
  for (std::size_t i = 0; i < w.rows; ++i) offsets_[i + 1] += offsets_[i];
  steps_.resize(offsets_[w.rows]);
  parallel_for(context, w.rows, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Step* const first = steps_.data() + offsets_[i];
      Step* last = first;
      for_each_open(i, [&](std::size_t e) { *last++ = {graph.lengths[e], w.indices[e]}; });
      std::sort(first, last, [](const Step& a, const Step& b) {
        return a.length != b.length ? a.length < b.length : a.to < b.to;
      });
    }
  });
}

DetourSearch::DetourSearch(const OpenEdges& edges) : edges_(edges) {
  side_.best.assign(edges.n_points(), unreached);
}

void DetourSearch::Side::reach(Index point, double distance) {
  double& known = best[static_cast<std::size_t>(point)];
  if (distance >= known) return;
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

Index DetourSearch::settle_next(Side& side, double bound) {
  while (!side.queue.empty()) {
    const auto taken = side.take_nearest();
    if (!taken) continue;
    const auto [distance, point] = *taken;
    for (const OpenEdges::Step& step : edges_.from(point)) {
      if (distance + step.length > bound) break;
      side.reach(step.to, distance + step.length);
    }
    return point;
  }
  return -1;
}

void DetourSearch::go_around(Index centre) {
  if (around_.empty()) around_.assign(edges_.n_points(), unreached);
  for (const Index point : met_) around_[static_cast<std::size_t>(point)] = unreached;
  met_.clear();
  centre_ = centre;
  const auto meet = [&](Index point, double length) {
    double& known = around_[static_cast<std::size_t>(point)];
    if (known == unreached) met_.push_back(point);
    known = std::min(known, length);
  };
  for (const OpenEdges::Step& first : edges_.from(centre)) {
    meet(first.to, first.length);
    for (const OpenEdges::Step& second : edges_.from(first.to)) {
      meet(second.to, first.length + second.length);
    }
  }
}

/// By up to four edges: two from either end.
bool DetourSearch::is_joined_by_few(Index from, Index to, double bound) {
  if (from != centre_) go_around(from);
  const auto length_to = [&](Index point) { return around_[static_cast<std::size_t>(point)]; };
  if (length_to(to) <= bound) return true;
  for (const OpenEdges::Step& last : edges_.from(to)) {
    if (last.length + length_to(last.to) <= bound) return true;
  }
  for (const OpenEdges::Step& last : edges_.from(to)) {
    const double left = bound - last.length;
    for (const OpenEdges::Step& third : edges_.from(last.to)) {
      if (third.length > left) break;
      if (third.length + length_to(third.to) <= left) return true;
    }
  }
  return false;
}

bool DetourSearch::is_joined_by_many(Index from, Index to, double bound) {
  if (other_.best.empty()) other_.best.assign(edges_.n_points(), unreached);
  side_.reach(from, 0);
  other_.reach(to, 0);
  bool is_found = from == to;
  // A path that neither side has met yet is as long as both radii together.
  while (!is_found && !side_.queue.empty() && !other_.queue.empty() &&
         side_.radius() + other_.radius() <= bound) {
    const bool is_first = side_.queue.size() <= other_.queue.size();
    Side& near = is_first ? side_ : other_;
    const Side& far = is_first ? other_ : side_;
    const auto taken = near.take_nearest();
    if (!taken) continue;
    const auto [distance, point] = *taken;
    if (distance + far.to(point) <= bound) {
      is_found = true;
      break;
    }
    // Past this length a step leads to what the other side has settled, which then has reached this
    // point, or to what lies outside of its radius: on too long a path.
    const double left = bound * (1 + rounding) - far.radius();
    for (const OpenEdges::Step& step : edges_.from(point)) {
      const double on = distance + step.length;
      if (on > left) break;
      if (on + far.to(step.to) <= bound) {
        is_found = true;
        break;
      }
      near.reach(step.to, on);
    }
  }
  side_.forget();
  other_.forget();
  return is_found;
}

bool DetourSearch::is_joined(Index from, Index to, double bound) {
  return is_joined_by_few(from, to, bound * (1 - rounding)) || is_joined_by_many(from, to, bound);
}

std::vector<double> DetourSearch::distances(std::span<const Index> sources,
                                            std::span<const Index> targets, double bound,
                                            std::size_t most_settled) {
  std::vector<Index> wanted(targets.begin(), targets.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::size_t n_open = wanted.size();
  for (const Index source : sources) side_.reach(source, 0);
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
  for (const Index source : sources) side_.reach(source, 0);
  std::vector<Reached> found;
  for (Index point = settle_next(side_, bound); point >= 0; point = settle_next(side_, bound)) {
    found.push_back({point, side_.best[static_cast<std::size_t>(point)]});
  }
  side_.forget();
  return found;
}

}  // namespace geotherm::detail
