#include "neighbors/kd_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "neighbors/device_tree.hpp"

namespace geotherm::detail {
namespace {

constexpr Index leaf_size = 16;
// Boxes are ruled out with this margin, since their distance is summed in another order than that
// of the points in them.
constexpr double box_margin = 1 + 1e-10;

}  // namespace

template <class T>
KdTree<T>::KdTree(const Space<T>& space, const Context& context) : space_(space) {
  const std::size_t n = space.n_points(), d = space.dims();
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), Index{0});
  build_all(context);
  rows_ = Matrix<T>::uninitialized(n, d);
  parallel_for(context, n, 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const auto row = space.rows.row(static_cast<std::size_t>(order_[k]));
      std::copy(row.begin(), row.end(), rows_.row(k).begin());
    }
  });
}

template <class T>
bool KdTree<T>::split(Node& node) {
  const auto [begin, end] = std::pair(node.begin, node.end);
  if (end - begin <= leaf_size) return false;
  const std::size_t d = space_.dims();
  std::vector<T> least(d, std::numeric_limits<T>::infinity()), most(d, -least[0]);
  for (Index k = begin; k < end; ++k) {
    const auto row = space_.rows.row(static_cast<std::size_t>(order_[static_cast<std::size_t>(k)]));
    for (std::size_t c = 0; c < d; ++c) {
      least[c] = std::min(least[c], row[c]);
      most[c] = std::max(most[c], row[c]);
    }
  }
  std::size_t dim = 0;
  for (std::size_t c = 1; c < d; ++c) {
    if (most[c] - least[c] > most[dim] - least[dim]) dim = c;
  }
  // All points equal: one leaf, however many.
  if (!(most[dim] > least[dim])) return false;
  const auto coordinate = [&](Index i) { return space_.rows(static_cast<std::size_t>(i), dim); };
  const Index middle = middle_of(node);
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                   [&](Index a, Index b) {
                     const T x = coordinate(a), y = coordinate(b);
                     return x != y ? x < y : a < b;
                   });
  T left_most = coordinate(order_[static_cast<std::size_t>(begin)]);
  for (Index k = begin; k < middle; ++k) {
    left_most = std::max(left_most, coordinate(order_[static_cast<std::size_t>(k)]));
  }
  node.dim = static_cast<Index>(dim);
  node.left_most = left_most;
  node.right_least = coordinate(order_[static_cast<std::size_t>(middle)]);
  return true;
}

template <class T>
Index KdTree<T>::build(std::vector<Node>& nodes, Index begin, Index end) {
  const auto at = static_cast<Index>(nodes.size());
  nodes.push_back({begin, end});
  if (!split(nodes.back())) return at;
  const Index middle = middle_of(nodes.back());
  build(nodes, begin, middle);
  const Index right = build(nodes, middle, end);
  nodes[static_cast<std::size_t>(at)].right = right;
  return at;
}

template <class T>
void KdTree<T>::build_all(const Context& context) {
  // The first levels one after the other, their nodes on all threads; then whole trees.
  constexpr std::size_t n_levels = 7;
  constexpr Index points_of_task = 8192;
  struct Part {
    Node node;
    bool is_split = false;
    std::vector<Node> tree = {};  // where it is not split here
  };
  std::vector<std::vector<Part>> levels(1);
  levels[0].push_back({{0, static_cast<Index>(order_.size())}});
  while (levels.size() <= n_levels) {
    auto& level = levels.back();
    parallel_for(context, level.size(), 1, [&](std::size_t p, std::size_t) {
      Part& part = level[p];
      part.is_split = part.node.end - part.node.begin > points_of_task && split(part.node);
    });
    std::vector<Part> next;
    for (const Part& part : level) {
      if (!part.is_split) continue;
      const Index middle = middle_of(part.node);
      next.push_back({{part.node.begin, middle}});
      next.push_back({{middle, part.node.end}});
    }
    if (next.empty()) break;
    levels.push_back(std::move(next));
  }
  std::vector<Part*> whole;
  for (auto& level : levels) {
    for (Part& part : level) {
      if (!part.is_split) whole.push_back(&part);
    }
  }
  parallel_for(context, whole.size(), 1, [&](std::size_t p, std::size_t) {
    Part& part = *whole[p];
    build(part.tree, part.node.begin, part.node.end);
  });
  nodes_.reserve(4 * order_.size() / static_cast<std::size_t>(leaf_size) + 1);
  std::vector<std::size_t> taken(levels.size(), 0);  // parts of a level come in order
  const auto put = [&](const auto& self, std::size_t depth) -> Index {
    const Part& part = levels[depth][taken[depth]++];
    const auto at = static_cast<Index>(nodes_.size());
    if (!part.is_split) {
      for (Node node : part.tree) {
        if (node.right != 0) node.right += at;
        nodes_.push_back(node);
      }
      return at;
    }
    nodes_.push_back(part.node);
    self(self, depth + 1);
    nodes_[static_cast<std::size_t>(at)].right = self(self, depth + 1);
    return at;
  };
  put(put, 0);
}

