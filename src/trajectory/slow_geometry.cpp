#include "trajectory/slow_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "geotherm/dissimilarity.hpp"
#include "geotherm/spectral.hpp"
#include "trajectory/order_branches.hpp"

namespace geotherm {
namespace detail {

Graph part_of(const Graph& graph, std::span<const Index> cells) {
  std::vector<Index> place(graph.n_points(), -1);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    place[static_cast<std::size_t>(cells[k])] = static_cast<Index>(k);
  }
  Graph part;
  SparseMatrix& w = part.weights;
  w.rows = w.cols = cells.size();
  const bool is_ascending = std::is_sorted(cells.begin(), cells.end());
  std::vector<std::pair<Index, std::size_t>> row;
  for (const Index cell : cells) {
    const auto i = static_cast<std::size_t>(cell);
    row.clear();
    for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
      const Index j = place[static_cast<std::size_t>(graph.weights.indices[e])];
      if (j >= 0) row.emplace_back(j, e);
    }
    if (!is_ascending) std::sort(row.begin(), row.end());
    for (const auto& [j, e] : row) {
      w.indices.push_back(j);
      w.values.push_back(graph.weights.values[e]);
      if (graph.has_lengths()) part.lengths.push_back(graph.lengths[e]);
    }
    w.offsets.push_back(w.indices.size());
  }
  part.component.assign(cells.size(), 0);
  part.n_components = 1;
  return part;
}

std::vector<Index> component_of(const Graph& graph, Index inside) {
  const std::vector<Index> component = connected_components(graph.weights);
  const Index wanted = component[static_cast<std::size_t>(inside)];
  std::vector<Index> cells;
  for (std::size_t i = 0; i < component.size(); ++i) {
    if (component[i] == wanted) cells.push_back(static_cast<Index>(i));
  }
  return cells;
}

std::vector<Index> in_near_order(const Graph& graph, std::vector<Index> component) {
  constexpr std::size_t few_points = 20000, points_of_cell = 512;
  if (component.size() < few_points) return component;
  // Cells around every 512th point, grown breadth first: those of one cell come together.
  std::vector<Index> cell_of(graph.n_points(), -1), reached;
  reached.reserve(component.size());
  for (std::size_t k = 0; k < component.size(); k += points_of_cell) {
    cell_of[static_cast<std::size_t>(component[k])] = static_cast<Index>(reached.size());
    reached.push_back(component[k]);
  }
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const auto i = static_cast<std::size_t>(reached[k]);
    for (const Index j : graph.weights.row_indices(i)) {
      Index& cell = cell_of[static_cast<std::size_t>(j)];
      if (cell >= 0) continue;
      cell = cell_of[i];
      reached.push_back(j);
    }
  }
  std::stable_sort(component.begin(), component.end(), [&](Index a, Index b) {
    return cell_of[static_cast<std::size_t>(a)] < cell_of[static_cast<std::size_t>(b)];
  });
  return component;
}

namespace {

/// Modes that live on a smaller share of the points tell outliers from the rest, not stages.
constexpr double least_participation = 0.02;
constexpr std::size_t spare_modes = 5;

/// Of the sampling density, this power of the degrees is divided out of the weights: where cells
/// are crowded (stable states, uneven sampling) the order would else hardly go on.
constexpr double density_power = 0.5;

Graph without_density(const Graph& graph) {
  const std::size_t n = graph.n_points();
  std::vector<double> factor(n);
  for (std::size_t i = 0; i < n; ++i) {
    double degree = 0;
    for (const double w : graph.weights.row_values(i)) degree += w;
    factor[i] = degree > 0 ? std::pow(degree, -density_power) : 1;
  }
  Graph divided = graph;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
      divided.weights.values[e] *=
          factor[i] * factor[static_cast<std::size_t>(graph.weights.indices[e])];
    }
  }
  return divided;
}

/// Over how many points a mode spreads: (sum y^2)^2 / sum y^4.
double participation(const Matrix<double>& modes, std::size_t k) {
  double squares = 0, fourths = 0;
  for (std::size_t i = 0; i < modes.rows(); ++i) {
    const double square = modes(i, k) * modes(i, k);
    squares += square;
    fourths += square * square;
  }
  return fourths > 0 ? squares * squares / fourths : 0;
}

}  // namespace

