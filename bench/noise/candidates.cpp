// What tells a shortcut from a true edge? Several measures on noisy rolls, each examined alone (how
// well it ranks false edges before true ones) and with the search that follows (what is removed in
// the end, and how well shortest ways then follow the sheet). Writes a table in Markdown
// to standard output.
//
//   bench_noise_candidates [FIRST_SEED LAST_SEED [NOISE]] > bench/noise/candidates.md
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "core/median.hpp"
#include "geotherm/geotherm.hpp"
#include "graph/shortcut_search.hpp"

namespace {

using namespace geotherm;
using detail::CandidateEdge;
using detail::DetourSearch;
using detail::EdgeState;
using detail::ShortcutSearch;
using detail::Windows;

constexpr std::size_t knn = 10;
constexpr std::size_t widest = 150;

struct Roll {
  Dataset data;
  std::vector<Index> home;  ///< the noise-free point that each noisy one came to lie next to
  NeighborLists wide;
  Graph graph;
  std::vector<CandidateEdge> edges;

  /// Noise moves some points onto another sheet altogether: their edges there are true.
  bool is_false(const CandidateEdge& e) const {
    const auto from = static_cast<std::size_t>(home[static_cast<std::size_t>(e.from)]);
    const auto to = static_cast<std::size_t>(home[static_cast<std::size_t>(e.to)]);
    return data.geodesic(from, to) > 15;
  }
};

Roll make_roll(std::uint64_t seed, double noise) {
  Roll roll;
  roll.data = synthesize(Shape::swiss_roll, {.n = 2000, .noise = noise}, {.seed = seed});
  const Dataset clean = synthesize(Shape::swiss_roll, {.n = 2000, .noise = 0}, {.seed = seed});
  const std::size_t n = roll.data.X.rows();
  roll.home.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    double least = 1e300;
    for (std::size_t j = 0; j < n; ++j) {
      double square = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        square += std::pow(roll.data.X(i, c) - clean.X(j, c), 2);
      }
      if (square < least) {
        least = square;
        roll.home[i] = static_cast<Index>(j);
      }
    }
  }
  const AffinityOptions affinity;
  roll.wide = find_neighbors(roll.data.X.view(), {.knn = widest});
  roll.graph =
      connect_components(build_graph(shortened(roll.wide, knn, reach_of(affinity)), affinity),
                         ComponentPolicy::bridge, roll.data.X.view());
  roll.wide.knn = knn;
  roll.edges = detail::find_candidates(roll.graph, Windows(roll.wide, 80, 4, {}), 1.0, {});
  std::sort(roll.edges.begin(), roll.edges.end(),
            [](const CandidateEdge& a, const CandidateEdge& b) { return a.entry < b.entry; });
  return roll;
}

/// One number an edge; the lower, the more suspicious.
using Suspicion = std::function<std::vector<double>(const Roll&)>;

Suspicion overlap_of(std::size_t window) {
  return [window](const Roll& roll) {
    const Windows windows(roll.wide, window, 4, {});
    Windows::Marked marked(windows);
    std::vector<double> values;
    for (const CandidateEdge& e : roll.edges) {
      values.push_back(
          marked.jaccard(static_cast<std::size_t>(e.from), static_cast<std::size_t>(e.to)));
    }
    return values;
  };
}

/// Cosine between the heat of the two ends after some jumps.
Suspicion heat_overlap_of(double jumps) {
  return [jumps](const Roll& roll) {
    const Laplacian laplacian = build_laplacian(roll.graph);
    const double degree = detail::median(laplacian.degree);
    // <h_t(i), h_t(j)> = h_2t(i, j): one kernel at twice the time holds every overlap.
    const Matrix<double> heat = heat_kernel(laplacian, {.time = 2 * jumps / degree})->dense();
    std::vector<double> values;
    for (const CandidateEdge& e : roll.edges) {
      const auto i = static_cast<std::size_t>(e.from);
      const auto j = static_cast<std::size_t>(e.to);
      values.push_back(heat(i, j) / std::sqrt(heat(i, i) * heat(j, j)));
    }
    return values;
  };
}

std::vector<Index> common_neighbors(const SparseMatrix& w, const CandidateEdge& e) {
  const auto a = w.row_indices(static_cast<std::size_t>(e.from));
  const auto b = w.row_indices(static_cast<std::size_t>(e.to));
  std::vector<Index> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common;
}

/// Forman's curvature with triangles: 4 - deg i - deg j + 3 triangles.
std::vector<double> forman(const Roll& roll) {
  const SparseMatrix& w = roll.graph.weights;
  std::vector<double> values;
  for (const CandidateEdge& e : roll.edges) {
    const auto n_i = static_cast<double>(w.row_indices(static_cast<std::size_t>(e.from)).size());
    const auto n_j = static_cast<double>(w.row_indices(static_cast<std::size_t>(e.to)).size());
    values.push_back(4 - n_i - n_j + 3 * static_cast<double>(common_neighbors(w, e).size()));
  }
  return values;
}

