#include "points/datasets/shortest_paths.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace geotherm::detail {
namespace {

/// Points by their tentative length, smallest on top; four children a node, since they share a
/// cache line. A point whose length falls moves up in place.
class Queue {
 public:
  explicit Queue(std::size_t n) : place_(n, absent) { heap_.reserve(n); }
  bool empty() const { return heap_.empty(); }
  void lower_to(double length, Index point) {
    std::size_t at = place_[static_cast<std::size_t>(point)];
    if (at == absent) {
      at = heap_.size();
      heap_.push_back({length, point});
    }
    rise(at, {length, point});
  }
  std::pair<double, Index> pop() {
    const Item top = heap_.front();
    const Item last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    return {top.length, top.point};
  }

 private:
  struct Item {
    double length;
    Index point;
  };
  void put(std::size_t at, const Item& item) {
    heap_[at] = item;
    place_[static_cast<std::size_t>(item.point)] = at;
  }
  void rise(std::size_t at, const Item& item) {
    for (; at > 0; at = (at - 1) / 4) {
      const Item& parent = heap_[(at - 1) / 4];
      if (parent.length <= item.length) break;
      put(at, parent);
    }
    put(at, item);
  }
  void sink(const Item& item) {
    std::size_t at = 0;
    for (;;) {
      const std::size_t first = 4 * at + 1;
      if (first >= heap_.size()) break;
      std::size_t least = first;
      for (std::size_t c = first + 1; c < std::min(first + 4, heap_.size()); ++c) {
        if (heap_[c].length < heap_[least].length) least = c;
      }
      if (heap_[least].length >= item.length) break;
      put(at, heap_[least]);
      at = least;
    }
    put(at, item);
  }

  static constexpr std::size_t absent = static_cast<std::size_t>(-1);
  std::vector<Item> heap_;
  std::vector<std::size_t> place_;
};

}  // namespace

void shortest_paths_from(const SparseMatrix& graph, std::size_t source, std::span<double> lengths) {
  std::fill(lengths.begin(), lengths.end(), std::numeric_limits<double>::infinity());
  lengths[source] = 0;
  Queue queue(graph.rows);
  queue.lower_to(0, static_cast<Index>(source));
  // The order among equal lengths does not matter: a final length is the least sum over settled
  // neighbours, whichever of them was settled first. Settled points are never lowered again.
  while (!queue.empty()) {
    const auto [length, point] = queue.pop();
    const auto i = static_cast<std::size_t>(point);
    const auto neighbors = graph.row_indices(i);
    const auto steps = graph.row_values(i);
    for (std::size_t e = 0; e < neighbors.size(); ++e) {
      double& best = lengths[static_cast<std::size_t>(neighbors[e])];
      if (length + steps[e] >= best) continue;
      best = length + steps[e];
      queue.lower_to(best, neighbors[e]);
    }
  }
}

}  // namespace geotherm::detail
