// Graph and landmarks -> cells, which cells touch, and the graph of the coarse problem.
#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include "geotherm/landmarks.hpp"
#include "landmarks/reach.hpp"

namespace geotherm {
namespace {

struct Crossing {
  std::uint64_t pair = 0;  ///< smaller cell, larger cell
  double length = 0;
  bool operator<(const Crossing& other) const {
    return pair != other.pair ? pair < other.pair : length < other.length;
  }
};

/// The shortest crossing of every border, by (smaller cell, larger cell).
std::vector<Crossing> crossings(const Graph& graph, std::span<const double> lengths,
                                const Cells& cells, const Context& context) {
  const std::size_t n = graph.n_points();
  constexpr std::size_t block = 4096;
  std::vector<std::vector<Crossing>> parts((n + block - 1) / block);
  const auto shortest_each = [](std::vector<Crossing>& all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end(),
                          [](const Crossing& a, const Crossing& b) { return a.pair == b.pair; }),
              all.end());
  };
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    std::vector<Crossing>& part = parts[begin / block];
    for (std::size_t i = begin; i < end; ++i) {
      const Index a = cells.cell_of[i];
      for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
        const auto j = static_cast<std::size_t>(graph.weights.indices[e]);
        const Index b = cells.cell_of[j];
        if (a >= b) continue;  // each edge is stored both ways
        part.push_back({(static_cast<std::uint64_t>(a) << 32U) | static_cast<std::uint64_t>(b),
                        cells.to_landmark[i] + lengths[e] + cells.to_landmark[j]});
      }
    }
    shortest_each(part);
  });
  std::vector<Crossing> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  shortest_each(all);
  return all;
}

void number_components(Graph& graph) {
  graph.component = connected_components(graph.weights);
  for (const Index c : graph.component) {
    graph.n_components = std::max(graph.n_components, static_cast<std::size_t>(c) + 1);
  }
}

/// The landmarks nearest to one along the touching cells: knn of them and what is within reach.
class NearLandmarks {
 public:
  explicit NearLandmarks(const Graph& touching)
      : graph_(touching), best_(touching.n_points(), infinite) {}

  std::vector<std::pair<double, Index>> of(Index from, std::size_t knn, double reach) {
    std::vector<std::pair<double, Index>> found;
    std::vector<Index> touched = {from};
    using Entry = std::pair<double, Index>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    best_[static_cast<std::size_t>(from)] = 0;
    queue.emplace(0.0, from);
    while (!queue.empty()) {
      const auto [distance, point] = queue.top();
      queue.pop();
      const auto i = static_cast<std::size_t>(point);
      if (distance > best_[i]) continue;
      if (found.size() >= knn && distance > reach * found[knn - 1].first) break;
      if (point != from) found.emplace_back(distance, point);
      for (std::size_t e = graph_.weights.offsets[i]; e < graph_.weights.offsets[i + 1]; ++e) {
        const auto j = static_cast<std::size_t>(graph_.weights.indices[e]);
        const double by_here = distance + graph_.lengths[e];
        if (!(by_here < best_[j])) continue;
        if (best_[j] == infinite) touched.push_back(graph_.weights.indices[e]);
        best_[j] = by_here;
        queue.emplace(by_here, graph_.weights.indices[e]);
      }
    }
    for (const Index point : touched) best_[static_cast<std::size_t>(point)] = infinite;
    return found;
  }

 private:
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  const Graph& graph_;
  std::vector<double> best_;
};

}  // namespace

Cells cells_around(const Graph& graph, std::vector<Index> landmarks, const Context& context) {
  Cells cells;
  const std::size_t m = landmarks.size();
  std::vector<double> made;
  const std::span<const double> lengths = detail::lengths_or_rates(graph, made);
  context.report_or_throw({.stage = "landmarks", .done = 0, .total = 1});
  detail::NearestSource nearest(graph.weights, lengths, context);
  nearest.add(landmarks);
  cells.landmarks = std::move(landmarks);
  cells.cell_of = nearest.source();
  cells.to_landmark = nearest.distance();
  cells.n_points.assign(m, 0);
  for (const Index c : cells.cell_of) {
    if (c < 0) {
      throw InvalidArgument("landmarks: some component of the graph has none; give each one");
    }
    ++cells.n_points[static_cast<std::size_t>(c)];
  }
  const std::vector<Crossing> borders = crossings(graph, lengths, cells, context);
  std::vector<Triplet> entries;
  for (const Crossing& c : borders) {
    const auto a = static_cast<Index>(c.pair >> 32U), b = static_cast<Index>(c.pair & 0xffffffffU);
    entries.push_back({a, b, c.length});
    entries.push_back({b, a, c.length});
  }
  cells.touching.weights = sparse_from_triplets(m, m, std::move(entries));
  cells.touching.lengths = cells.touching.weights.values;
  std::fill(cells.touching.weights.values.begin(), cells.touching.weights.values.end(), 1.0);
  number_components(cells.touching);
  return cells;
}

Graph coarse_graph(const Cells& cells, std::size_t knn, const AffinityOptions& affinity,
                   const Context& context) {
  const std::size_t m = cells.landmarks.size();
  if (m < 2) return cells.touching;  // a landmark alone has no neighbours
  NeighborLists lists;
  lists.n_points = m;
  lists.knn = std::min(knn, m - 1);
  lists.reach = reach_of(affinity);
  std::vector<std::vector<std::pair<double, Index>>> near(m);
  parallel_for(context, m, 64, [&](std::size_t begin, std::size_t end) {
    NearLandmarks search(cells.touching);
    for (std::size_t l = begin; l < end; ++l) {
      near[l] = search.of(static_cast<Index>(l), lists.knn, lists.reach);
    }
  });
  for (const auto& list : near) {
    if (list.size() < lists.knn) return cells.touching;
    for (const auto& [distance, other] : list) {
      lists.indices.push_back(other);
      lists.distances.push_back(distance);
    }
    lists.offsets.push_back(lists.indices.size());
  }
  Graph graph = build_graph(lists, affinity, context);
  return graph.n_components == cells.touching.n_components ? graph : cells.touching;
}

}  // namespace geotherm
