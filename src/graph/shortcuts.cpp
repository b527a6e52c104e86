// Short circuits: edges between places that are far apart along the data. A suspect is an edge
// whose ends share few neighbours; it is convicted by the detour it saves
// (docs/methods/shortcuts.md).
#include "geotherm/shortcuts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "graph/detour.hpp"
#include "graph/overlap.hpp"

namespace geotherm {
namespace {

using detail::DetourSearch;
using detail::EdgeState;
using detail::Windows;

struct HalfEdge {
  Index from = 0;
  Index to = 0;
  std::size_t entry = 0;   ///< of (from, to) in the weights
  std::size_t mirror = 0;  ///< of (to, from)
  double overlap = 0;
};

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Sets of points that are joined one pair at a time.
class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n), size_(n, 1) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }
  Index root(Index i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }
  bool join(Index a, Index b) {
    a = root(a);
    b = root(b);
    if (a == b) return false;
    if (size_[at(a)] < size_[at(b)]) std::swap(a, b);
    parent_[at(b)] = a;
    size_[at(a)] += size_[at(b)];
    return true;
  }
  std::size_t size_of(Index i) { return size_[at(root(i))]; }

 private:
  std::vector<Index> parent_;
  std::vector<std::size_t> size_;
};

/// One trial over the whole graph, or over the points of a sample.
class Trial {
 public:
  Trial(const Graph& graph, const Windows& windows, const ShortcutOptions& options,
        std::vector<char> in_sample, const Context& context)
      : graph_(graph),
        options_(options),
        in_sample_(std::move(in_sample)),
        context_(context),
        state_(graph.weights.n_entries(), EdgeState::kept) {
    collect(windows);
    suspect();
    judge();
    keep_connected();
  }

  const std::vector<HalfEdge>& edges() const { return edges_; }
  std::vector<HalfEdge>& suspects() { return suspects_; }
  bool is_convicted(const HalfEdge& e) const { return state_[e.entry] == EdgeState::convicted; }

 private:
  void set(const HalfEdge& e, EdgeState s) { state_[e.entry] = state_[e.mirror] = s; }

