// Connected components and what is done where there are several.
#include "graph/components.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/median.hpp"
#include "graph/bridges.hpp"

namespace geotherm {

namespace {

/// Detail::Groups for threads: a root is joined to a smaller one by an exchange that fails where
/// another thread was faster, so that the root of a group is its first point in the end.
class SharedGroups {
 public:
  explicit SharedGroups(std::size_t n) : parent_(n) {
    for (std::size_t i = 0; i < n; ++i) parent_[i].store(static_cast<Index>(i), relaxed);
  }
  Index root(Index i) {
    for (;;) {
      const Index above = at(i).load(relaxed);
      if (above == i) return i;
      const Index next = at(above).load(relaxed);
      if (next != above) at(i).store(next, relaxed);  // parents only fall: any of them will do
      i = above;
    }
  }
  void join(Index a, Index b) {
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      Index expected = a;
      if (at(a).compare_exchange_strong(expected, b, relaxed)) return;
    }
  }

 private:
  static constexpr std::memory_order relaxed = std::memory_order_relaxed;
  std::atomic<Index>& at(Index i) { return parent_[static_cast<std::size_t>(i)]; }
  std::vector<std::atomic<Index>> parent_;
};

}  // namespace

std::vector<Index> connected_components(const SparseMatrix& weights, const Context& context) {
  const std::size_t n = weights.rows;
  constexpr std::size_t block = 8192;
  SharedGroups groups(n);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto columns = weights.row_indices(i);
      const auto values = weights.row_values(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (values[k] > 0) groups.join(static_cast<Index>(i), columns[k]);
      }
    }
  });
  std::vector<Index> root(n);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) root[i] = groups.root(static_cast<Index>(i));
  });
  std::vector<std::size_t> size(n);
  for (const Index r : root) ++size[static_cast<std::size_t>(r)];
  std::vector<Index> roots;
  for (std::size_t i = 0; i < n; ++i) {
    if (size[i] > 0) roots.push_back(static_cast<Index>(i));
  }
  // A root is the first point of its group, so a stable sort leaves ties in the right order.
  std::stable_sort(roots.begin(), roots.end(), [&](Index a, Index b) {
    return size[static_cast<std::size_t>(a)] > size[static_cast<std::size_t>(b)];
  });
  std::vector<Index> number(n);
  for (std::size_t k = 0; k < roots.size(); ++k) {
    number[static_cast<std::size_t>(roots[k])] = static_cast<Index>(k);
  }
  std::vector<Index> component(n);
  for (std::size_t i = 0; i < n; ++i) {
    component[i] = number[static_cast<std::size_t>(root[i])];
  }
  return component;
}

