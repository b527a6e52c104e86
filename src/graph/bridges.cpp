// Which components are joined, and by which points. A pair of components is joined by walking to
// and fro: from a point of A to the nearest of B, from there to the nearest of A, while the link
// gets shorter. That ends at a link that is the shortest for both of its ends; several starts make
// it unlikely that a much shorter one is elsewhere.
#include "graph/bridges.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <map>
#include <set>

#include "core/at.hpp"
#include "graph/component_cells.hpp"

namespace geotherm::detail {
namespace {

// Up to this dimension a k-d tree rules out most points, and the spanning tree is exact.
constexpr std::size_t few_dims = 8;
// Cells of each component among which near pairs are sought, and the pairs that are starts.
constexpr std::size_t most_sampled_cells = 128;
constexpr std::size_t n_starts = 6;
constexpr std::size_t n_near_cells = 64;
constexpr std::size_t most_seekers = 16;

using Pair = std::pair<std::size_t, std::size_t>;  // components, the smaller number first

Pair ordered(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }

/// Up to `most` of `count` places, evenly spread.
std::vector<std::size_t> spread_over(std::size_t count, std::size_t most) {
  std::vector<std::size_t> places;
  const std::size_t n = std::min(count, most);
  for (std::size_t k = 0; k < n; ++k) places.push_back(k * count / n);
  return places;
}

/// Points of two components with their measure; the first is of the component with the smaller
/// number.
struct PointPair {
  double measured = std::numeric_limits<double>::infinity();
  Index from = -1, to = -1;

  auto operator<=>(const PointPair&) const = default;
};

class PairSearch {
 public:
  PairSearch(const ComponentCells& cells, Pair pair)
      : cells_(cells), a_(pair.first), b_(pair.second) {}

  PointPair shortest() {
    const auto d = cells_.space().dims();
    walk(cells_.nearest_in(a_, cells_.component_centers().row(b_).data()).second);
    walk_from_b(cells_.nearest_in(b_, cells_.component_centers().row(a_).data()).second);
    // Pairs of cells with near centres, nearest first.
    const std::size_t first_a = cells_.first_cell(a_), first_b = cells_.first_cell(b_);
    std::vector<Index> of_b;
    for (const std::size_t k :
         spread_over(cells_.first_cell(b_ + 1) - first_b, most_sampled_cells)) {
      of_b.push_back(static_cast<Index>(first_b + k));
    }
    std::vector<double> measured(of_b.size());
    std::vector<std::pair<double, Pair>> starts;
    for (const std::size_t k :
         spread_over(cells_.first_cell(a_ + 1) - first_a, most_sampled_cells)) {
      const double* center = cells_.cell_centers().row(first_a + k).data();
      measure_rows(cells_.space().measure, center, cells_.cell_centers().data(), d, of_b.data(),
                   of_b.size(), measured.data());
      const auto least = std::min_element(measured.begin(), measured.end()) - measured.begin();
      starts.push_back({measured[static_cast<std::size_t>(least)],
                        {first_a + k, at(of_b[static_cast<std::size_t>(least)])}});
    }
    const std::size_t n = std::min(n_starts, starts.size());
    std::partial_sort(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(n),
                      starts.end());
    for (std::size_t s = 0; s < n; ++s) {
      const auto& [cell_a, cell_b] = starts[s].second;
      walk(cells_.nearest_in(a_, cells_.cell_centers().row(cell_b).data()).second);
      walk_from_b(cells_.nearest_in(b_, cells_.cell_centers().row(cell_a).data()).second);
    }
    return best_;
  }

 private:
  const double* row(Index i) const { return cells_.space().rows.row(at(i)).data(); }