  void collect(const Windows& windows) {
    const SparseMatrix& w = graph_.weights;
    for (std::size_t i = 0; i < w.rows; ++i) {
      if (!in_sample_.empty() && in_sample_[i] == 0) continue;
      for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
        const Index j = w.indices[k];
        if (at(j) <= i || (!in_sample_.empty() && in_sample_[at(j)] == 0)) continue;
        edges_.push_back({static_cast<Index>(i), j, k, w.find(at(j), static_cast<Index>(i)), 0});
      }
    }
    parallel_for(context_, edges_.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e) {
        HalfEdge& edge = edges_[e];
        edge.overlap = in_sample_.empty() ? windows.jaccard(at(edge.from), at(edge.to))
                                          : windows.jaccard(at(edge.from), at(edge.to), in_sample_);
      }
    });
  }

  void suspect() {
    if (edges_.empty()) return;
    std::vector<double> overlaps;
    for (const HalfEdge& e : edges_) overlaps.push_back(e.overlap);
    const auto place =
        overlaps.begin() +
        static_cast<std::ptrdiff_t>(options_.share * static_cast<double>(edges_.size() - 1));
    std::nth_element(overlaps.begin(), place, overlaps.end());
    const double threshold = *place;
    for (const HalfEdge& e : edges_) {
      if (e.overlap > threshold) continue;
      suspects_.push_back(e);
      set(e, EdgeState::suspect);
    }
  }

  void judge() {
    Groups parts(graph_.n_points());
    for (const HalfEdge& e : edges_) {
      if (state_[e.entry] == EdgeState::kept) parts.join(e.from, e.to);
    }
    // Verdicts are found in parallel against the same rest, then set.
    std::vector<char> convicted(suspects_.size(), 0);
    const auto is_big = [&](Index i) { return parts.size_of(i) >= options_.min_part; };
    std::vector<char> by_detour(suspects_.size(), 0);
    std::vector<std::pair<Index, std::size_t>> by_small_part;
    for (std::size_t s = 0; s < suspects_.size(); ++s) {
      const HalfEdge& e = suspects_[s];
      if (parts.root(e.from) == parts.root(e.to)) {
        by_detour[s] = 1;
      } else {
        if (!is_big(e.from)) by_small_part.emplace_back(parts.root(e.from), s);
        if (!is_big(e.to)) by_small_part.emplace_back(parts.root(e.to), s);
      }
    }
    parallel_for(context_, suspects_.size(), 256, [&](std::size_t begin, std::size_t end) {
      DetourSearch search(graph_, state_, in_sample_);
      for (std::size_t s = begin; s < end; ++s) {
        if (by_detour[s] == 0) continue;
        const HalfEdge& e = suspects_[s];
        const double bound = options_.detour * graph_.lengths[e.entry];
        convicted[s] = std::isinf(search.distances(e.from, {&e.to, 1}, bound)[0]) ? 1 : 0;
      }
    });
    std::sort(by_small_part.begin(), by_small_part.end());
    for (std::size_t begin = 0; begin < by_small_part.size();) {
      std::size_t end = begin;
      while (end < by_small_part.size() && by_small_part[end].first == by_small_part[begin].first)
        ++end;
      keep_strongest_side({by_small_part.data() + begin, end - begin}, parts, convicted);
      begin = end;
    }
    for (std::size_t s = 0; s < suspects_.size(); ++s) {
      set(suspects_[s], convicted[s] != 0 ? EdgeState::convicted : EdgeState::kept);
    }
  }

  /// A few stray points between populations: of their links only those stay that land near each
  /// other in the rest, the group with the largest weight.
  void keep_strongest_side(std::span<const std::pair<Index, std::size_t>> links, Groups& parts,
                           std::vector<char>& convicted) {
    struct Landing {
      std::size_t suspect = 0;
      Index inside = 0;
      Index outside = 0;
    };
    std::vector<Landing> landings;
    for (const auto& [root, s] : links) {
      const HalfEdge& e = suspects_[s];
      const bool from_inside = parts.root(e.from) == root;
      const Landing l{s, from_inside ? e.from : e.to, from_inside ? e.to : e.from};
      if (parts.size_of(l.outside) >= options_.min_part) landings.push_back(l);
    }
    if (landings.size() < 2) return;
    DetourSearch search(graph_, state_, in_sample_);
    Groups sides(landings.size());
    for (std::size_t a = 0; a < landings.size(); ++a) {
      const double length_a = graph_.lengths[suspects_[landings[a].suspect].entry];
      for (std::size_t b = a + 1; b < landings.size(); ++b) {
        const double length_b = graph_.lengths[suspects_[landings[b].suspect].entry];
        // The way through the stray part: out along one link and in along the other.
        const double inner = search.distances(landings[a].inside, {&landings[b].inside, 1},
                                              options_.detour * (length_a + length_b))[0];
        const double through = length_a + length_b + (std::isinf(inner) ? 0 : inner);
        const double around = search.distances(landings[a].outside, {&landings[b].outside, 1},
                                               options_.detour * through)[0];
        // Nothing else joins the two places: the way through is a bridge, not a short cut.
        const bool is_bridge = parts.root(landings[a].outside) != parts.root(landings[b].outside);
        if (is_bridge || !std::isinf(around))
          sides.join(static_cast<Index>(a), static_cast<Index>(b));
      }
    }
    std::vector<double> weight(landings.size(), 0);
    for (std::size_t a = 0; a < landings.size(); ++a) {
      weight[at(sides.root(static_cast<Index>(a)))] +=
          graph_.weights.values[suspects_[landings[a].suspect].entry];
    }
    const auto best = std::max_element(weight.begin(), weight.end()) - weight.begin();
    for (std::size_t a = 0; a < landings.size(); ++a) {
      if (sides.root(static_cast<Index>(a)) != best) convicted[landings[a].suspect] = 1;
    }
  }

  /// Gives convicts back, the largest overlap first, where nothing else joins their ends.
  void keep_connected() {
    Groups groups(graph_.n_points());
    std::vector<const HalfEdge*> convicts;
    for (const HalfEdge& e : edges_) {
      if (is_convicted(e)) {
        convicts.push_back(&e);
      } else {
        groups.join(e.from, e.to);
      }
    }
    std::stable_sort(convicts.begin(), convicts.end(),
                     [](const HalfEdge* a, const HalfEdge* b) { return a->overlap > b->overlap; });
    for (const HalfEdge* e : convicts) {
      if (groups.join(e->from, e->to)) set(*e, EdgeState::kept);
    }
  }

  const Graph& graph_;
  const ShortcutOptions& options_;
  std::vector<char> in_sample_;
  const Context& context_;
  std::vector<EdgeState> state_;
  std::vector<HalfEdge> edges_;
  std::vector<HalfEdge> suspects_;
};

