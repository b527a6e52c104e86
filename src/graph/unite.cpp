#include "graph/unite.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/large_pages.hpp"

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

ListedBy listed_by(const NeighborLists& lists, std::size_t most, const Context& context) {
  const std::size_t n = lists.n_points;
  const auto for_each_entry = [&](const auto& take) {
    parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (const Index j : first_of(lists.neighbors(i), most)) {
          take(i, static_cast<std::size_t>(j));
        }
      }
    });
  };
  ListedBy turned;
  turned.offsets.assign(n + 1, 0);
  const auto add_one = [&](std::size_t j) {
    return std::atomic_ref(turned.offsets[j]).fetch_add(1, std::memory_order_relaxed);
  };
  for_each_entry([&](std::size_t, std::size_t j) { add_one(j + 1); });
  for (std::size_t i = 0; i < n; ++i) turned.offsets[i + 1] += turned.offsets[i];
  resize_in_large_pages(turned.from, turned.offsets[n]);
  // offsets[j] walks to the end of row j, which is the start of the next: moved back by one after.
  for_each_entry(
      [&](std::size_t i, std::size_t j) { turned.from[add_one(j)] = static_cast<Index>(i); });
  for (std::size_t i = n; i > 0; --i) turned.offsets[i] = turned.offsets[i - 1];
  turned.offsets[0] = 0;
  // Threads fill a row in any order.
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::sort(turned.from.begin() + static_cast<std::ptrdiff_t>(turned.offsets[i]),
                turned.from.begin() + static_cast<std::ptrdiff_t>(turned.offsets[i + 1]));
    }
  });
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

/// Rows hold `counts` entries each at the start of their stretch: closes the gaps, one array at a
/// time.
void close_gaps(Graph& graph, const std::vector<Index>& counts, const Context& context) {
  std::vector<std::size_t>& offsets = graph.weights.offsets;
  std::vector<std::size_t> closed(offsets.size(), 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    closed[i + 1] = closed[i] + static_cast<std::size_t>(counts[i]);
  }
  if (closed.back() == offsets.back()) return;
  const auto close = [&](auto& values) {
    std::remove_reference_t<decltype(values)> kept;
    resize_in_large_pages(kept, closed.back());
    parallel_for(context, counts.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        std::copy_n(values.data() + offsets[i], counts[i], kept.data() + closed[i]);
      }
    });
    values = std::move(kept);
  };
  close(graph.weights.indices);
  close(graph.weights.values);
  close(graph.lengths);
  offsets = std::move(closed);
}

}  // namespace

Graph unite(const NeighborLists& lists, std::size_t most,
            const std::function<double(std::size_t, double)>& view,
            const std::function<double(const SeenEdge&)>& weight, const Context& context) {
  const std::size_t n = lists.n_points;
  const ListedBy turned = listed_by(lists, most, context);
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
  resize_in_large_pages(graph.weights.indices, offsets[n]);
  resize_in_large_pages(graph.weights.values, offsets[n]);
  resize_in_large_pages(graph.lengths, offsets[n]);
  std::vector<Index> counts(n, 0);
  parallel_for(context, n, row_block, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> order;
    for (std::size_t i = begin; i < end; ++i) {
      const auto lengths = lists.lengths(i);
      std::size_t at = offsets[i];
      for_each_pair(
          lists, turned, most, i, order, [&](Index j, std::ptrdiff_t place, bool is_listed) {
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
              const auto at_other = std::find(others.begin(), others.end(), static_cast<Index>(i));
              const double length =
                  lists.lengths(edge.to)[static_cast<std::size_t>(at_other - others.begin())];
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
  close_gaps(graph, counts, context);
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
