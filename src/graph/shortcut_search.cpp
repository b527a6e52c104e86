// Candidates by overlap, rejected by detour (docs/methods/shortcuts.md). The order of the steps is
// what makes the rule safe: populations first, then detours, then outliers, then a second
// hearing, and last a look at what the rejected are together.
#include "graph/shortcut_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace geotherm::detail {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// A bundle of rejected is noise while it is short and thin. A outlier between two sheets has a
// star of edges, one for each point it reaches, however many: all of them share that point. A seam
// between populations is woven, each point with several edges across, or it is simply long, with
// many edges side by side. And an edge that goes on where a curve ends, on both sides, crosses a
// gap in it: the kept neighbours of each end lie behind it (their mean cosine to the edge is -1 on
// a curve; at the border of a sheet it is -0.64 and in its middle 0).
constexpr double edges_per_point_of_a_seam = 1.5;
constexpr std::size_t longest_noise = 15;
constexpr double behind_the_end_of_a_curve = -0.8;

/// How many edges lie side by side, no two at one point (taken in order: at least half of the most
/// there could be).
std::size_t length_of(const std::vector<std::size_t>& bundle, const std::vector<CandidateEdge>& edges) {
  std::set<Index> taken;
  for (const std::size_t s : bundle) {
    const auto [from, to] = std::pair(edges[s].from, edges[s].to);
    if (!taken.contains(from) && !taken.contains(to)) taken.insert({from, to});
  }
  return taken.size() / 2;
}

/// Blocks that grow with the work: a search holds a word for each point, so few, large blocks.
std::size_t block_of(std::size_t n_items) { return std::max<std::size_t>(256, n_items / 128); }

}  // namespace

std::vector<CandidateEdge> find_candidates(const Graph& graph, const Windows& windows, double share,
                                   const Context& context) {
  const SparseMatrix& w = graph.weights;
  std::vector<CandidateEdge> edges;
  edges.reserve(w.n_entries() / 2);
  for (std::size_t i = 0; i < w.rows; ++i) {
    for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
      const Index j = w.indices[k];
      if (at(j) <= i) continue;
      edges.push_back({static_cast<Index>(i), j, k, w.find(at(j), static_cast<Index>(i)), 0});
    }
  }
  if (edges.empty()) return edges;
  parallel_for(context, edges.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      edges[e].overlap = windows.jaccard(at(edges[e].from), at(edges[e].to));
    }
  });
  std::vector<double> overlaps;
  overlaps.reserve(edges.size());
  for (const CandidateEdge& e : edges) overlaps.push_back(e.overlap);
  const auto place =
      overlaps.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(edges.size() - 1));
  std::nth_element(overlaps.begin(), place, overlaps.end());
  std::erase_if(edges, [threshold = *place](const CandidateEdge& e) { return e.overlap > threshold; });
  std::stable_sort(edges.begin(), edges.end(),
                   [](const CandidateEdge& a, const CandidateEdge& b) { return a.overlap > b.overlap; });
  return edges;
}

ShortcutSearch::ShortcutSearch(const Graph& graph, const NeighborLists& wide,
                             const std::vector<CandidateEdge>& candidates, const ShortcutOptions& options,
                             std::vector<char> in_sample, const Context& context)
    : graph_(graph),
      wide_(wide),
      options_(options),
      in_sample_(std::move(in_sample)),
      context_(context),
      state_(graph.weights.n_entries(), EdgeState::kept) {
  for (const CandidateEdge& e : candidates) {
    if (!takes_part(at(e.from)) || !takes_part(at(e.to))) continue;
    candidates_.push_back(e);
    set(e, EdgeState::candidate);
  }
  judge();
}

/// What hangs together along open edges between points that take part.
Groups ShortcutSearch::open_parts() const {
  const SparseMatrix& w = graph_.weights;
  Groups parts(w.rows);
  for (std::size_t i = 0; i < w.rows; ++i) {
    if (!takes_part(i)) continue;
    for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
      const Index j = w.indices[k];
      if (at(j) > i && is_open(state_[k]) && takes_part(at(j))) {
        parts.join(static_cast<Index>(i), j);
      }
    }
  }
  return parts;
}

