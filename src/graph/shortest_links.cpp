// The shortest links between components: Boruvka's algorithm. In each round every group but the
// largest finds its shortest link to a point outside, by a tree that skips its own points; the
// links join groups until one is left. Ties go to the smaller pair of indices, so the result is one
// tree.
#include <algorithm>
#include <limits>

#include "graph/bridges.hpp"
#include "neighbors/kd_tree.hpp"

namespace geotherm::detail {
namespace {

using Tree = KdTree<double>;

/// A pair of points with its measure, in an order without ties.
struct Reach {
  double measured = std::numeric_limits<double>::infinity();
  Index from = -1, to = -1;

  bool operator<(const Reach& other) const {
    if (measured != other.measured) return measured < other.measured;
    return std::pair(std::min(from, to), std::max(from, to)) <
           std::pair(std::min(other.from, other.to), std::max(other.from, other.to));
  }
};

class LinkSearch {
 public:
  LinkSearch(const Space<double>& space, const Context& context)
      : context_(context), tree_(space) {}

  /// For each label except `largest` its shortest link to another, in the order of labels.
  std::vector<Reach> shortest(const std::vector<Index>& label, Index largest) {
    label_ = label;
    node_labels_ = tree_.node_labels(label_);
    std::vector<Index> seekers;
    for (const Index i : tree_.order()) {
      if (label_of(i) != largest) seekers.push_back(i);
    }
    // By label, and near points together, so that the best link so far rules out much of the tree.
    std::stable_sort(seekers.begin(), seekers.end(),
                     [&](Index a, Index b) { return label_of(a) < label_of(b); });
    constexpr std::size_t block = 128;
    std::vector<std::vector<Reach>> found((seekers.size() + block - 1) / block);
    parallel_for(context_, seekers.size(), block, [&](std::size_t begin, std::size_t end) {
      Tree::Walk walk;
      for (std::size_t k = begin; k < end; ++k) {
        auto& best = found[begin / block];
        const Index i = seekers[k];
        if (k == begin || label_of(i) != label_of(seekers[k - 1])) best.push_back({});
        const Candidate other =
            tree_.nearest_other(i, label_, node_labels_, best.back().measured, walk);
        if (other.second >= 0) {
          best.back() = std::min(best.back(), Reach{other.first, i, other.second});
        }
      }
    });
    std::vector<Reach> links;
    for (const auto& of_block : found) {
      for (const Reach& link : of_block) {
        if (!links.empty() && label_of(links.back().from) == label_of(link.from)) {
          links.back() = std::min(links.back(), link);
        } else {
          links.push_back(link);
        }
      }
    }
    return links;
  }

 private:
  Index label_of(Index i) const { return label_[static_cast<std::size_t>(i)]; }

  const Context& context_;
  Tree tree_;
  std::vector<Index> label_;
  std::vector<Index> node_labels_;
};

}  // namespace

std::vector<Link> shortest_links(const Graph& graph, const Space<double>& space,
                                 const Context& context) {
  LinkSearch search(space, context);
  Groups groups(graph.n_components);
  std::vector<Index> label = graph.component;
  std::vector<Link> links;
  while (links.size() + 1 < graph.n_components) {
    context.report_or_throw(
        {.stage = "components", .done = links.size(), .total = graph.n_components - 1});
    std::vector<std::size_t> size(graph.n_components);
    for (std::size_t i = 0; i < label.size(); ++i) {
      label[i] = groups.root(graph.component[i]);
      ++size[static_cast<std::size_t>(label[i])];
    }
    const auto largest = std::max_element(size.begin(), size.end()) - size.begin();
    for (const Reach& r : search.shortest(label, static_cast<Index>(largest))) {
      if (!groups.join(graph.component[static_cast<std::size_t>(r.from)],
                       graph.component[static_cast<std::size_t>(r.to)])) {
        continue;
      }
      links.push_back({r.from, r.to, 0, space.distance(r.measured)});
    }
  }
  return links;
}

}  // namespace geotherm::detail