  /// From a point of a_ to and fro while the link gets shorter. Where it has been before it would
  /// only follow its own steps.
  void walk(Index from) {
    double last = std::numeric_limits<double>::infinity();
    while (visited_.insert(from).second) {
      const Candidate forth = cells_.nearest_in(b_, row(from));
      best_ = std::min(best_, {forth.first, from, forth.second});
      const Candidate back = cells_.nearest_in(a_, row(forth.second));
      best_ = std::min(best_, {back.first, back.second, forth.second});
      if (!(back.first < last)) return;
      last = back.first;
      from = back.second;
    }
  }
  void walk_from_b(Index from) { walk(cells_.nearest_in(a_, row(from)).second); }

  const ComponentCells& cells_;
  std::size_t a_, b_;
  std::set<Index> visited_;
  PointPair best_;
};

/// For each of `asking` (cells), the nearest cell of a component that `is_other` accepts.
template <class IsOther>
Candidate nearest_cell(const ComponentCells& cells, std::size_t asking, const IsOther& is_other,
                       std::vector<double>& measured) {
  measured.resize(cells.n_cells());
  measure_rows(cells.space().measure, cells.cell_centers().row(asking).data(),
               cells.cell_centers().data(), cells.space().dims(), nullptr, cells.n_cells(),
               measured.data());
  Candidate best{std::numeric_limits<double>::infinity(), -1};
  for (std::size_t c = 0; c < cells.n_cells(); ++c) {
    if (is_other(cells.component_of_cell(c))) best = std::min(best, {measured[c], Index(c)});
  }
  return best;
}

/// Components by their distance from another one, between the centres of cells.
using NearComponents = std::map<std::size_t, double>;

void note(NearComponents& near, std::size_t component, double distance) {
  const auto [place, is_new] = near.insert({component, distance});
  if (!is_new) place->second = std::min(place->second, distance);
}

/// Of the cells' neighbours those in other components; where that is too few, what the cells of the
/// component see when all cells are compared with them.
std::vector<NearComponents> near_components(const ComponentCells& cells, const Context& context) {
  Context silent = context;  // what the search says of recall does not concern the points
  silent.on_log = {};
  const std::size_t n_cells = cells.n_cells(), n_components = cells.n_components();
  const NeighborLists lists =
      find_neighbors(cells.cell_centers(), {.knn = std::min(n_near_cells, n_cells - 1)}, silent);
  std::vector<NearComponents> near(n_components);
  for (std::size_t c = 0; c < n_cells; ++c) {
    const std::size_t own = cells.component_of_cell(c);
    for (std::size_t k = lists.offsets[c]; k < lists.offsets[c + 1]; ++k) {
      const std::size_t other = cells.component_of_cell(at(lists.indices[k]));
      if (other == own) continue;
      note(near[own], other, lists.distances[k]);
      note(near[other], own, lists.distances[k]);
    }
  }
  const std::size_t wanted = std::min(n_nearest_components, n_components - 1);
  parallel_for(context, n_components, 8, [&](std::size_t begin, std::size_t end) {
    std::vector<double> measured(n_cells);
    for (std::size_t own = begin; own < end; ++own) {
      if (near[own].size() >= wanted) continue;
      const std::size_t first = cells.first_cell(own);
      for (const std::size_t k : spread_over(cells.first_cell(own + 1) - first, most_seekers)) {
        measure_rows(cells.space().measure, cells.cell_centers().row(first + k).data(),
                     cells.cell_centers().data(), cells.space().dims(), nullptr, n_cells,
                     measured.data());
        for (std::size_t c = 0; c < n_cells; ++c) {
          const std::size_t other = cells.component_of_cell(c);
          if (other != own) note(near[own], other, cells.space().distance(measured[c]));
        }
      }
    }
  });
  return near;
}

/// Pairs that join what `pairs` leave apart: each group but the first with what is nearest to it.
void join_groups(const ComponentCells& cells, std::set<Pair>& pairs, const Context& context) {
  const std::size_t n = cells.n_components();
  Groups groups(n);
  for (const auto& [a, b] : pairs) groups.join(Index(a), Index(b));
  for (;;) {
    std::map<Index, std::vector<std::size_t>> cells_of;
    for (std::size_t c = 0; c < cells.n_cells(); ++c) {
      cells_of[groups.root(Index(cells.component_of_cell(c)))].push_back(c);
    }
    if (cells_of.size() == 1) return;
    context.report_or_throw({.stage = "components", .done = 0, .total = cells_of.size()});
    std::vector<Index> group(n);
    for (std::size_t c = 0; c < n; ++c) group[c] = groups.root(Index(c));
    std::vector<std::pair<Index, const std::vector<std::size_t>*>> seeking;
    for (const auto& [root, own] : cells_of) seeking.push_back({root, &own});
    std::vector<Pair> found(seeking.size());
    parallel_for(context, seeking.size(), 1, [&](std::size_t g, std::size_t) {
      const auto& [root, own] = seeking[g];
      std::vector<double> measured;
      double least = std::numeric_limits<double>::infinity();
      for (const std::size_t k : spread_over(own->size(), most_seekers)) {
        const std::size_t cell = (*own)[k];
        const Candidate other = nearest_cell(
            cells, cell, [&, r = root](std::size_t c) { return group[c] != r; }, measured);
        if (other.second < 0 || !(other.first < least)) continue;
        least = other.first;
        found[g] =
            ordered(cells.component_of_cell(cell), cells.component_of_cell(at(other.second)));
      }
    });
    for (const Pair& pair : found) {
      pairs.insert(pair);
      groups.join(Index(pair.first), Index(pair.second));
    }
  }
}

std::set<Pair> pairs_to_join(const ComponentCells& cells, const Context& context) {
  const std::size_t n = cells.n_components();
  std::set<Pair> pairs;
  if (n <= most_joined_pairwise) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) pairs.insert({a, b});
    }
    return pairs;
  }
  const std::vector<NearComponents> near = near_components(cells, context);
  for (std::size_t own = 0; own < n; ++own) {
    std::vector<std::pair<double, std::size_t>> by_distance;
    for (const auto& [other, distance] : near[own]) by_distance.push_back({distance, other});
    std::sort(by_distance.begin(), by_distance.end());
    by_distance.resize(std::min(by_distance.size(), n_nearest_components));
    for (const auto& [distance, other] : by_distance) pairs.insert(ordered(own, other));
  }
  join_groups(cells, pairs, context);
  return pairs;
}

}  // namespace