void ShortcutSearch::judge() {
  const std::size_t n = graph_.n_points();
  // Without the candidates the graph falls into parts. Large ones are populations.
  Groups parts = open_parts();
  std::vector<Index> part(n);
  std::vector<std::size_t> size(n, 0);
  for (std::size_t i = 0; i < n; ++i) ++size[at(part[i] = parts.root(static_cast<Index>(i)))];
  std::vector<char> in_population(n);
  for (std::size_t i = 0; i < n; ++i) {
    in_population[i] = size[at(part[i])] >= options_.least_population ? 1 : 0;
  }

  std::vector<std::size_t> inner, between;
  std::map<Index, std::vector<std::size_t>> links_of_small;
  for (std::size_t s = 0; s < candidates_.size(); ++s) {
    const CandidateEdge& e = candidates_[s];
    if (part[at(e.from)] == part[at(e.to)]) {
      inner.push_back(s);
    } else if (in_population[at(e.from)] != 0 && in_population[at(e.to)] != 0) {
      between.push_back(s);
    } else {
      if (in_population[at(e.from)] == 0) links_of_small[part[at(e.from)]].push_back(s);
      if (in_population[at(e.to)] == 0) links_of_small[part[at(e.to)]].push_back(s);
    }
  }

  // Outliers are judged by the ways along the parts, before any candidate comes back.
  std::vector<const std::vector<std::size_t>*> small_parts;
  small_parts.reserve(links_of_small.size());
  for (const auto& [outlier, links] : links_of_small) small_parts.push_back(&links);
  std::vector<std::vector<std::size_t>> kept(small_parts.size());
  parallel_for(context_, small_parts.size(), block_of(small_parts.size()),
               [&](std::size_t begin, std::size_t end) {
                 DetourSearch search(graph_, state_, in_sample_);
                 for (std::size_t k = begin; k < end; ++k) {
                   kept[k] = strongest_side(*small_parts[k], in_population, search);
                 }
               });

  give_back_short_detours(inner);
  for (const auto& side : kept) {
    for (const std::size_t s : side) set(candidates_[s], EdgeState::needed);
  }
  // What alone joins two populations is no short circuit: the strongest link comes back, and then
  // the seam around it, link by link.
  for (const std::size_t s : between) {
    if (parts.join(candidates_[s].from, candidates_[s].to)) set(candidates_[s], EdgeState::needed);
  }
  while (give_back_short_detours(between) > 0) {
  }

  // A second pass: what came back may have shortened the way round others.
  std::vector<std::size_t> rest;
  for (std::size_t s = 0; s < candidates_.size(); ++s) {
    if (state_[candidates_[s].entry] == EdgeState::candidate) rest.push_back(s);
  }
  give_back_short_detours(rest);
  for (const std::size_t s : rest) {
    if (state_[candidates_[s].entry] == EdgeState::candidate) set(candidates_[s], EdgeState::rejected);
  }
  spare_seams();
  keep_connected();
}

/// Of the angles at `end` between its kept neighbours and `other`, by the law of cosines; 0 where
/// no distance is known.
double ShortcutSearch::mean_cosine(Index end, Index other, double length) const {
  const auto near_other = wide_.neighbors(at(other));
  const auto far_other = wide_.lengths(at(other));
  const SparseMatrix& w = graph_.weights;
  double sum = 0;
  std::size_t n_known = 0;
  for (std::size_t k = w.offsets[at(end)]; k < w.offsets[at(end) + 1]; ++k) {
    if (!is_open(state_[k])) continue;
    const auto found = std::find(near_other.begin(), near_other.end(), w.indices[k]);
    if (found == near_other.end()) continue;
    const double across = far_other[static_cast<std::size_t>(found - near_other.begin())];
    const double step = graph_.lengths[k];
    const double cosine = (step * step + length * length - across * across) / (2 * step * length);
    // No angle where the three are no triangle (lengths that were given, or 0).
    if (!(std::abs(cosine) < 1 + 1e-9)) continue;
    sum += cosine;
    ++n_known;
  }
  return n_known == 0 ? 0 : sum / static_cast<double>(n_known);
}

/// Convicts that lie side by side, from neighbours to neighbours, make up a bundle; those that are
/// seams rather than noise come back whole.
void ShortcutSearch::spare_seams() {
  const SparseMatrix& w = graph_.weights;
  std::vector<std::size_t> rejected;
  std::map<Index, std::vector<std::size_t>> rejected_at;
  for (std::size_t s = 0; s < candidates_.size(); ++s) {
    if (state_[candidates_[s].entry] != EdgeState::rejected) continue;
    rejected_at[candidates_[s].from].push_back(rejected.size());
    rejected_at[candidates_[s].to].push_back(rejected.size());
    rejected.push_back(s);
  }
  const auto is_next_to = [&](Index a, Index b) {
    if (a == b) return true;
    const std::size_t entry = w.find(at(a), b);
    return entry < w.n_entries() && is_open(state_[entry]);
  };
  Groups bundles(rejected.size());
  for (std::size_t c = 0; c < rejected.size(); ++c) {
    const CandidateEdge& e = candidates_[rejected[c]];
    const auto join_those_at = [&](Index near_from) {
      const auto there = rejected_at.find(near_from);
      if (there == rejected_at.end()) return;
      for (const std::size_t other : there->second) {
        const CandidateEdge& f = candidates_[rejected[other]];
        if (is_next_to(e.to, f.from == near_from ? f.to : f.from)) {
          bundles.join(static_cast<Index>(c), static_cast<Index>(other));
        }
      }
    };
    join_those_at(e.from);
    for (std::size_t k = w.offsets[at(e.from)]; k < w.offsets[at(e.from) + 1]; ++k) {
      if (is_open(state_[k])) join_those_at(w.indices[k]);
    }
  }
  std::map<Index, std::pair<std::vector<std::size_t>, std::set<Index>>> members;
  for (std::size_t c = 0; c < rejected.size(); ++c) {
    auto& [edges, points] = members[bundles.root(static_cast<Index>(c))];
    edges.push_back(rejected[c]);
    points.insert({candidates_[rejected[c]].from, candidates_[rejected[c]].to});
  }
  for (const auto& [root, bundle] : members) {
    const auto& [edges, points] = bundle;
    const bool is_woven = static_cast<double>(edges.size()) >=
                          edges_per_point_of_a_seam * static_cast<double>(points.size());
    const bool bridges_a_gap = std::any_of(edges.begin(), edges.end(), [&](std::size_t s) {
      const CandidateEdge& e = candidates_[s];
      const double length = graph_.lengths[e.entry];
      return mean_cosine(e.from, e.to, length) < behind_the_end_of_a_curve &&
             mean_cosine(e.to, e.from, length) < behind_the_end_of_a_curve;
    });
    if (!is_woven && !bridges_a_gap && length_of(edges, candidates_) <= longest_noise) continue;
    for (const std::size_t s : edges) set(candidates_[s], EdgeState::needed);
  }
}