/// Share of the subsamples holding both ends in which the cut recurs, for each convict.
std::vector<double> recurrence(const Graph& graph, const Windows& windows,
                               const ShortcutOptions& options,
                               const std::vector<HalfEdge>& convicts, const Context& context) {
  std::vector<double> cut(convicts.size(), 0);
  std::vector<double> seen(convicts.size(), 0);
  const std::size_t n = graph.n_points();
  for (std::size_t b = 0; b < options.n_subsamples; ++b) {
    context.report_or_throw({"short circuits", b, options.n_subsamples});
    std::vector<char> in_sample(n, 0);
    Rng rng(context.seed, "shortcuts.subsample", b);
    for (char& inside : in_sample) inside = rng.uniform() < 0.8 ? 1 : 0;
    const Trial trial(graph, windows, options, in_sample, context);
    for (std::size_t c = 0; c < convicts.size(); ++c) {
      const HalfEdge& e = convicts[c];
      if (in_sample[at(e.from)] == 0 || in_sample[at(e.to)] == 0) continue;
      seen[c] += 1;
      cut[c] += trial.is_convicted(e) ? 1 : 0;
    }
  }
  for (std::size_t c = 0; c < convicts.size(); ++c) cut[c] = seen[c] == 0 ? 1 : cut[c] / seen[c];
  return cut;
}

}  // namespace

std::vector<std::string> issues_with(const ShortcutOptions& o) {
  std::vector<std::string> found;
  const auto complain = [&](const std::string& field, double value, const std::string& remedy) {
    found.push_back("shortcuts." + field + " is " + std::to_string(value) + ": give " + remedy);
  };
  if (!(o.share > 0 && o.share <= 0.5)) complain("share", o.share, "a share in (0, 0.5]");
  if (o.window < 2) complain("window", static_cast<double>(o.window), "2 or more");
  if (!(o.spread > 1)) complain("spread", o.spread, "a number above 1");
  if (!(o.detour > 1)) complain("detour", o.detour, "a number above 1");
  if (!(o.max_loss > 0 && o.max_loss <= 1)) complain("max_loss", o.max_loss, "a share in (0, 1]");
  return found;
}

