#include "geotherm/align.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/median.hpp"
#include "core/take_rows.hpp"
#include "geotherm/refine.hpp"
#include "neighbors/point_index.hpp"

namespace geotherm {
namespace {

// Of a link, for a strength of 1; the memberships of a row's neighbours sum to about six.
constexpr double link_membership = 3;
// Turns of settling and drawing together, and epochs of each.
constexpr std::size_t n_turns = 10, epochs_of_turn = 5;

/// The joined graph has weights, not distances.
void require_graph_method(const Method& method) {
  if (method.has(parts::affinity)) return;
  std::string names;
  for (const Method& other : methods()) {
    if (other.has(parts::affinity)) names += (names.empty() ? "" : ", ") + std::string(other.name);
  }
  throw InvalidArgument("method is '" + std::string(method.name) +
                        "': aligned maps are made from one graph of weights, by " + names);
}

void require_sensible(std::span<const MatrixView<const double>> tables,
                      const std::vector<std::vector<Link>>& links, double strength) {
  if (tables.size() < 2 || links.size() + 1 != tables.size()) {
    throw InvalidArgument("align: " + std::to_string(tables.size()) + " tables and " +
                          std::to_string(links.size()) +
                          " sets of links; give two tables or more, and links between each and the "
                          "next");
  }
  if (!(strength > 0 && std::isfinite(strength))) {
    throw InvalidArgument("strength is " + std::to_string(strength) + ": give a positive number");
  }
  for (std::size_t k = 0; k < links.size(); ++k) {
    for (const Link& link : links[k]) {
      if (link.from >= 0 && static_cast<std::size_t>(link.from) < tables[k].rows && link.to >= 0 &&
          static_cast<std::size_t>(link.to) < tables[k + 1].rows) {
        continue;
      }
      throw InvalidArgument("align: a link joins rows " + std::to_string(link.from) + " and " +
                            std::to_string(link.to) + ", but tables " + std::to_string(k + 1) +
                            " and " + std::to_string(k + 2) + " have " +
                            std::to_string(tables[k].rows) + " and " +
                            std::to_string(tables[k + 1].rows) + " rows");
    }
  }
}

/// The graphs of the tables side by side: rows of table k begin at first[k].
struct JoinedGraph {
  std::vector<Triplet> entries;
  std::vector<Triplet> memberships;  ///< of neighbours that attract each other in a refinement
  std::vector<std::size_t> first = {0};
  std::vector<double> degree;
};

void add_table(JoinedGraph& joined, MatrixView<const double> table, const MethodOptions& options,
               const Context& context) {
  const DistanceRun run = shared_graph(table, options, context);
  const std::size_t begin = joined.first.back();
  const std::vector<Index> first_rows = detail::first_rows(run.unique_inverse);
  joined.degree.resize(begin + table.rows, 0.0);
  const auto row_of = [&](std::size_t place) {
    return static_cast<Index>(begin) + first_rows[place];
  };
  for (std::size_t i = 0; i < run.graph.n_points(); ++i) {
    for (std::size_t k = 0; k < run.graph.weights.row_indices(i).size(); ++k) {
      const auto j = static_cast<std::size_t>(run.graph.weights.row_indices(i)[k]);
      const double weight = run.graph.weights.row_values(i)[k];
      joined.entries.push_back({row_of(i), row_of(j), weight});
      joined.degree[static_cast<std::size_t>(row_of(i))] += weight;
    }
  }
  const SparseMatrix near = refine_memberships(run.graph, RefineOptions{}.knn, context);
  for (std::size_t i = 0; i < near.rows; ++i) {
    for (std::size_t k = near.offsets[i]; k < near.offsets[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(near.indices[k]);
      joined.memberships.push_back({row_of(i), row_of(j), near.values[k]});
    }
  }
  // A row that equals an earlier one hangs on that by an edge as heavy as all of its edges.
  for (std::size_t i = 0; i < table.rows; ++i) {
    const Index other = row_of(static_cast<std::size_t>(run.unique_inverse[i]));
    const auto own = static_cast<Index>(begin + i);
    if (other == own) continue;
    const double weight = std::max(1.0, joined.degree[static_cast<std::size_t>(other)]);
    joined.entries.push_back({own, other, weight});
    joined.entries.push_back({other, own, weight});
    joined.memberships.push_back({own, other, 1.0});
    joined.memberships.push_back({other, own, 1.0});
    joined.degree[begin + i] = weight;
  }
  joined.first.push_back(begin + table.rows);
}

void add_links(JoinedGraph& joined, std::size_t k, const std::vector<Link>& links,
               double strength) {
  const std::size_t n_from = joined.first[k + 1] - joined.first[k];
  const std::size_t n_to = joined.first[k + 2] - joined.first[k + 1];
  std::vector<double> of_from(n_from, 0.0), of_to(n_to, 0.0);
  for (const Link& link : links) {
    ++of_from[static_cast<std::size_t>(link.from)];
    ++of_to[static_cast<std::size_t>(link.to)];
  }
  for (const Link& link : links) {
    const std::size_t a = joined.first[k] + static_cast<std::size_t>(link.from);
    const std::size_t b = joined.first[k + 1] + static_cast<std::size_t>(link.to);
    const double of_a = 1 / of_from[static_cast<std::size_t>(link.from)];
    const double of_b = 1 / of_to[static_cast<std::size_t>(link.to)];
    const double weight = strength * 0.5 * (joined.degree[a] * of_a + joined.degree[b] * of_b);
    const double membership = strength * link_membership * 0.5 * (of_a + of_b);
    joined.entries.push_back({static_cast<Index>(a), static_cast<Index>(b), weight});
    joined.entries.push_back({static_cast<Index>(b), static_cast<Index>(a), weight});
    joined.memberships.push_back({static_cast<Index>(a), static_cast<Index>(b), membership});
    joined.memberships.push_back({static_cast<Index>(b), static_cast<Index>(a), membership});
  }
}

/// Memberships among the rows [first, last).
SparseMatrix memberships_within(const SparseMatrix& all, std::size_t first, std::size_t last) {
  SparseMatrix own;
  own.rows = own.cols = last - first;
  for (std::size_t i = first; i < last; ++i) {
    for (std::size_t e = all.offsets[i]; e < all.offsets[i + 1]; ++e) {
      const auto j = static_cast<std::size_t>(all.indices[e]);
      if (j < first || j >= last) continue;
      own.indices.push_back(static_cast<Index>(j - first));
      own.values.push_back(all.values[e]);
    }
    own.offsets.push_back(own.indices.size());
  }
  return own;
}

/// Each row moves towards the rows it is linked with: to the mean of all, these with weight `pull`.
void draw_together(Matrix<double>& map, const std::vector<std::size_t>& first,
                   const std::vector<std::vector<Link>>& links, double pull) {
  Matrix<double> sums = map;
  std::vector<double> weights(map.rows(), 1.0);
  for (std::size_t k = 0; k < links.size(); ++k) {
    for (const Link& link : links[k]) {
      const std::size_t a = first[k] + static_cast<std::size_t>(link.from);
      const std::size_t b = first[k + 1] + static_cast<std::size_t>(link.to);
      for (std::size_t c = 0; c < map.cols(); ++c) {
        sums(a, c) += pull * map(b, c);
        sums(b, c) += pull * map(a, c);
      }
      weights[a] += pull;
      weights[b] += pull;
    }
  }
  for (std::size_t i = 0; i < map.rows(); ++i) {
    for (std::size_t c = 0; c < map.cols(); ++c) map(i, c) = sums(i, c) / weights[i];
  }
}

/// In a refined map the rows of all tables push each other, which spreads those of a table. Each
/// table by itself settles for a few epochs, then linked rows are drawn together, in turns.
Outcome settle_tables(Matrix<double>& map, const std::vector<std::size_t>& first,
                      const SparseMatrix& memberships, const std::vector<std::vector<Link>>& links,
                      double strength, const Context& context) {
  const std::size_t n_tables = first.size() - 1;
  std::vector<SparseMatrix> within;
  for (std::size_t k = 0; k < n_tables; ++k) {
    within.push_back(memberships_within(memberships, first[k], first[k + 1]));
  }
  Context inside = context;
  inside.on_progress = {};
  for (std::size_t turn = 0; turn < n_turns; ++turn) {
    for (std::size_t k = 0; k < n_tables; ++k) {
      const Progress progress{.stage = "alignment",
                              .done = turn * n_tables + k,
                              .total = n_turns * n_tables};
      if (context.report(progress) == Next::stop_here) return Outcome::stopped;
      const MatrixView<const double> start{map.row(first[k]).data(), first[k + 1] - first[k],
                                           map.cols(), map.cols()};
      const Refined settled =
          refine_layout(start, within[k], {.epochs = epochs_of_turn, .averaging = 0}, inside);
      std::copy_n(settled.coordinates.data(), settled.coordinates.size(), map.row(first[k]).data());
    }
    draw_together(map, first, links, strength / (1 + strength));
  }
  return Outcome::converged;
}

double extent_of(const Matrix<double>& map) {
  double extent = 0;
  for (std::size_t c = 0; c < map.cols(); ++c) {
    double least = map(0, c), most = least;
    for (std::size_t i = 0; i < map.rows(); ++i) {
      least = std::min(least, map(i, c));
      most = std::max(most, map(i, c));
    }
    extent = std::max(extent, most - least);
  }
  return extent;
}

}  // namespace

std::vector<Link> mutual_neighbors(MatrixView<const double> a, MatrixView<const double> b,
                                   const NeighborOptions& options, const Context& context) {
  if (a.cols != b.cols) {
    throw InvalidArgument("the tables have " + std::to_string(a.cols) + " and " +
                          std::to_string(b.cols) +
                          " columns: rows are compared where they have the same");
  }
  constexpr std::size_t usual = 5;
  const detail::PointIndex<double> of_a(a, options.metric), of_b(b, options.metric);
  const NeighborLists to_b =
      of_b.nearest(a, std::min(options.knn.value_or(usual), b.rows), context);
  const NeighborLists to_a =
      of_a.nearest(b, std::min(options.knn.value_or(usual), a.rows), context);
  std::vector<Link> links;
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (const Index j : to_b.neighbors(i)) {
      const auto back = to_a.neighbors(static_cast<std::size_t>(j));
      if (std::ranges::find(back, static_cast<Index>(i)) != back.end()) {
        links.push_back({static_cast<Index>(i), j});
      }
    }
  }
  return links;
}

Alignment align_maps(const Method& method, std::span<const MatrixView<const double>> tables,
                     const std::vector<std::vector<Link>>& links, double strength,
                     const MethodOptions& options, const Context& context) {
  require_graph_method(method);
  require_sensible(tables, links, strength);
  const MethodOptions chosen =
      method.choices == nullptr ? options : method.choices(options, tables.front().rows);
  JoinedGraph joined;
  // Stages of the tables have the same names.
  Context of_tables = context;
  of_tables.checkpoint = nullptr;
  for (const MatrixView<const double>& table : tables) add_table(joined, table, chosen, of_tables);
  for (std::size_t k = 0; k < links.size(); ++k) add_links(joined, k, links[k], strength);
  const std::size_t n = joined.first.back();
  const SparseMatrix weights = sparse_from_triplets(n, n, std::move(joined.entries));
  MethodOptions of_graph = options;
  of_graph.pca = PcaOptions{.rank = 0};
  const SparseMatrix memberships = sparse_from_triplets(n, n, std::move(joined.memberships));
  EmbeddingRun run = method.embed(Affinities{&weights, &memberships}, of_graph, context);
  Alignment aligned;
  aligned.whole = std::move(run.embedding.coordinates);
  aligned.outcome = run.embedding.outcome;
  if (run.refined_unit > 0 && aligned.outcome != Outcome::stopped &&
      settle_tables(aligned.whole, joined.first, memberships, links, strength, of_tables) ==
          Outcome::stopped) {
    aligned.outcome = Outcome::stopped;
  }
  for (std::size_t k = 0; k < tables.size(); ++k) {
    std::vector<Index> rows;
    for (std::size_t i = joined.first[k]; i < joined.first[k + 1]; ++i) {
      rows.push_back(static_cast<Index>(i));
    }
    aligned.maps.push_back(detail::take_rows<double>(aligned.whole.view(), rows));
  }
  std::vector<double> lengths;
  for (std::size_t k = 0; k < links.size(); ++k) {
    for (const Link& link : links[k]) {
      double squared = 0;
      for (std::size_t c = 0; c < aligned.whole.cols(); ++c) {
        const double gap = aligned.maps[k](static_cast<std::size_t>(link.from), c) -
                           aligned.maps[k + 1](static_cast<std::size_t>(link.to), c);
        squared += gap * gap;
      }
      lengths.push_back(std::sqrt(squared));
    }
  }
  const double extent = extent_of(aligned.whole);
  aligned.link_length = extent > 0 ? detail::median(std::move(lengths)) / extent : 0;
  return aligned;
}

}  // namespace geotherm
