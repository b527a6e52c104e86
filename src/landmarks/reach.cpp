#include "landmarks/reach.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <queue>

namespace geotherm::detail {

std::span<const double> lengths_or_rates(const Graph& graph, std::vector<double>& made) {
  if (graph.has_lengths()) return graph.lengths;
  made.resize(graph.weights.values.size());
  for (std::size_t e = 0; e < made.size(); ++e) made[e] = 1 / std::sqrt(graph.weights.values[e]);
  return made;
}

NearestSource::NearestSource(const SparseMatrix& edges, std::span<const double> lengths,
                             const Context& context)
    : edges_(edges),
      lengths_(lengths),
      distance_(edges.rows, std::numeric_limits<double>::infinity()),
      source_(edges.rows, -1),
      on_device_(device_paths(context, edges, lengths)) {}

void NearestSource::add(std::span<const Index> sources) {
  if (on_device_) {
    sources_.insert(sources_.end(), sources.begin(), sources.end());
    on_device_->nearest(sources_, distance_, source_);
    return;
  }
  using Entry = std::pair<double, Index>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (const Index point : sources) {
    const auto i = static_cast<std::size_t>(point);
    const Index number = n_sources_++;
    if (distance_[i] == 0 && source_[i] >= 0) continue;
    distance_[i] = 0;
    source_[i] = number;
    queue.emplace(0.0, point);
  }
  while (!queue.empty()) {
    const auto [distance, point] = queue.top();
    queue.pop();
    const auto i = static_cast<std::size_t>(point);
    if (distance > distance_[i]) continue;
    const Index source = source_[i];
    for (std::size_t e = edges_.offsets[i]; e < edges_.offsets[i + 1]; ++e) {
      const auto j = static_cast<std::size_t>(edges_.indices[e]);
      const double by_here = distance + lengths_[e];
      if (by_here > distance_[j]) continue;
      if (by_here == distance_[j] && (source_[j] <= source)) continue;
      distance_[j] = by_here;
      source_[j] = source;
      queue.emplace(by_here, edges_.indices[e]);
    }
  }
}

}  // namespace geotherm::detail