std::vector<Link> bridging_links(const Graph& graph, MatrixView<const double> points,
                                 const Context& context) {
  const Space<double> space = plain_space(points, Metric::euclidean);
  const ComponentCells cells(space, graph.component, graph.n_components, context);
  const std::set<Pair> chosen = pairs_to_join(cells, context);
  const std::vector<Pair> pairs(chosen.begin(), chosen.end());
  std::vector<PointPair> shortest(pairs.size());
  constexpr std::size_t at_once = 256;
  for (std::size_t from = 0; from < pairs.size(); from += at_once) {
    context.report_or_throw({.stage = "components", .done = from, .total = pairs.size()});
    parallel_for(context, std::min(at_once, pairs.size() - from), 1,
                 [&](std::size_t k, std::size_t) {
                   shortest[from + k] = PairSearch(cells, pairs[from + k]).shortest();
                 });
  }
  std::map<Pair, Link> links;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const PointPair& link = shortest[p];
    links[pairs[p]] = {link.from, link.to, 0, space.distance(link.measured)};
  }
  if (space.dims() <= few_dims) {
    for (const Link& link : shortest_links(graph, space, context)) {
      Link& known =
          links[ordered(at(graph.component[at(link.from)]), at(graph.component[at(link.to)]))];
      if (known.from == known.to || link.length < known.length) known = link;
    }
  }
  std::vector<Link> all;
  for (const auto& [pair, link] : links) all.push_back(link);
  return all;
}

}  // namespace geotherm::detail