/// The candidates among `which` are judged against the edges kept now; those with a short way round
/// come back. Returns how many did.
std::size_t ShortcutSearch::give_back_short_detours(const std::vector<std::size_t>& which) {
  std::vector<char> comes_back(which.size(), 0);
  parallel_for(context_, which.size(), block_of(which.size()),
               [&](std::size_t begin, std::size_t end) {
                 DetourSearch search(graph_, state_, in_sample_);
                 for (std::size_t k = begin; k < end; ++k) {
                   const CandidateEdge& e = candidates_[which[k]];
                   if (state_[e.entry] != EdgeState::candidate) continue;
                   const double bound = options_.detour * graph_.lengths[e.entry];
                   const double way = search.distances(e.from, {&e.to, 1}, bound)[0];
                   comes_back[k] = std::isinf(way) ? 0 : 1;
                 }
               });
  std::size_t n_back = 0;
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (comes_back[k] == 0) continue;
    set(candidates_[which[k]], EdgeState::kept);
    ++n_back;
  }
  return n_back;
}

/// The links of a few outliers, gathered into sides: two links are on one side if the points
/// where they land are near each other without the small_parts. The heaviest side is returned; all links
/// where none leads to a population.
std::vector<std::size_t> ShortcutSearch::strongest_side(const std::vector<std::size_t>& links,
                                                       const std::vector<char>& in_population,
                                                       DetourSearch& search) const {
  constexpr double no_bound = std::numeric_limits<double>::max();
  std::vector<std::size_t> landing;
  std::vector<Index> outlier, boundary;
  for (const std::size_t s : links) {
    const CandidateEdge& e = candidates_[s];
    const bool from_lands = in_population[at(e.from)] != 0;
    if (!from_lands && in_population[at(e.to)] == 0) continue;
    landing.push_back(s);
    outlier.push_back(from_lands ? e.to : e.from);
    boundary.push_back(from_lands ? e.from : e.to);
  }
  if (landing.empty()) return links;

  const auto length = [&](std::size_t k) { return graph_.lengths[candidates_[landing[k]].entry]; };
  Groups sides(landing.size());
  for (std::size_t a = 0; a + 1 < landing.size(); ++a) {
    const std::vector<double> inside = search.distances(outlier[a], outlier, no_bound);
    double farthest = 0;
    std::vector<double> via(landing.size(), 0);
    for (std::size_t b = a + 1; b < landing.size(); ++b) {
      via[b] = length(a) + length(b) + inside[b];
      farthest = std::max(farthest, via[b]);
    }
    const std::vector<double> around =
        search.distances(boundary[a], boundary, options_.detour * farthest);
    for (std::size_t b = a + 1; b < landing.size(); ++b) {
      if (around[b] <= options_.detour * via[b]) {
        sides.join(static_cast<Index>(a), static_cast<Index>(b));
      }
    }
  }
  std::vector<double> weight(landing.size(), 0);
  for (std::size_t k = 0; k < landing.size(); ++k) {
    weight[at(sides.root(static_cast<Index>(k)))] +=
        graph_.weights.values[candidates_[landing[k]].entry];
  }
  const auto heaviest = std::max_element(weight.begin(), weight.end()) - weight.begin();
  std::vector<std::size_t> side;
  for (std::size_t k = 0; k < landing.size(); ++k) {
    if (sides.root(static_cast<Index>(k)) == static_cast<Index>(heaviest)) {
      side.push_back(landing[k]);
    }
  }
  return side;
}

/// The strongest rejected that join what nothing else joins come back.
void ShortcutSearch::keep_connected() {
  Groups parts = open_parts();
  for (const CandidateEdge& e : candidates_) {
    if (state_[e.entry] == EdgeState::rejected && parts.join(e.from, e.to)) {
      set(e, EdgeState::needed);
    }
  }
}

}  // namespace geotherm::detail