template <class T>
template <class Leaf, class Skip>
void KdTree<T>::visit(std::size_t at, const T* query, double box, Walk& walk, const Leaf& leaf,
                      const Skip& skip) const {
  if (box > walk.limit * box_margin || skip(at)) return;
  const Node& node = nodes_[at];
  if (node.right == 0) {
    leaf(node.begin, node.end);
    return;
  }
  const auto dim = static_cast<std::size_t>(node.dim);
  const double x = static_cast<double>(query[dim]);
  const double over = x - static_cast<double>(node.left_most);
  const double under = static_cast<double>(node.right_least) - x;
  const auto child = [&](std::size_t which, double gap) {
    double& offset = walk.offsets[dim];
    const double before = offset;
    if (gap <= before) return visit(which, query, box, walk, leaf, skip);
    const double farther = space_.measure == Measure::manhattan
                               ? box + (gap - before)
                               : box + (gap - before) * (gap + before);
    offset = gap;
    visit(which, query, farther, walk, leaf, skip);
    offset = before;
  };
  const auto right = static_cast<std::size_t>(node.right);
  if (over < under) {
    child(at + 1, over);
    child(right, under);
  } else {
    child(right, under);
    child(at + 1, over);
  }
}

template <class T>
void KdTree<T>::neighbors(Index i, const Cut& cut, Walk& walk) const {
  neighbors(space_.rows.row(static_cast<std::size_t>(i)).data(), i, cut, walk);
}

template <class T>
void KdTree<T>::neighbors(const T* query, Index self, const Cut& cut, Walk& walk) const {
  walk.offsets.assign(space_.dims(), 0.0);
  walk.nearest.clear();
  walk.kept.clear();
  walk.limit = std::numeric_limits<double>::infinity();
  const double reach = space_.measured_reach(cut.reach);
  double measured[leaf_size];
  const auto stretch = [&](Index begin, Index end) {
    measure_rows(space_.measure, query, rows_.row(static_cast<std::size_t>(begin)).data(),
                 space_.dims(), nullptr, static_cast<std::size_t>(end - begin), measured);
    for (Index k = begin; k < end; ++k) {
      const double value = measured[k - begin];
      const Index j = order_[static_cast<std::size_t>(k)];
      if (value > walk.limit || j == self) continue;
      walk.kept.push_back({value, j});
      if (walk.nearest.size() == cut.knn) {
        if (value >= walk.nearest.front()) continue;
        std::pop_heap(walk.nearest.begin(), walk.nearest.end());
        walk.nearest.back() = value;
      } else {
        walk.nearest.push_back(value);
      }
      std::push_heap(walk.nearest.begin(), walk.nearest.end());
      if (walk.nearest.size() == cut.knn) {
        walk.limit = reach * walk.nearest.front() * box_margin;
      }
    }
  };
  // Leaves of equal points may be long.
  const auto leaf = [&](Index begin, Index end) {
    for (Index k = begin; k < end; k += leaf_size) stretch(k, std::min(end, k + leaf_size));
  };
  visit(0, query, 0.0, walk, leaf, [](std::size_t) { return false; });
}

template <class T>
std::vector<Index> KdTree<T>::node_labels(std::span<const Index> label) const {
  std::vector<Index> common(nodes_.size());
  // Children come after their parents, so from the back both are known.
  for (std::size_t at = nodes_.size(); at-- > 0;) {
    const Node& node = nodes_[at];
    if (node.right != 0) {
      const Index left = common[at + 1];
      common[at] = left == common[static_cast<std::size_t>(node.right)] ? left : -1;
      continue;
    }
    const auto label_of = [&](Index k) {
      return label[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])];
    };
    common[at] = label_of(node.begin);
    for (Index k = node.begin; k < node.end; ++k) {
      if (label_of(k) != common[at]) common[at] = -1;
    }
  }
  return common;
}

