// Lengths of the points' edges, cell by cell -> weights of the landmarks' graph that count those.
// Landmarks are drawn at random, so that their own steps are long here and short there by chance,
// and where points fill more dimensions than their landmarks do, by density.
#include <cmath>

#include "core/median.hpp"
#include "geotherm/landmarks.hpp"
#include "graph/step_rates.hpp"

namespace geotherm {
namespace {

/// The largest degree sets the number of terms of the heat kernel: landmarks that lie together by
/// chance are not followed further than this.
constexpr detail::StepBounds hop_bounds{.least = 0.7, .most = 20};

}  // namespace

CellEdges edges_of_cells(const Graph& graph, std::span<const Index> cell_of, std::size_t n_cells) {
  CellEdges edges{std::vector<double>(n_cells, 0.0), std::vector<std::size_t>(n_cells, 0)};
  if (!graph.has_lengths()) return edges;
  for (std::size_t i = 0; i < cell_of.size(); ++i) {
    const auto c = static_cast<std::size_t>(cell_of[i]);
    const std::size_t begin = graph.weights.offsets[i], end = graph.weights.offsets[i + 1];
    double sum = 0;
    for (std::size_t e = begin; e < end; ++e) sum += graph.lengths[e];
    edges.total_length[c] += sum;
    edges.count[c] += end - begin;
  }
  return edges;
}

Graph with_hop_rates(Graph coarse, const CellEdges& edges, const Context& context) {
  const std::size_t m = coarse.n_points();
  if (edges.count.size() != m || edges.total_length.size() != m) {
    throw InvalidArgument("edges of " + std::to_string(edges.count.size()) + " cells for " +
                          std::to_string(m) + " landmarks");
  }
  if (!coarse.has_lengths() || coarse.weights.n_entries() == 0) return coarse;
  std::vector<double> unit(m, 0.0), known;
  for (std::size_t l = 0; l < m; ++l) {
    if (edges.count[l] == 0 || !(edges.total_length[l] > 0)) continue;
    unit[l] = edges.total_length[l] / static_cast<double>(edges.count[l]);
    known.push_back(unit[l]);
  }
  const double step = detail::median(coarse.lengths), edge = detail::median(std::move(known));
  if (!(step > 0) || !(edge > 0)) return coarse;
  for (double& u : unit) u = u > 0 ? u / edge * step : step;
  return detail::with_step_rates(std::move(coarse), unit, hop_bounds, context);
}

}  // namespace geotherm
