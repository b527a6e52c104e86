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

  /// Suspects come back by falling overlap, in rounds. One that joins what nothing else joins comes
  /// back at once; another one if the way without it is no long detour. So a part that lost all its
  /// links gets its strongest first, and the weakest links are judged when the rest is whole again.
  void judge() {
    std::stable_sort(suspects_.begin(), suspects_.end(),
                     [](const HalfEdge& a, const HalfEdge& b) { return a.overlap > b.overlap; });
    Groups parts(graph_.n_points());
    for (const HalfEdge& e : edges_) {
      if (state_[e.entry] == EdgeState::kept) parts.join(e.from, e.to);
    }
    constexpr std::size_t n_rounds = 16;
    const std::size_t round = (suspects_.size() + n_rounds - 1) / n_rounds;
    for (std::size_t begin = 0; begin < suspects_.size(); begin += round) {
      const std::size_t end = std::min(suspects_.size(), begin + round);
      for (std::size_t s = begin; s < end; ++s) {
        const HalfEdge& e = suspects_[s];
        if (parts.join(e.from, e.to)) set(e, EdgeState::kept);
      }
      give_back(begin, end);
    }
    // What came back may shorten the way round others, link by link along a broad seam.
    while (give_back(0, suspects_.size()) > 0) {
    }
    for (const HalfEdge& e : suspects_) {
      if (state_[e.entry] == EdgeState::suspect) set(e, EdgeState::convicted);
    }
  }

  /// Judges the suspects of [begin, end) against the edges kept now; returns how many came back.
  std::size_t give_back(std::size_t begin, std::size_t end) {
    std::vector<char> comes_back(end - begin, 0);
    parallel_for(context_, end - begin, 256, [&](std::size_t first, std::size_t last) {
      DetourSearch search(graph_, state_, in_sample_);
      for (std::size_t s = first; s < last; ++s) {
        const HalfEdge& e = suspects_[begin + s];
        if (state_[e.entry] != EdgeState::suspect) continue;
        const double bound = options_.detour * graph_.lengths[e.entry];
        comes_back[s] = std::isinf(search.distances(e.from, {&e.to, 1}, bound)[0]) ? 0 : 1;
      }
    });
    std::size_t n_back = 0;
    for (std::size_t s = 0; s < comes_back.size(); ++s) {
      if (comes_back[s] == 0) continue;
      set(suspects_[begin + s], EdgeState::kept);
      ++n_back;
    }
    return n_back;
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
