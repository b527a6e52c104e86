// Candidates by overlap, rejected by detour (docs/methods/shortcuts.md). The order of the steps is
// what makes the rule safe: populations first, then detours, then outliers, then a second pass over
// the rest, and last a look at which rejected edges run side by side.
#include "graph/shortcut_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/at.hpp"

namespace geotherm::detail {
namespace {

// A bundle of rejected edges is noise while it is narrow. An outlier between two sheets has a star
// of edges, one for each point that it reaches, however many: all of them share that point. Where
// two populations touch, each point has several edges across, or many edges run side by side.
constexpr double edges_per_point_of_a_boundary = 1.5;
constexpr std::size_t most_disjoint_in_noise = 15;
// And where a curve goes on after a gap, all points behind both ends lie on the way round. Of 850
// bundles on rings 95 % are above .75 and the others have hardly a detour; of 300 on noisy rolls
// none is above .2 (bench/noise/loops.md).
constexpr double continuation_of_a_curve = 0.5;

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
      if (at(j) > i) edges.push_back({static_cast<Index>(i), j, k, 0, 0});
    }
  }
  if (edges.empty()) return edges;
  parallel_for(context, edges.size(), std::max<std::size_t>(4096, block_of(edges.size())),
               [&](std::size_t begin, std::size_t end) {
                 Windows::Marked window(windows);
                 for (std::size_t e = begin; e < end; ++e) {
                   CandidateEdge& edge = edges[e];
                   edge.mirror = w.find(at(edge.to), edge.from);
                   edge.overlap = window.jaccard(at(edge.from), at(edge.to));
                 }
               });
  std::vector<double> overlaps;
  overlaps.reserve(edges.size());
  for (const CandidateEdge& e : edges) overlaps.push_back(e.overlap);
  const auto place =
      overlaps.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(edges.size() - 1));
  std::nth_element(overlaps.begin(), place, overlaps.end());
  std::erase_if(edges, [limit = *place](const CandidateEdge& e) { return e.overlap > limit; });
  std::stable_sort(edges.begin(), edges.end(), [](const CandidateEdge& a, const CandidateEdge& b) {
    return a.overlap > b.overlap;
  });
  return edges;
}

ShortcutSearch::ShortcutSearch(const Graph& graph, const std::vector<CandidateEdge>& candidates,
                               const ShortcutOptions& options, std::vector<char> in_sample,
                               const Context& context)
    : graph_(graph),
      options_(options),
      in_sample_(std::move(in_sample)),
      context_(context),
      state_(graph.weights.n_entries(), EdgeState::kept) {
  for (const CandidateEdge& e : candidates) {
    if (!takes_part(at(e.from)) || !takes_part(at(e.to))) continue;
    candidates_.push_back(e);
    set(e, EdgeState::candidate);
  }
  decide();
}

/// Components along open edges between points that take part.
Groups ShortcutSearch::open_components() const {
  const SparseMatrix& w = graph_.weights;
  Groups components(w.rows);
  for (std::size_t i = 0; i < w.rows; ++i) {
    if (!takes_part(i)) continue;
    for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
      const Index j = w.indices[k];
      if (at(j) > i && is_open(state_[k]) && takes_part(at(j))) {
        components.join(static_cast<Index>(i), j);
      }
    }
  }
  return components;
}

void ShortcutSearch::decide() {
  const std::size_t n = graph_.n_points();
  // Components without the candidates: large ones are populations, small ones outliers.
  Groups components = open_components();
  std::vector<Index> component(n);
  std::vector<std::size_t> size(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    ++size[at(component[i] = components.root(static_cast<Index>(i)))];
  }
  std::vector<char> in_population(n);
  for (std::size_t i = 0; i < n; ++i) {
    in_population[i] = size[at(component[i])] >= options_.least_population ? 1 : 0;
  }

  std::vector<std::size_t> inner, between;
  std::map<Index, std::vector<std::size_t>> links_of_small;
  for (std::size_t s = 0; s < candidates_.size(); ++s) {
    const CandidateEdge& e = candidates_[s];
    if (component[at(e.from)] == component[at(e.to)]) {
      inner.push_back(s);
    } else if (in_population[at(e.from)] != 0 && in_population[at(e.to)] != 0) {
      between.push_back(s);
    } else {
      if (in_population[at(e.from)] == 0) links_of_small[component[at(e.from)]].push_back(s);
      if (in_population[at(e.to)] == 0) links_of_small[component[at(e.to)]].push_back(s);
    }
  }

  // Links of outliers are compared by the paths inside the populations, before any candidate is
  // restored.
  std::vector<const std::vector<std::size_t>*> small_components;
  small_components.reserve(links_of_small.size());
  for (const auto& [root, links] : links_of_small) small_components.push_back(&links);
  std::vector<std::vector<std::size_t>> kept(small_components.size());
  if (!small_components.empty()) {
    const OpenEdges open(graph_, state_, in_sample_, context_);
    parallel_for(context_, small_components.size(), block_of(small_components.size()),
                 [&](std::size_t begin, std::size_t end) {
                   DetourSearch search(open);
                   for (std::size_t k = begin; k < end; ++k) {
                     kept[k] = strongest_side(*small_components[k], in_population, search);
                   }
                 });
  }

  restore_short_detours(inner);
  for (const auto& side : kept) {
    for (const std::size_t s : side) set(candidates_[s], EdgeState::needed);
  }
  // The only link between two populations is no shortcut: the strongest is restored, and then the
  // boundary around it, link by link.
  for (const std::size_t s : between) {
    if (components.join(candidates_[s].from, candidates_[s].to)) {
      set(candidates_[s], EdgeState::needed);
    }
  }
  while (restore_short_detours(between) > 0) {
  }

  keep_connected();

  // A second pass: what was restored may have shortened the detours of others.
  std::vector<std::size_t> rest;
  for (std::size_t s = 0; s < candidates_.size(); ++s) {
    if (state_[candidates_[s].entry] == EdgeState::candidate) rest.push_back(s);
  }
  restore_short_detours(rest);
  for (const std::size_t s : rest) {
    const CandidateEdge& e = candidates_[s];
    if (state_[e.entry] == EdgeState::candidate) set(e, EdgeState::rejected);
  }
  if (in_sample_.empty()) restore_bundles();  // does not change which edges are cleared
}

