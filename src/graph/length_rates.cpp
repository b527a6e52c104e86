// Rates that know lengths: heat crosses an edge at W m^2 / sqrt(s_i s_j), where s is the mean
// squared step from a point and m the median length, so that it spreads in units of the data, not
// in hops.
#include <algorithm>
#include <cmath>

#include "core/median.hpp"
#include "geotherm/shortcuts.hpp"
#include "graph/degrees.hpp"
#include "graph/step_rates.hpp"

namespace geotherm {
namespace detail {

Graph with_step_rates(Graph graph, std::span<const double> unit, const StepBounds& bounds,
                      const Context& context) {
  SparseMatrix& w = graph.weights;
  const std::vector<double> before = degrees(w);
  std::vector<double> root_step(w.rows, 1);
  parallel_for(context, w.rows, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0;
      for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
        const double step = graph.lengths[k] / unit[i];
        sum += w.values[k] * step * step;
      }
      if (sum > 0 && before[i] > 0) {
        root_step[i] = std::clamp(std::sqrt(sum / before[i]), bounds.least, bounds.most);
      }
    }
  });
  for (std::size_t i = 0; i < w.rows; ++i) {
    for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
      w.values[k] /= root_step[i] * root_step[static_cast<std::size_t>(w.indices[k])];
    }
  }
  // Of the points that have edges: landmarks of small components may be mostly alone.
  const auto typical = [](std::vector<double> all) {
    std::erase_if(all, [](double degree) { return !(degree > 0); });
    return median(std::move(all));
  };
  const double scale = typical(before) / typical(degrees(w));
  for (double& value : w.values) value *= scale;
  return graph;
}

}  // namespace detail

Graph with_length_rates(Graph graph, const Context& context) {
  if (!graph.has_lengths() || graph.weights.n_entries() == 0) return graph;
  const double m = detail::median(graph.lengths);
  if (!(m > 0)) return graph;
  // In units of the median length, so that data of any scale keeps clear of over- and underflow.
  const std::vector<double> unit(graph.n_points(), m);
  return detail::with_step_rates(std::move(graph), unit, {}, context);
}

}  // namespace geotherm