SlowModes slow_modes(const Graph& connected, std::size_t n_modes, const Context& context) {
  SpectralOptions options;
  options.n_components = std::min(n_modes + spare_modes, connected.n_points() - 1);
  // An order needs no more: modes this slow are told apart by 1e-6 of the largest eigenvalue.
  options.tolerance = 1e-7;
  SpectralEmbedding found = spectral_embedding(without_density(connected), options, context);
  if (found.outcome == Outcome::iteration_limit) {
    context.warn(
        "the slowest modes of heat are right to 1e-4 only: the graph hangs together by "
        "few edges (use a larger `knn`)");
  }
  const std::size_t n = connected.n_points();
  std::vector<std::size_t> kept, local;
  for (std::size_t k = 0; k < found.eigenvalues.size(); ++k) {
    const double share = participation(found.coordinates, k) / static_cast<double>(n);
    (share >= least_participation ? kept : local).push_back(k);
  }
  // Where nearly every mode is local, they are all there is.
  for (std::size_t k = 0; k < local.size() && kept.size() < std::min<std::size_t>(2, n_modes);
       ++k) {
    kept.push_back(local[k]);
  }
  std::sort(kept.begin(), kept.end());
  kept.resize(std::min(kept.size(), n_modes));
  SlowModes slow{Matrix<double>(n, kept.size()), {}};
  for (std::size_t c = 0; c < kept.size(); ++c) {
    slow.eigenvalues.push_back(found.eigenvalues[kept[c]]);
    for (std::size_t i = 0; i < n; ++i) slow.modes(i, c) = found.coordinates(i, kept[c]);
  }
  return slow;
}

SlowCoordinates spread_to_points(SlowModes slow, std::span<const Index> cells, std::size_t n) {
  SlowCoordinates result{Matrix<double>(n, slow.modes.cols()), std::move(slow.eigenvalues),
                         std::vector<Index>(cells.begin(), cells.end())};
  std::sort(result.cells.begin(), result.cells.end());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    std::copy(slow.modes.row(k).begin(), slow.modes.row(k).end(),
              result.modes.row(static_cast<std::size_t>(cells[k])).begin());
  }
  return result;
}

Matrix<double> weighted_modes(const SlowModes& slow, std::size_t m, double power) {
  m = std::min(m, slow.eigenvalues.size());
  const std::size_t n = slow.modes.rows();
  Matrix<double> places(n, m);
  // Eigenvalues of a connected graph are above 0; rounding may say otherwise of very slow ones.
  std::vector<double> factor(m);
  for (std::size_t k = 0; k < m; ++k) {
    factor[k] = std::pow(std::max(slow.eigenvalues[k], 1e-12), -power);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < m; ++k) places(i, k) = slow.modes(i, k) * factor[k];
  }
  return places;
}

namespace {

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

/// Weights of 1 between neighbours, either way, each named once; `further` are more entries.
SparseMatrix pattern_of(const NeighborLists& lists, std::size_t n,
                        const std::vector<std::pair<Index, Index>>& further,
                        const Context& context) {
  std::vector<std::size_t> begins(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    begins[i + 1] += lists.neighbors(i).size();
    for (const Index j : lists.neighbors(i)) ++begins[static_cast<std::size_t>(j) + 1];
  }
  for (const auto& [a, b] : further) ++begins[static_cast<std::size_t>(a) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<Index> beside(begins.back());
  std::vector<std::size_t> end_of(begins.begin(), begins.end() - 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (const Index j : lists.neighbors(i)) {
      beside[end_of[i]++] = j;
      beside[end_of[static_cast<std::size_t>(j)]++] = static_cast<Index>(i);
    }
  }
  for (const auto& [a, b] : further) beside[end_of[static_cast<std::size_t>(a)]++] = b;
  parallel_for(context, n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Index* const first = beside.data() + begins[i];
      Index* const last = beside.data() + end_of[i];
      std::sort(first, last);
      end_of[i] = begins[i] + static_cast<std::size_t>(std::unique(first, last) - first);
    }
  });
  SparseMatrix pattern;
  pattern.rows = pattern.cols = n;
  pattern.indices.reserve(beside.size());
  for (std::size_t i = 0; i < n; ++i) {
    pattern.indices.insert(pattern.indices.end(), beside.data() + begins[i],
                           beside.data() + end_of[i]);
    pattern.offsets.push_back(pattern.indices.size());
  }
  pattern.values.assign(pattern.indices.size(), 1);
  return pattern;
}

}  // namespace

