#include "graph/unite.hpp"

#include <algorithm>

namespace geotherm::detail {
namespace {

constexpr std::size_t row_block = 512;

/// Rows of a block of points, to be put together in order.
struct Rows {
  std::vector<std::size_t> counts;
  std::vector<Index> indices;
  std::vector<double> values;
  std::vector<double> lengths;
};

void assemble(const std::vector<Rows>& blocks, std::vector<std::size_t>& offsets,
              std::vector<Index>& indices, std::vector<double>& values,
              std::vector<double>& lengths) {
  std::size_t n_entries = 0;
  for (const Rows& rows : blocks) n_entries += rows.indices.size();
  offsets.assign(1, 0);
  indices.reserve(n_entries);
  values.reserve(n_entries);
  lengths.reserve(n_entries);
  for (const Rows& rows : blocks) {
    for (const std::size_t count : rows.counts) offsets.push_back(offsets.back() + count);
    indices.insert(indices.end(), rows.indices.begin(), rows.indices.end());
    values.insert(values.end(), rows.values.begin(), rows.values.end());
    lengths.insert(lengths.end(), rows.lengths.begin(), rows.lengths.end());
  }
}

Views transposed(const Views& views) {
  const std::size_t n = views.n_points();
  Views t;
  t.offsets.assign(n + 1, 0);
  t.indices.resize(views.indices.size());
  t.values.resize(views.indices.size());
  t.lengths.resize(views.indices.size());
  for (const Index j : views.indices) ++t.offsets[static_cast<std::size_t>(j) + 1];
  for (std::size_t i = 0; i < n; ++i) t.offsets[i + 1] += t.offsets[i];
  std::vector<std::size_t> next(t.offsets.begin(), t.offsets.end() - 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = views.offsets[i]; k < views.offsets[i + 1]; ++k) {
      const std::size_t place = next[static_cast<std::size_t>(views.indices[k])]++;
      t.indices[place] = static_cast<Index>(i);
      t.values[place] = views.values[k];
      t.lengths[place] = views.lengths[k];
    }
  }
  return t;
}

}  // namespace

Views views_of(const NeighborLists& lists, std::size_t most,
               const std::function<double(std::size_t, double)>& view, const Context& context) {
  std::vector<Rows> blocks((lists.n_points + row_block - 1) / row_block);
  parallel_for(context, lists.n_points, row_block, [&](std::size_t begin, std::size_t end) {
    Rows& rows = blocks[begin / row_block];
    std::vector<std::size_t> order;
    for (std::size_t i = begin; i < end; ++i) {
      const auto neighbors = lists.neighbors(i);
      const auto lengths = lists.lengths(i);
      order.resize(std::min(most, neighbors.size()));
      for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
      std::sort(order.begin(), order.end(),
                [&](std::size_t a, std::size_t b) { return neighbors[a] < neighbors[b]; });
      std::size_t count = 0;
      for (const std::size_t k : order) {
        const double value = view(i, lengths[k]);
        if (!(value > 0)) continue;
        rows.indices.push_back(neighbors[k]);
        rows.values.push_back(value);
        rows.lengths.push_back(lengths[k]);
        ++count;
      }
      rows.counts.push_back(count);
    }
  });
  Views views;
  assemble(blocks, views.offsets, views.indices, views.values, views.lengths);
  return views;
}

Graph unite(const Views& views, const std::function<double(const SeenEdge&)>& weight,
            const Context& context) {
  const std::size_t n = views.n_points();
  const Views others = transposed(views);
  std::vector<Rows> blocks((n + row_block - 1) / row_block);
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    Rows& rows = blocks[begin / row_block];
    for (std::size_t i = begin; i < end; ++i) {
      std::size_t count = 0;
      std::size_t a = views.offsets[i], b = others.offsets[i];
      const std::size_t a_end = views.offsets[i + 1], b_end = others.offsets[i + 1];
      while (a < a_end || b < b_end) {
        const bool has_own = b == b_end || (a < a_end && views.indices[a] <= others.indices[b]);
        const bool has_other = a == a_end || (b < b_end && others.indices[b] <= views.indices[a]);
        SeenEdge edge;
        edge.from = i;
        edge.to = static_cast<std::size_t>(has_own ? views.indices[a] : others.indices[b]);
        edge.length = has_own ? views.lengths[a] : others.lengths[b];
        if (has_other) {
          edge.length = std::min(edge.length, others.lengths[b]);
          edge.other = others.values[b++];
        }
        if (has_own) edge.own = views.values[a++];
        const double value = weight(edge);
        if (!(value > 0)) continue;
        rows.indices.push_back(static_cast<Index>(edge.to));
        rows.values.push_back(value);
        rows.lengths.push_back(edge.length);
        ++count;
      }
      rows.counts.push_back(count);
    }
  });
  Graph graph;
  graph.weights.rows = graph.weights.cols = n;
  assemble(blocks, graph.weights.offsets, graph.weights.indices, graph.weights.values,
           graph.lengths);
  return graph;
}

}  // namespace geotherm::detail
