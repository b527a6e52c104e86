// Alpha decay: k_i(d) = exp(-(d / b_i)^decay), b_i the distance to the knn-th neighbour; below the
// threshold 0; W = (K + K^T) / 2; optionally W_ij / (q_i q_j)^anisotropy with q the row sums of W.
#include <cmath>
#include <optional>
#include <utility>

#include "graph/device_unite.hpp"
#include "graph/kernels.hpp"
#include "graph/unite.hpp"

namespace geotherm::detail {
namespace {

/// Share of the points whose list may end before the kernel does, where the search did not look as
/// far as the kernel reaches.
double cut_share(const NeighborLists& lists, double needed) {
  if (lists.reach >= needed * (1 - 1e-9)) return lists.truncated_share;
  std::size_t n_cut = 0;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    const auto lengths = lists.lengths(i);
    const bool is_complete =
        lengths.size() + 1 == lists.n_points || lengths.back() > needed * lengths[lists.knn - 1];
    n_cut += is_complete ? 0 : 1;
  }
  return static_cast<double>(n_cut) / static_cast<double>(lists.n_points);
}

void divide_out_density(Graph& graph, double anisotropy, const Context& context) {
  SparseMatrix& w = graph.weights;
  std::vector<double> q(w.rows);
  for (std::size_t i = 0; i < w.rows; ++i) {
    for (const double value : w.row_values(i)) q[i] += value;
  }
  parallel_for(context, w.rows, 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto columns = w.row_indices(i);
      const auto values = w.row_values(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        values[k] /= std::pow(q[i] * q[static_cast<std::size_t>(columns[k])], anisotropy);
      }
    }
  });
}

}  // namespace

Graph alpha_decay(const NeighborLists& lists, const AffinityOptions& options,
                  const Context& context) {
  const auto view = [&](std::size_t i, double length) {
    const double bandwidth = lists.lengths(i)[lists.knn - 1];
    // knn duplicates: there is no scale, so only they are near.
    if (bandwidth == 0) return length == 0 ? 1.0 : 0.0;
    const double affinity = std::exp(-std::pow(length / bandwidth, options.decay));
    return affinity < options.threshold ? 0.0 : affinity;
  };
  std::optional<Graph> there = alpha_decay_on_device(context, lists, options);
  Graph graph = there ? std::move(*there)
                      : unite(
                            lists, lists.n_points, view,
                            [](const SeenEdge& e) { return 0.5 * (e.own + e.other); }, context);
  if (options.anisotropy > 0) divide_out_density(graph, options.anisotropy, context);
  graph.truncated_share = cut_share(lists, reach_of(options));
  return graph;
}

}  // namespace geotherm::detail
