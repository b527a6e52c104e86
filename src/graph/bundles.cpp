#include "graph/bundles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/at.hpp"

namespace geotherm::detail {
namespace {

/// An edge beside another one, and whether its ends are in the other order.
struct BundleLink {
  std::size_t other = 0;
  bool is_reversed = false;
};

std::vector<std::vector<BundleLink>> links_between(const std::vector<CandidateEdge>& edges,
                                                   const Graph& graph,
                                                   const std::vector<EdgeState>& state) {
  const SparseMatrix& w = graph.weights;
  std::map<Index, std::vector<std::size_t>> edges_at;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    edges_at[edges[e].from].push_back(e);
    edges_at[edges[e].to].push_back(e);
  }
  const auto is_next_to = [&](Index a, Index b) {
    if (a == b) return true;
    const std::size_t entry = w.find(at(a), b);
    return entry < w.n_entries() && is_open(state[entry]);
  };
  std::vector<std::vector<BundleLink>> links(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto link_those_at = [&](Index near_from) {
      const auto there = edges_at.find(near_from);
      if (there == edges_at.end()) return;
      for (const std::size_t f : there->second) {
        const bool is_reversed = edges[f].from != near_from;
        if (f == e || !is_next_to(edges[e].to, is_reversed ? edges[f].from : edges[f].to)) continue;
        links[e].push_back({f, is_reversed});
        links[f].push_back({e, is_reversed});
      }
    };
    link_those_at(edges[e].from);
    for (std::size_t k = w.offsets[at(edges[e].from)]; k < w.offsets[at(edges[e].from) + 1]; ++k) {
      if (is_open(state[k])) link_those_at(w.indices[k]);
    }
  }
  return links;
}

}  // namespace

std::vector<Bundle> bundles_of(const std::vector<CandidateEdge>& edges, const Graph& graph,
                               const std::vector<EdgeState>& state) {
  const auto links = links_between(edges, graph, state);
  std::vector<Bundle> bundles;
  std::vector<char> is_taken(edges.size(), 0);
  for (std::size_t first = 0; first < edges.size(); ++first) {
    if (is_taken[first] != 0) continue;
    is_taken[first] = 1;
    bundles.emplace_back();
    std::vector<BundleLink> open{{first, false}};
    while (!open.empty()) {
      const BundleLink next = open.back();
      open.pop_back();
      CandidateEdge edge = edges[next.other];
      if (next.is_reversed) {
        std::swap(edge.from, edge.to);
        std::swap(edge.entry, edge.mirror);
      }
      bundles.back().push_back(edge);
      for (const BundleLink& link : links[next.other]) {
        if (is_taken[link.other] != 0) continue;
        is_taken[link.other] = 1;
        open.push_back({link.other, link.is_reversed != next.is_reversed});
      }
    }
  }
  return bundles;
}

std::size_t n_disjoint(const Bundle& bundle) {
  std::set<Index> taken;
  for (const CandidateEdge& e : bundle) {
    if (!taken.contains(e.from) && !taken.contains(e.to)) taken.insert({e.from, e.to});
  }
  return taken.size() / 2;
}

double edges_per_point(const Bundle& bundle) {
  std::set<Index> points;
  for (const CandidateEdge& e : bundle) points.insert({e.from, e.to});
  return static_cast<double>(bundle.size()) / static_cast<double>(points.size());
}

double continuation(const Bundle& bundle, DetourSearch& search, std::size_t most_settled) {
  constexpr double unbounded = std::numeric_limits<double>::max();
  std::set<Index> from, to;
  for (const CandidateEdge& e : bundle) {
    from.insert(e.from);
    to.insert(e.to);
  }
  // The ends that are at least half as far from `others` as the farthest, and their least distance.
  const auto far_ends = [&](const std::set<Index>& ends, const std::vector<Index>& others,
                            double& least) {
    const std::vector<Index> all(ends.begin(), ends.end());
    const std::vector<double> way = search.distances(others, all, unbounded, most_settled);
    double longest = 0;
    for (const double w : way) longest = std::isfinite(w) ? std::max(longest, w) : longest;
    least = unbounded;
    std::vector<Index> far;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!std::isfinite(way[k]) || way[k] < longest / 2) continue;
      far.push_back(all[k]);
      least = std::min(least, way[k]);
    }
    return far;
  };
  double way = 0;
  const std::vector<Index> a = far_ends(from, {to.begin(), to.end()}, way);
  const std::vector<Index> b = far_ends(to, a, way);
  if (b.empty() || !(way > 0)) return 0;

  const auto mean_cosine = [&](const std::vector<Index>& ends, const std::vector<Index>& others) {
    const std::vector<DetourSearch::Reached> near = search.within(ends, way / 4);
    std::vector<Index> points;
    for (const auto& reached : near) points.push_back(reached.point);
    // No bound: d(x, B) is at most L + d(x, A) + the extent of A; the search ends at the last x.
    const std::vector<double> across = search.distances(others, points, unbounded);
    double along = 0, total = 0;
    for (std::size_t k = 0; k < near.size(); ++k) {
      if (near[k].distance == 0) continue;  // the ends themselves
      along += way - across[k];
      total += near[k].distance;
    }
    return total > 0 ? along / total : 0;
  };
  return std::min(mean_cosine(a, b), mean_cosine(b, a));
}

}  // namespace geotherm::detail