template <class T>
Candidate KdTree<T>::nearest_other(Index i, std::span<const Index> label,
                                   std::span<const Index> node_labels, double limit,
                                   Walk& walk) const {
  walk.offsets.assign(space_.dims(), 0.0);
  walk.limit = limit;
  const T* query = space_.rows.row(static_cast<std::size_t>(i)).data();
  const Index own = label[static_cast<std::size_t>(i)];
  Candidate best{std::numeric_limits<double>::infinity(), -1};
  double measured[leaf_size];
  const auto leaf = [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      if ((k - begin) % leaf_size == 0) {
        measure_rows(space_.measure, query, rows_.row(static_cast<std::size_t>(k)).data(),
                     space_.dims(), nullptr, static_cast<std::size_t>(std::min(leaf_size, end - k)),
                     measured);
      }
      const Candidate found{measured[(k - begin) % leaf_size], order_[static_cast<std::size_t>(k)]};
      if (label[static_cast<std::size_t>(found.second)] == own) continue;
      if (found.first > walk.limit || found >= best) continue;
      best = found;
      walk.limit = found.first;
    }
  };
  visit(0, query, 0.0, walk, leaf, [&](std::size_t at) { return node_labels[at] == own; });
  return best;
}

template class KdTree<float>;
template class KdTree<double>;

#ifdef GEOTHERM_WITH_CUDA
namespace {

/// The candidates of a device, measured as everywhere.
NeighborLists lists_of_candidates(TreeCandidates& there, const KdTree<double>& tree,
                                  const Space<double>& space, const Cut& cut,
                                  const Context& context) {
  constexpr std::size_t block = 256;
  const std::size_t n = space.n_points(), dims = space.dims();
  std::vector<ListPart> parts;
  parts.reserve(n / block + n / there.block() + 2);
  DeviceCandidates found;
  there.start(0);
  for (std::size_t first = 0; first < n; first += there.block()) {
    context.report_or_throw({.stage = "neighbours", .done = first, .total = n});
    there.collect(found);
    if (first + there.block() < n) there.start(first + there.block());
    const std::size_t part_from = parts.size();
    parts.resize(part_from + (found.count + block - 1) / block);
    parallel_for(context, found.count, block, [&](std::size_t begin, std::size_t end) {
      ListPart& part = parts[part_from + begin / block];
      KdTree<double>::Walk walk;
      std::vector<double> measured;
      for (std::size_t q = begin; q < end; ++q) {
        const std::size_t at = first + q;
        const Index i = tree.order()[at];
        const auto count = static_cast<std::size_t>(found.counts[q]);
        if (count > found.capacity) {  // many ties, or an uneven density
          tree.neighbors(i, cut, walk);
          for (Candidate& c : walk.kept) c.first = space.distance(c.first);
        } else {
          const Index* ids = found.ids.data() + q * found.capacity;
          measured.resize(count);
          measure_rows(space.measure, tree.rows().row(at).data(), tree.rows().data(), dims, ids,
                       count, measured.data());
          walk.kept.clear();
          for (std::size_t k = 0; k < count; ++k) {
            walk.kept.push_back(
                {space.distance(measured[k]), tree.order()[static_cast<std::size_t>(ids[k])]});
          }
        }
        part.add(i, walk.kept, cut);
      }
      part.trim();
    });
  }
  NeighborLists lists = assemble(n, cut, std::move(parts), context);
  lists.search_used = NeighborSearch::tree;
  return lists;
}

}  // namespace
#endif

template <class T>
NeighborLists tree_search(const Space<T>& space, const Cut& cut, const Context& context) {
  constexpr std::size_t block = 256;
  constexpr std::size_t report_every = 64 * block;
  const std::size_t n = space.n_points();
  context.report_or_throw({.stage = "neighbours", .done = 0, .total = n});
  const KdTree<T> tree(space, context);
#ifdef GEOTHERM_WITH_CUDA
  if constexpr (std::is_same_v<T, double>) {
    if (const auto there = tree_candidates(context, tree, space, cut)) {
      return lists_of_candidates(*there, tree, space, cut, context);
    }
  }
#endif
  std::vector<ListPart> parts((n + block - 1) / block);
  for (std::size_t from = 0; from < n; from += report_every) {
    context.report_or_throw({.stage = "neighbours", .done = from, .total = n});
    parallel_for(context, std::min(report_every, n - from), block,
                 [&](std::size_t b, std::size_t e) {
                   typename KdTree<T>::Walk walk;
                   ListPart& part = parts[(from + b) / block];
                   for (std::size_t k = from + b; k < from + e; ++k) {
                     const Index i = tree.order()[k];
                     tree.neighbors(i, cut, walk);
                     for (Candidate& c : walk.kept) c.first = space.distance(c.first);
                     part.add(i, walk.kept, cut);
                   }
                   part.trim();
                 });
  }
  NeighborLists lists = assemble(n, cut, std::move(parts), context);
  lists.search_used = NeighborSearch::tree;
  return lists;
}
template NeighborLists tree_search(const Space<float>&, const Cut&, const Context&);
template NeighborLists tree_search(const Space<double>&, const Cut&, const Context&);

}  // namespace geotherm::detail
