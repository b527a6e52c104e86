// Breadth-first numbering, component by component: two sweeps find a point on the rim, the third
// from there gives the order, and its parents lead back to the middle.
#include "heat/node_order.hpp"

#include <algorithm>
#include <utility>

namespace geotherm::detail {
namespace {

class Sweep {
 public:
  Sweep(const SparseMatrix& a, const SparseMatrix* transposed)
      : a_(a), transposed_(transposed), round_(a.rows, 0), parent_(a.rows, 0) {}

  /// The points of the component of `start`, nearest first.
  const std::vector<Index>& from(Index start) {
    ++n_rounds_;
    visited_.assign(1, start);
    round_[static_cast<std::size_t>(start)] = n_rounds_;
    parent_[static_cast<std::size_t>(start)] = start;
    for (std::size_t head = 0; head < visited_.size(); ++head) {
      const Index i = visited_[head];
      visit(a_.row_indices(static_cast<std::size_t>(i)), i);
      if (transposed_ != nullptr) visit(transposed_->row_indices(static_cast<std::size_t>(i)), i);
    }
    return visited_;
  }
  bool has_seen(std::size_t i) const { return round_[i] != 0; }
  /// The point halfway between the start and the last point of the latest sweep.
  Index halfway() const {
    std::size_t n_hops = 0;
    const auto up = [&](Index i) { return parent_[static_cast<std::size_t>(i)]; };
    for (Index i = visited_.back(); up(i) != i; i = up(i)) ++n_hops;
    Index middle = visited_.back();
    for (std::size_t k = 0; k < n_hops / 2; ++k) middle = up(middle);
    return middle;
  }

 private:
  void visit(std::span<const Index> neighbors, Index from) {
    for (const Index j : neighbors) {
      std::size_t& round = round_[static_cast<std::size_t>(j)];
      if (round == n_rounds_) continue;
      round = n_rounds_;
      parent_[static_cast<std::size_t>(j)] = from;
      visited_.push_back(j);
    }
  }

  const SparseMatrix& a_;
  const SparseMatrix* transposed_;
  std::vector<std::size_t> round_;  // 0: never
  std::vector<Index> parent_;
  std::vector<Index> visited_;
  std::size_t n_rounds_ = 0;
};

}  // namespace

NodeOrder breadth_first_order(const SparseMatrix& a, const SparseMatrix* transposed) {
  const std::size_t n = a.rows;
  NodeOrder order;
  order.node.reserve(n);
  order.position.resize(n);
  std::vector<Index> middle;
  Sweep sweep(a, transposed);
  for (std::size_t i = 0; i < n; ++i) {
    if (sweep.has_seen(i)) continue;
    const Index far = sweep.from(static_cast<Index>(i)).back();
    const Index farther = sweep.from(far).back();
    const std::vector<Index>& members = sweep.from(farther);
    order.node.insert(order.node.end(), members.begin(), members.end());
    order.component_begin.push_back(order.node.size());
    middle.push_back(sweep.halfway());
  }
  for (std::size_t p = 0; p < n; ++p) {
    order.position[static_cast<std::size_t>(order.node[p])] = static_cast<Index>(p);
  }
  for (const Index m : middle) order.centre.push_back(order.position[static_cast<std::size_t>(m)]);
  return order;
}

SparseMatrix renumbered(const SparseMatrix& a, const NodeOrder& order) {
  SparseMatrix r;
  r.rows = a.rows;
  r.cols = a.cols;
  r.offsets.assign(a.rows + 1, 0);
  r.indices.reserve(a.n_entries());
  r.values.reserve(a.n_entries());
  std::vector<std::pair<Index, double>> row;
  for (std::size_t p = 0; p < a.rows; ++p) {
    const auto i = static_cast<std::size_t>(order.node[p]);
    const auto columns = a.row_indices(i);
    const auto values = a.row_values(i);
    row.clear();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      row.emplace_back(order.position[static_cast<std::size_t>(columns[k])], values[k]);
    }
    std::sort(row.begin(), row.end());  // positions are distinct: the order is settled by them
    for (const auto& [column, value] : row) {
      r.indices.push_back(column);
      r.values.push_back(value);
    }
    r.offsets[p + 1] = r.indices.size();
  }
  return r;
}

}  // namespace geotherm::detail