Graph remove_shortcuts(Graph graph, const NeighborLists& wide, const ShortcutOptions& options,
                       ShortcutReport& report, const Context& context) {
  refuse_if_any(issues_with(options));
  report = {};
  report.removed_fraction.assign(graph.n_points(), 0);
  if (!graph.has_lengths() || graph.weights.n_entries() == 0) return graph;
  const Windows windows(wide, options.window, options.spread, context);
  Trial whole(graph, windows, options, {}, context);
  report.n_edges = whole.edges().size();
  report.n_suspects = whole.suspects().size();
  std::vector<HalfEdge> convicts;
  for (const HalfEdge& e : whole.suspects()) {
    if (whole.is_convicted(e)) convicts.push_back(e);
  }
  if (convicts.empty()) return graph;

  std::vector<double> certainty(convicts.size(), 1);
  if (options.n_subsamples > 0) {
    certainty = recurrence(graph, windows, options, convicts, context);
  }

  // The surest cuts first (ties: the smaller overlap), so that a point that may not lose more keeps
  // the edges that are least likely to be short circuits.
  std::vector<std::size_t> order(convicts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (certainty[a] != certainty[b]) return certainty[a] > certainty[b];
    return convicts[a].overlap < convicts[b].overlap;
  });
  std::vector<double> degree(graph.n_points(), 0);
  for (std::size_t i = 0; i < graph.n_points(); ++i) {
    for (const double w : graph.weights.row_values(i)) degree[i] += w;
  }
  std::vector<double> lost(graph.n_points(), 0);
  std::vector<char> gone(graph.weights.n_entries(), 0);
  for (const std::size_t c : order) {
    const HalfEdge& e = convicts[c];
    const double weight = graph.weights.values[e.entry];
    const bool sure = certainty[c] > 0.5;
    const double loss = sure ? weight : weight * certainty[c];
    const bool fits = lost[at(e.from)] + loss <= options.max_loss * degree[at(e.from)] &&
                      lost[at(e.to)] + loss <= options.max_loss * degree[at(e.to)];
    if (!fits) continue;
    lost[at(e.from)] += loss;
    lost[at(e.to)] += loss;
    const Edge edge{e.from, e.to, graph.lengths[e.entry], weight};
    if (sure) {
      gone[e.entry] = gone[e.mirror] = 1;
      report.removed.push_back(edge);
    } else if (loss > 0) {
      graph.weights.values[e.entry] -= loss;
      graph.weights.values[e.mirror] -= loss;
      report.down_weighted.push_back(edge);
    }
  }
  for (std::size_t i = 0; i < graph.n_points(); ++i) {
    report.removed_fraction[i] = degree[i] > 0 ? lost[i] / degree[i] : 0;
  }
  const auto by_ends = [](const Edge& a, const Edge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  };
  std::sort(report.removed.begin(), report.removed.end(), by_ends);
  std::sort(report.down_weighted.begin(), report.down_weighted.end(), by_ends);

  SparseMatrix& w = graph.weights;
  std::size_t place = 0;
  for (std::size_t i = 0; i < w.rows; ++i) {
    const std::size_t begin = w.offsets[i];
    const std::size_t end = w.offsets[i + 1];
    w.offsets[i] = place;
    for (std::size_t k = begin; k < end; ++k) {
      if (gone[k] != 0) continue;
      w.indices[place] = w.indices[k];
      w.values[place] = w.values[k];
      graph.lengths[place] = graph.lengths[k];
      ++place;
    }
  }
  w.offsets[w.rows] = place;
  w.indices.resize(place);
  w.values.resize(place);
  graph.lengths.resize(place);
  return graph;
}

NeighborLists shortened(const NeighborLists& lists, std::size_t knn, double reach) {
  NeighborLists cut;
  cut.n_points = lists.n_points;
  cut.knn = std::min(knn, lists.knn);
  cut.search_used = lists.search_used;
  cut.offsets.assign(1, 0);
  std::size_t n_truncated = 0;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    const auto neighbors = lists.neighbors(i);
    const auto lengths = lists.lengths(i);
    std::size_t size = std::min(cut.knn, lengths.size());
    const double limit = size == 0 ? 0 : reach * lengths[size - 1];
    while (size < lengths.size() && lengths[size] <= limit) ++size;
    // All of a list within reach: what lies beyond its end was not seen.
    if (size == lengths.size() && size + 1 < lists.n_points && reach > 1) ++n_truncated;
    cut.indices.insert(cut.indices.end(), neighbors.begin(),
                       neighbors.begin() + static_cast<std::ptrdiff_t>(size));
    cut.distances.insert(cut.distances.end(), lengths.begin(),
                         lengths.begin() + static_cast<std::ptrdiff_t>(size));
    cut.offsets.push_back(cut.indices.size());
  }
  cut.truncated_share =
      lists.n_points == 0 ? 0
                          : static_cast<double>(n_truncated) / static_cast<double>(lists.n_points);
  return cut;
}

}  // namespace geotherm
