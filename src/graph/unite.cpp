#include "graph/unite.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

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

void assemble(std::vector<Rows>& blocks, std::vector<std::size_t>& offsets,
              std::vector<Index>& indices, std::vector<double>& values,
              std::vector<double>& lengths) {
  std::size_t n_entries = 0;
  for (const Rows& rows : blocks) n_entries += rows.indices.size();
  offsets.assign(1, 0);
  indices.reserve(n_entries);
  values.reserve(n_entries);
  lengths.reserve(n_entries);
  for (Rows& rows : blocks) {
    for (const std::size_t count : rows.counts) offsets.push_back(offsets.back() + count);
    indices.insert(indices.end(), rows.indices.begin(), rows.indices.end());
    values.insert(values.end(), rows.values.begin(), rows.values.end());
    lengths.insert(lengths.end(), rows.lengths.begin(), rows.lengths.end());
    rows = {};  // large results are not held twice
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

namespace {

/// Who lists each point: the lists turned round. Where in the list of another a point is has to be
/// looked up there; lists are short, and this is the largest moment of a run.
struct ListedBy {
  std::vector<std::size_t> offsets;
  std::vector<Index> from;  ///< ascending within a row
};

std::span<const Index> first_of(std::span<const Index> list, std::size_t most) {
  return list.first(std::min(most, list.size()));
}

ListedBy listed_by(const NeighborLists& lists, std::size_t most) {
  const std::size_t n = lists.n_points;
  ListedBy turned;
  turned.offsets.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (const Index j : first_of(lists.neighbors(i), most)) {
      ++turned.offsets[static_cast<std::size_t>(j) + 1];
    }
  }
  for (std::size_t i = 0; i < n; ++i) turned.offsets[i + 1] += turned.offsets[i];
  turned.from.resize(turned.offsets[n]);
  // offsets[j] walks to the end of row j, which is the start of the next: moved back by one after.
  for (std::size_t i = 0; i < n; ++i) {
    for (const Index j : first_of(lists.neighbors(i), most)) {
      turned.from[turned.offsets[static_cast<std::size_t>(j)]++] = static_cast<Index>(i);
    }
  }
  for (std::size_t i = n; i > 0; --i) turned.offsets[i] = turned.offsets[i - 1];
  turned.offsets[0] = 0;
  return turned;
}

/// Calls take(j, place in the own list or -1, whether j lists i) over everyone that point i lists
/// or is listed by, j ascending.
template <class Take>
void for_each_pair(const NeighborLists& lists, const ListedBy& turned, std::size_t most,
                   std::size_t i, std::vector<std::uint32_t>& order, const Take& take) {
  const auto neighbors = lists.neighbors(i);
  order.resize(std::min(most, neighbors.size()));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<std::uint32_t>(k);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return neighbors[a] < neighbors[b]; });
  std::size_t a = 0, b = turned.offsets[i];
  const std::size_t b_end = turned.offsets[i + 1];
  while (a < order.size() || b < b_end) {
    const Index own = a < order.size() ? neighbors[order[a]] : std::numeric_limits<Index>::max();
    const Index other = b < b_end ? turned.from[b] : std::numeric_limits<Index>::max();
    take(std::min(own, other), own <= other ? static_cast<std::ptrdiff_t>(order[a]) : -1,
         other <= own);
    a += own <= other ? 1 : 0;
    b += other <= own ? 1 : 0;
  }
}

/// Rows hold `counts` entries each at the start of their stretch: closes the gaps.
void close_gaps(Graph& graph, const std::vector<Index>& counts) {
  std::vector<std::size_t>& offsets = graph.weights.offsets;
  std::size_t to = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t from = offsets[i];
    offsets[i] = to;
    for (std::size_t k = from; k < from + static_cast<std::size_t>(counts[i]); ++k, ++to) {
      graph.weights.indices[to] = graph.weights.indices[k];
      graph.weights.values[to] = graph.weights.values[k];
      graph.lengths[to] = graph.lengths[k];
    }
  }
  offsets.back() = to;
  graph.weights.indices.resize(to);
  graph.weights.values.resize(to);
  graph.lengths.resize(to);
}

}  // namespace

Graph unite(const NeighborLists& lists, std::size_t most,
            const std::function<double(std::size_t, double)>& view,
            const std::function<double(const SeenEdge&)>& weight, const Context& context) {
  const std::size_t n = lists.n_points;
  const ListedBy turned = listed_by(lists, most);
  Graph graph;
  graph.weights.rows = graph.weights.cols = n;
  std::vector<std::size_t>& offsets = graph.weights.offsets;
  offsets.assign(n + 1, 0);
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> order;
    for (std::size_t i = begin; i < end; ++i) {
      for_each_pair(lists, turned, most, i, order,
                    [&](Index, std::ptrdiff_t, bool) { ++offsets[i + 1]; });
    }
  });
  for (std::size_t i = 0; i < n; ++i) offsets[i + 1] += offsets[i];
  graph.weights.indices.resize(offsets[n]);
  graph.weights.values.resize(offsets[n]);
  graph.lengths.resize(offsets[n]);
  std::vector<Index> counts(n, 0);
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> order;
    for (std::size_t i = begin; i < end; ++i) {
      const auto lengths = lists.lengths(i);
      std::size_t at = offsets[i];
      for_each_pair(lists, turned, most, i, order,
                    [&](Index j, std::ptrdiff_t place, bool is_listed) {
                      SeenEdge edge;
                      edge.from = i;
                      edge.to = static_cast<std::size_t>(j);
                      edge.length = std::numeric_limits<double>::infinity();
                      if (place >= 0) {
                        const double length = lengths[static_cast<std::size_t>(place)];
                        const double value = view(i, length);
                        if (value > 0) {
                          edge.own = value;
                          edge.length = length;
                        }
                      }
                      if (is_listed) {
                        const auto others = lists.neighbors(edge.to);
                        const auto at_other =
                            std::find(others.begin(), others.end(), static_cast<Index>(i));
                        const double length = lists.lengths(
                            edge.to)[static_cast<std::size_t>(at_other - others.begin())];
                        const double value = view(edge.to, length);
                        if (value > 0) {
                          edge.other = value;
                          edge.length = std::min(edge.length, length);
                        }
                      }
                      if (!(edge.own > 0 || edge.other > 0)) return;
                      const double value = weight(edge);
                      if (!(value > 0)) return;
                      graph.weights.indices[at] = j;
                      graph.weights.values[at] = value;
                      graph.lengths[at++] = edge.length;
                    });
      counts[i] = static_cast<Index>(at - offsets[i]);
    }
  });
  close_gaps(graph, counts);
  return graph;
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