/// Ollivier's curvature in hops: 1 - W1 between the neighbours of the two ends, distances 0 to 3.
std::vector<double> ollivier(const Roll& roll) {
  const SparseMatrix& w = roll.graph.weights;
  std::vector<double> values;
  for (const CandidateEdge& e : roll.edges) {
    const auto a = w.row_indices(static_cast<std::size_t>(e.from));
    const auto b = w.row_indices(static_cast<std::size_t>(e.to));
    Matrix<double> costs(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto near = w.row_indices(static_cast<std::size_t>(a[i]));
      for (std::size_t j = 0; j < b.size(); ++j) {
        const auto next = w.row_indices(static_cast<std::size_t>(b[j]));
        if (a[i] == b[j]) continue;
        costs(i, j) = 3;
        if (std::binary_search(near.begin(), near.end(), b[j])) {
          costs(i, j) = 1;
        } else if (std::find_first_of(near.begin(), near.end(), next.begin(), next.end()) !=
                   near.end()) {
          costs(i, j) = 2;
        }
      }
    }
    values.push_back(1 - transport(costs.view()).cost);
  }
  return values;
}

/// How many shortest ways from every tenth point lead over the edge: ends that differ by its
/// length.
std::vector<double> betweenness(const Roll& roll) {
  const std::size_t n = roll.graph.n_points();
  const SparseMatrix& w = roll.graph.weights;
  std::vector<double> load(w.n_entries(), 0);
  for (std::size_t s = 0; s < n; s += 10) {
    const auto source = static_cast<Index>(s);
    const Matrix<double> way = shortest_paths(roll.graph, {&source, 1});
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return way(0, a) > way(0, b); });
    std::vector<double> behind(n, 1);
    for (const std::size_t i : order) {
      for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(w.indices[k]);
        if (std::abs(way(0, j) + roll.graph.lengths[k] - way(0, i)) > 1e-12 * way(0, i)) continue;
        behind[j] += behind[i];
        load[k] += behind[i];
        break;
      }
    }
  }
  std::vector<double> values;
  for (const CandidateEdge& e : roll.edges) values.push_back(-load[e.entry] - load[e.mirror]);
  return values;
}

/// How much longer the way is when the edge alone leaves, in its own lengths (at most 20).
std::vector<double> lone_detour(const Roll& roll) {
  std::vector<EdgeState> state(roll.graph.weights.n_entries(), EdgeState::kept);
  std::vector<double> values;
  const std::vector<char> all;
  for (const CandidateEdge& e : roll.edges) {
    state[e.entry] = state[e.mirror] = EdgeState::candidate;
    const detail::OpenEdges open(roll.graph, state, all);
    DetourSearch search(open);
    const double length = roll.graph.lengths[e.entry];
    const double way = search.distances({&e.from, 1}, {&e.to, 1}, 20 * length)[0];
    values.push_back(-std::min(20.0, way / length));
    state[e.entry] = state[e.mirror] = EdgeState::kept;
  }
  return values;
}

/// Chance that a false edge is more suspicious than a true one.
double ranking(const std::vector<double>& values, const std::vector<char>& is_false) {
  const std::vector<double> rank = ranks(values);
  double sum = 0, n_false = 0;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (is_false[e] == 0) continue;
    sum += rank[e];
    ++n_false;
  }
  const double n_true = static_cast<double>(values.size()) - n_false;
  return 1 - (sum - n_false * (n_false + 1) / 2) / (n_false * n_true);
}

/// Share of the edges, most suspicious first, that holds nearly all false ones.
double share_for(const std::vector<double>& values, const std::vector<char>& is_false,
                 double wanted) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double n_false = static_cast<double>(std::count(is_false.begin(), is_false.end(), 1));
  double seen = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    seen += is_false[order[k]];
    if (seen >= wanted * n_false)
      return static_cast<double>(k + 1) / static_cast<double>(order.size());
  }
  return 1;
}

struct Removed {
  double false_removed = 0, true_removed = 0, pearson = 0;
};

double pearson_of_ways(const Roll& roll, const Graph& graph) {
  double sum = 0;
  std::size_t n_sources = 0;
  for (std::size_t s = 0; s < graph.n_points(); s += 50, ++n_sources) {
    const auto source = static_cast<Index>(s);
    const Matrix<double> way = shortest_paths(graph, {&source, 1});
    sum += pearson(way.row(0), roll.data.geodesic.row(s));
  }
  return sum / static_cast<double>(n_sources);
}