Graph geodesic_graph(const Graph& connected, const Matrix<double>& places, std::size_t knn,
                     const Context& context) {
  const std::size_t n = places.rows();
  const NeighborLists lists = find_neighbors(places.view(), {.knn = std::min(knn, n - 1)}, context);
  Graph graph;
  graph.weights = pattern_of(lists, n, {}, context);
  const std::vector<Index> component = connected_components(graph.weights);
  if (std::any_of(component.begin(), component.end(), [](Index c) { return c > 0; })) {
    std::vector<std::pair<Index, Index>> bridges;
    for (std::size_t i = 0; i < n; ++i) {
      for (const Index j : connected.weights.row_indices(i)) {
        if (component[i] == component[static_cast<std::size_t>(j)]) continue;
        bridges.emplace_back(static_cast<Index>(i), j);
      }
    }
    graph.weights = pattern_of(lists, n, bridges, context);
  }
  graph.lengths.resize(graph.weights.n_entries());
  parallel_for(context, n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
        graph.lengths[e] =
            distance(places.row(i), places.row(static_cast<std::size_t>(graph.weights.indices[e])));
      }
    }
  });
  graph.component.assign(n, 0);
  graph.n_components = 1;
  return graph;
}

namespace {

/// From 0 to 1.
void scale(std::vector<double>& order) {
  const auto [least, most] = std::minmax_element(order.begin(), order.end());
  const double low = *least, span = *most - low;
  for (double& value : order) value = span > 0 ? (value - low) / span : 0;
}

}  // namespace

Order order_from(const Graph& connected, const SlowModes& slow, std::span<const Index> roots,
                 const PseudotimeOptions& options, const Context& context) {
  const std::size_t n = connected.n_points();
  std::vector<double> order(n, 0);
  std::vector<std::size_t> resolutions = options.resolutions;
  std::sort(resolutions.begin(), resolutions.end());
  Graph geodesics;  // of the finest resolution in the end
  for (std::size_t r = 0; r < resolutions.size(); ++r) {
    context.report_or_throw({"pseudotime", r, resolutions.size()});
    geodesics =
        geodesic_graph(connected, weighted_modes(slow, resolutions[r], 0.5), options.knn, context);
    const Matrix<double> from = shortest_paths(geodesics, roots, context);
    for (std::size_t k = 0; k < roots.size(); ++k) {
      const double farthest = *std::max_element(from.row(k).begin(), from.row(k).end());
      if (farthest <= 0) continue;
      for (std::size_t i = 0; i < n; ++i) order[i] += from(k, i) / farthest;
    }
  }
  scale(order);
  const MilestoneOptions branches;
  const auto least_cells =
      static_cast<std::size_t>(std::ceil(branches.min_cells * static_cast<double>(n)));
  std::vector<double> even =
      with_even_ends(order, branches_of(geodesics.weights, order, branches.min_branch, least_cells),
                     options.even_ends);
  scale(even);
  return {std::move(order), std::move(even)};
}

}  // namespace detail

SlowCoordinates slow_coordinates(const Graph& graph, Index inside, std::size_t n_modes,
                                 const Context& context) {
  if (inside < 0 || static_cast<std::size_t>(inside) >= graph.n_points()) {
    throw InvalidArgument("inside is " + std::to_string(inside) + ": the graph has points 0 to " +
                          std::to_string(graph.n_points() - 1));
  }
  const std::vector<Index> cells = detail::component_of(graph, inside);
  detail::SlowModes slow;
  if (cells.size() >= 2) {
    slow = detail::slow_modes(detail::part_of(graph, cells), n_modes, context);
  } else {
    slow.modes = Matrix<double>(cells.size(), 0);
  }
  return detail::spread_to_points(std::move(slow), cells, graph.n_points());
}

}  // namespace geotherm