namespace detail {

std::string describe_components(const Graph& graph) {
  constexpr std::size_t most_named = 10;
  std::vector<std::size_t> sizes(graph.n_components);
  for (const Index c : graph.component) ++sizes[static_cast<std::size_t>(c)];
  std::string text = std::to_string(sizes.size()) + " components of ";
  const std::size_t n_named = std::min(most_named, sizes.size());
  for (std::size_t k = 0; k < n_named; ++k) {
    if (k > 0) text += k + 1 == sizes.size() ? " and " : ", ";
    text += std::to_string(sizes[k]);
  }
  return text + (n_named < sizes.size() ? ", ... points" : " points");
}

namespace {

/// Euclidean, over the edges of the graph.
double median_edge_between(const Graph& graph, MatrixView<const double> points) {
  const Space<double> space = plain_space(points, Metric::euclidean);
  const SparseMatrix& w = graph.weights;
  std::vector<double> lengths(w.n_entries());
  for (std::size_t i = 0; i < w.rows; ++i) {
    const auto columns = w.row_indices(i);
    measure_rows(space.measure, space.rows.row(i).data(), space.rows.data(), space.dims(),
                 columns.data(), columns.size(), lengths.data() + w.offsets[i]);
  }
  return space.distance(median(std::move(lengths)));
}

/// Links as the header says where there are points.
std::vector<Link> links_by_distance(const Graph& graph, MatrixView<const double> points,
                                    const Context& context) {
  std::vector<Link> links = bridging_links(graph, points, context);
  double typical = median_edge_between(graph, points);
  if (graph.weights.n_entries() == 0) {
    std::vector<double> lengths;
    lengths.reserve(links.size());
    for (const Link& link : links) lengths.push_back(link.length);
    typical = median(std::move(lengths));
  }
  double unit = 1;
  if (!graph.lengths.empty() && graph.has_lengths() && typical > 0) {
    unit = median(graph.lengths) / typical;
    if (std::abs(unit - 1) < 1e-9) unit = 1;  // the same metric, summed in another order
  }
  for (Link& link : links) {
    const double ratio = link.length > 0 ? typical / link.length : 1;
    link.weight = std::clamp(ratio * ratio, std::numeric_limits<double>::min(), 1.0);
    link.length *= unit;
  }
  return links;
}

/// Links as the header says where there are none.
std::vector<Link> links_by_degree(const Graph& graph) {
  constexpr double times_median = 10;
  std::vector<double> best_degree(graph.n_components, -1);
  std::vector<Index> best(graph.n_components);
  for (std::size_t i = 0; i < graph.n_points(); ++i) {
    double degree = 0;
    for (const double value : graph.weights.row_values(i)) degree += value;
    const auto c = static_cast<std::size_t>(graph.component[i]);
    if (degree > best_degree[c]) {
      best_degree[c] = degree;
      best[c] = static_cast<Index>(i);
    }
  }
  const bool is_known = !graph.lengths.empty() && graph.has_lengths();
  const double typical = median(graph.weights.values);
  std::vector<Link> links;
  for (std::size_t c = 1; c < graph.n_components; ++c) {
    Link link{best[c], best[0]};
    link.length = is_known ? times_median * median(graph.lengths) : 0;
    link.weight = (is_known || typical == 0 ? 1 : typical) / (times_median * times_median);
    links.push_back(link);
  }
  return links;
}

/// The graph with the links as further edges.
void add_links(Graph& graph, const std::vector<Link>& links) {
  const bool has_lengths = graph.has_lengths();
  struct End {
    Index from, to;
    double weight, length;
  };
  std::vector<End> ends;
  for (const Link& link : links) {
    ends.push_back({link.from, link.to, link.weight, link.length});
    ends.push_back({link.to, link.from, link.weight, link.length});
    graph.bridges.push_back({link.from, link.to, link.length});
  }
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  const SparseMatrix old = std::move(graph.weights);
  const std::vector<double> old_lengths = std::move(graph.lengths);
  SparseMatrix w;
  w.rows = w.cols = old.rows;
  w.indices.reserve(old.n_entries() + ends.size());
  w.values.reserve(old.n_entries() + ends.size());
  std::vector<double> lengths;
  auto end = ends.begin();
  for (std::size_t i = 0; i < old.rows; ++i) {
    std::size_t k = old.offsets[i];
    const auto has_new = [&] {
      return end != ends.end() && static_cast<std::size_t>(end->from) == i;
    };
    while (k < old.offsets[i + 1] || has_new()) {
      const bool is_new = has_new() && (k == old.offsets[i + 1] || end->to < old.indices[k]);
      w.indices.push_back(is_new ? end->to : old.indices[k]);
      w.values.push_back(is_new ? end->weight : old.values[k]);
      if (has_lengths) lengths.push_back(is_new ? end->length : old_lengths[k]);
      is_new ? void(++end) : void(++k);
    }
    w.offsets.push_back(w.indices.size());
  }
  graph.weights = std::move(w);
  graph.lengths = std::move(lengths);
}

}  // namespace
}  // namespace detail

Graph connect_components(Graph graph, ComponentPolicy policy, MatrixView<const double> points,
                         const Context& context) {
  using namespace detail;
  if (graph.component.size() != graph.n_points()) {
    graph.component = connected_components(graph.weights);
    graph.n_components = 0;
    for (const Index c : graph.component) {
      graph.n_components = std::max(graph.n_components, static_cast<std::size_t>(c) + 1);
    }
  }
  if (!points.empty() && points.rows != graph.n_points()) {
    throw InvalidArgument("points: " + std::to_string(points.rows) + " rows for a graph of " +
                          std::to_string(graph.n_points()) + " points");
  }
  if (graph.n_components < 2 || policy == ComponentPolicy::separate) return graph;
  if (policy == ComponentPolicy::error) {
    throw InvalidData("components: the graph falls into " + describe_components(graph) +
                      "; raise knn, or let them be joined (`components` bridge) or kept apart "
                      "(`components` separate)");
  }
  if (!points.empty()) refuse_non_finite(points);
  add_links(graph,
            points.empty() ? links_by_degree(graph) : links_by_distance(graph, points, context));
  return graph;
}

}  // namespace geotherm