/// Bundles that are boundaries between populations or gaps in a curve are restored as a whole.
void ShortcutSearch::restore_bundles() {
  std::vector<CandidateEdge> rejected;
  for (const CandidateEdge& e : candidates_) {
    if (is_rejected(e)) rejected.push_back(e);
  }
  if (rejected.empty()) return;
  const std::vector<Bundle> bundles = bundles_of(rejected, graph_, state_);
  std::vector<char> is_restored(bundles.size(), 0);
  const OpenEdges open(graph_, state_, in_sample_, context_);
  parallel_for(context_, bundles.size(), block_of(bundles.size()),
               [&](std::size_t begin, std::size_t end) {
                 DetourSearch search(open);
                 for (std::size_t b = begin; b < end; ++b) {
                   is_restored[b] = is_boundary_or_gap(bundles[b], search) ? 1 : 0;
                 }
               });
  for (std::size_t b = 0; b < bundles.size(); ++b) {
    if (is_restored[b] == 0) continue;
    for (const CandidateEdge& e : bundles[b]) set(e, EdgeState::needed);
  }
}

bool ShortcutSearch::is_boundary_or_gap(const Bundle& bundle, DetourSearch& search) const {
  if (edges_per_point(bundle) >= edges_per_point_of_a_boundary) return true;
  if (n_disjoint(bundle) > most_disjoint_in_noise) return true;
  // Little is saved where the detour has few lengths after all: 11 at a detour of 5, which is what
  // the two sides of an outlier are apart. Branches that part slowly have bundles of 9 to 11,
  // noisy rolls of 12 and more (1,000 points; 2,000 points: 19).
  const double least_detour = 2 * options_.detour + 1;
  for (const CandidateEdge& e : bundle) {
    const double bound = least_detour * graph_.lengths[e.entry];
    if (search.is_joined(e.from, e.to, bound)) return true;
  }
  return continuation(bundle, search) >= continuation_of_a_curve;
}

/// The candidates among `which` are compared with the edges that are open now; those with a short
/// detour are restored. Returns how many were.
std::size_t ShortcutSearch::restore_short_detours(const std::vector<std::size_t>& which) {
  if (which.empty()) return 0;
  std::vector<char> is_short(which.size(), 0);
  const OpenEdges open(graph_, state_, in_sample_, context_);
  // Those from one point together: a search keeps what is around it.
  std::vector<std::size_t> order(which.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return candidates_[which[a]].entry < candidates_[which[b]].entry;
  });
  parallel_for(context_, which.size(), block_of(which.size()),
               [&](std::size_t begin, std::size_t end) {
                 DetourSearch search(open);
                 for (std::size_t o = begin; o < end; ++o) {
                   const std::size_t k = order[o];
                   const CandidateEdge& e = candidates_[which[k]];
                   if (state_[e.entry] != EdgeState::candidate) continue;
                   const double bound = options_.detour * graph_.lengths[e.entry];
                   is_short[k] = search.is_joined(e.from, e.to, bound) ? 1 : 0;
                 }
               });
  std::size_t n_restored = 0;
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (is_short[k] == 0) continue;
    set(candidates_[which[k]], EdgeState::kept);
    ++n_restored;
  }
  return n_restored;
}

/// The links of a small component, gathered into sides: two links are on one side if their ends in
/// the populations are near each other without the outliers. The heaviest side is returned; all
/// links where none leads to a population.
std::vector<std::size_t> ShortcutSearch::strongest_side(const std::vector<std::size_t>& links,
                                                        const std::vector<char>& in_population,
                                                        DetourSearch& search) const {
  constexpr double no_bound = std::numeric_limits<double>::max();
  std::vector<std::size_t> landing;
  std::vector<Index> outlier, landing_point;
  for (const std::size_t s : links) {
    const CandidateEdge& e = candidates_[s];
    const bool from_lands = in_population[at(e.from)] != 0;
    if (!from_lands && in_population[at(e.to)] == 0) continue;
    landing.push_back(s);
    outlier.push_back(from_lands ? e.to : e.from);
    landing_point.push_back(from_lands ? e.from : e.to);
  }
  if (landing.empty()) return links;

  const auto length = [&](std::size_t k) { return graph_.lengths[candidates_[landing[k]].entry]; };
  Groups sides(landing.size());
  for (std::size_t a = 0; a + 1 < landing.size(); ++a) {
    const std::vector<double> inside = search.distances({&outlier[a], 1}, outlier, no_bound);
    for (std::size_t b = a + 1; b < landing.size(); ++b) {
      const auto first = static_cast<Index>(a), second = static_cast<Index>(b);
      if (sides.root(first) == sides.root(second)) continue;
      const double via = length(a) + length(b) + inside[b];
      if (search.is_joined(landing_point[a], landing_point[b], options_.detour * via)) {
        sides.join(first, second);
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

/// The strongest candidates without which the graph would have more components are restored.
void ShortcutSearch::keep_connected() {
  Groups components = open_components();
  for (const CandidateEdge& e : candidates_) {
    if (state_[e.entry] == EdgeState::candidate && components.join(e.from, e.to)) {
      set(e, EdgeState::needed);
    }
  }
}

}  // namespace geotherm::detail