Removed after_search(const Roll& roll, const std::vector<double>& values,
                     const std::vector<char>& is_false) {
  const ShortcutOptions options;
  std::vector<double> sorted = values;
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(
                                          options.share * static_cast<double>(sorted.size()));
  std::nth_element(sorted.begin(), place, sorted.end());
  std::vector<CandidateEdge> candidates;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (values[e] > *place) continue;
    candidates.push_back(roll.edges[e]);
    candidates.back().overlap = values[e];
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const CandidateEdge& a, const CandidateEdge& b) { return a.overlap > b.overlap; });
  const Context context;
  const ShortcutSearch search(roll.graph, candidates, options, {}, context);
  Graph graph = roll.graph;
  Removed removed;
  for (std::size_t e = 0; e < values.size(); ++e) {
    if (!search.is_rejected(roll.edges[e])) continue;
    (is_false[e] != 0 ? removed.false_removed : removed.true_removed) += 1;
    // Longer than any way: as good as gone.
    graph.lengths[roll.edges[e].entry] = graph.lengths[roll.edges[e].mirror] = 1e4;
  }
  const auto n_false = static_cast<double>(std::count(is_false.begin(), is_false.end(), 1));
  removed.false_removed /= std::max(1.0, n_false);
  removed.true_removed /= static_cast<double>(values.size()) - n_false;
  removed.pearson = pearson_of_ways(roll, graph);
  return removed;
}

}  // namespace

int main(int argc, char** argv) {
  const int first = argc > 2 ? std::atoi(argv[1]) : 52;
  const int last = argc > 2 ? std::atoi(argv[2]) : 59;
  const double noise = argc > 3 ? std::atof(argv[3]) : 1.0;
  const std::vector<std::pair<std::string, Suspicion>> candidates = {
      {"overlap of 20 neighbours", overlap_of(20)},
      {"overlap of 50", overlap_of(50)},
      {"overlap of 80 (the rule)", overlap_of(80)},
      {"overlap of 150", overlap_of(150)},
      {"overlap of heat, 2 jumps", heat_overlap_of(2)},
      {"overlap of heat, 5 jumps", heat_overlap_of(5)},
      {"overlap of heat, 20 jumps", heat_overlap_of(20)},
      {"Forman curvature with triangles", forman},
      {"Ollivier curvature, exact", ollivier},
      {"betweenness (every tenth source)", betweenness},
      {"detour when it alone leaves", lone_detour},
  };
  struct Sums {
    double ranking = 0, share = 0, seconds = 0, false_removed = 0, true_removed = 0, pearson = 0,
           worst = 1;
  };
  std::vector<Sums> sums(candidates.size());
  double share_false = 0, untouched = 0;
  for (int seed = first; seed <= last; ++seed) {
    const Roll roll = make_roll(static_cast<std::uint64_t>(seed), noise);
    std::vector<char> is_false;
    for (const CandidateEdge& e : roll.edges) is_false.push_back(roll.is_false(e) ? 1 : 0);
    share_false += static_cast<double>(std::count(is_false.begin(), is_false.end(), 1)) /
                   static_cast<double>(is_false.size());
    untouched += pearson_of_ways(roll, roll.graph);
    for (std::size_t s = 0; s < candidates.size(); ++s) {
      const auto start = std::chrono::steady_clock::now();
      const std::vector<double> values = candidates[s].second(roll);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      const Removed removed = after_search(roll, values, is_false);
      sums[s].ranking += ranking(values, is_false);
      sums[s].share += share_for(values, is_false, 0.95);
      sums[s].seconds += took.count();
      sums[s].false_removed += removed.false_removed;
      sums[s].true_removed += removed.true_removed;
      sums[s].pearson += removed.pearson;
      sums[s].worst = std::min(sums[s].worst, removed.pearson);
    }
  }
  const double n = last - first + 1;
  const ShortcutOptions options;
  std::printf("# What tells a shortcut from a true edge\n\n");
  std::printf(
      "Written by `bench_noise_candidates`; do not edit. Rolls of 2,000 points, noise %.1f, seeds "
      "%d-%d, knn %zu. An edge is\n"
      "false if its ends lie next to noise-free points more than 15 apart along the sheet (%.2f %% "
      "of the edges). Alone: the\n"
      "chance that a false edge is ranked before a true one, and the share of the edges, most "
      "suspect first, that holds 95 %% of\n"
      "the false ones. With the search: the lowest %.0f %% are candidates (detour %.0f), and the "
      "Pearson correlation of\n"
      "shortest ways in what is left with the true geodesics, mean and worst roll. With nothing "
      "removed: %.3f.\n\n",
      noise, first, last, knn, 100 * share_false / n, 100 * options.share, options.detour,
      untouched / n);
  std::printf(
      "| suspicion | ranking | share for 95 %% | false removed | true removed | ways, mean | worst "
      "| seconds |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (std::size_t s = 0; s < candidates.size(); ++s) {
    const Sums& a = sums[s];
    std::printf("| %s | %.4f | %.1f %% | %.0f %% | %.2f %% | %.3f | %.3f | %.2f |\n",
                candidates[s].first.c_str(), a.ranking / n, 100 * a.share / n,
                100 * a.false_removed / n, 100 * a.true_removed / n, a.pearson / n, a.worst,
                a.seconds / n);
  }
}
