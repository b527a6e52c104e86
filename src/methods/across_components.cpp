#include "methods/across_components.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/at.hpp"

namespace geotherm::detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Keeps the entries that `is_kept(row, position)`, with new numbers for points.
template <class Keep>
Graph filtered(const Graph& graph, const std::vector<Index>& new_number, std::size_t n_new,
               Keep is_kept) {
  const SparseMatrix& w = graph.weights;
  Graph result;
  result.truncated_share = graph.truncated_share;
  result.weights.rows = result.weights.cols = n_new;
  for (std::size_t i = 0; i < w.rows; ++i) {
    if (new_number[i] < 0) continue;
    for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
      if (!is_kept(i, k)) continue;
      result.weights.indices.push_back(new_number[at(w.indices[k])]);
      result.weights.values.push_back(w.values[k]);
      if (graph.has_lengths()) result.lengths.push_back(graph.lengths[k]);
    }
    result.weights.offsets.push_back(result.weights.indices.size());
  }
  return result;
}

/// Shortest paths between the ends of bridges: inside components as `rows` say, across along them.
struct BridgeEnds {
  std::vector<Index> ends;       ///< ascending
  std::vector<std::size_t> row;  ///< of each end in `rows`
  Matrix<double> ways;

  BridgeEnds(const Matrix<double>& rows, const std::vector<Index>& points, const Graph& graph) {
    std::set<Index> unique;
    for (const Bridge& bridge : graph.bridges) unique.insert({bridge.from, bridge.to});
    ends.assign(unique.begin(), unique.end());
    for (const Index end : ends) {
      row.push_back(static_cast<std::size_t>(std::lower_bound(points.begin(), points.end(), end) -
                                             points.begin()));
    }
    const std::size_t n = ends.size();
    ways = Matrix<double>(n, n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) ways(a, b) = rows(row[a], at(ends[b]));
    }
    const auto place = [&](Index point) {
      return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), point) -
                                      ends.begin());
    };
    for (const Bridge& bridge : graph.bridges) {
      const std::size_t a = place(bridge.from), b = place(bridge.to);
      ways(a, b) = ways(b, a) = std::min(ways(a, b), bridge.length);
    }
    for (std::size_t via = 0; via < n; ++via) {
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
          ways(a, b) = std::min(ways(a, b), ways(a, via) + ways(via, b));
        }
      }
    }
  }
};

}  // namespace

std::vector<std::size_t> component_sizes(const Graph& graph) {
  std::vector<std::size_t> sizes(graph.n_components, 0);
  for (const Index c : graph.component) ++sizes[at(c)];
  return sizes;
}

Graph without_bridges(const Graph& graph) {
  std::vector<Index> same(graph.n_points());
  for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<Index>(i);
  Graph result = filtered(graph, same, same.size(), [&](std::size_t i, std::size_t k) {
    return !graph.is_bridge(i, graph.weights.indices[k]);
  });
  result.component = graph.component;
  result.n_components = graph.n_components;
  return result;
}

Graph component_graph(const Graph& graph, Index component) {
  std::vector<Index> number(graph.n_points(), -1);
  Index n = 0;
  for (std::size_t i = 0; i < number.size(); ++i) {
    if (graph.component[i] == component) number[i] = n++;
  }
  Graph result = filtered(graph, number, at(n), [&](std::size_t, std::size_t k) {
    return number[at(graph.weights.indices[k])] >= 0;
  });
  result.component.assign(at(n), 0);
  result.n_components = 1;
  return result;
}

void fill_across(Matrix<double>& rows, const std::vector<Index>& points, const Graph& graph,
                 const Context& context) {
  const std::size_t n = graph.n_points();
  const bool has_lengths = std::any_of(graph.bridges.begin(), graph.bridges.end(),
                                       [](const Bridge& b) { return b.length > 0; });
  if (!has_lengths) {
    double largest = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (std::isfinite(rows.data()[k])) largest = std::max(largest, rows.data()[k]);
    }
    const double apart = largest > 0 ? 1.1 * largest : 1;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (std::isinf(rows.data()[k])) rows.data()[k] = apart;
    }
    return;
  }
  const BridgeEnds bridges(rows, points, graph);
  const std::size_t n_ends = bridges.ends.size();
  std::vector<std::vector<std::size_t>> ends_of(graph.n_components);
  for (std::size_t e = 0; e < n_ends; ++e) {
    ends_of[at(graph.component[at(bridges.ends[e])])].push_back(e);
  }
  // Rows of ends are read by all others: what lies inside of components stays as it is.
  parallel_for(context, points.size(), 8, [&](std::size_t begin, std::size_t end) {
    std::vector<double> to_end(n_ends);
    for (std::size_t p = begin; p < end; ++p) {
      const std::size_t own = at(graph.component[at(points[p])]);
      for (std::size_t e = 0; e < n_ends; ++e) {
        to_end[e] = infinite;
        for (const std::size_t first : ends_of[own]) {
          const double inside = rows(p, at(bridges.ends[first]));
          to_end[e] = std::min(to_end[e], inside + bridges.ways(first, e));
        }
      }
      const auto row = rows.row(p);
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t other = at(graph.component[j]);
        if (other == own) continue;
        double shortest = infinite;
        for (const std::size_t e : ends_of[other]) {
          shortest = std::min(shortest, to_end[e] + rows(bridges.row[e], j));
        }
        row[j] = shortest;
      }
    }
  });
}

}  // namespace geotherm::detail
