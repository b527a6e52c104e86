#include "trajectory/order_branches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace geotherm::detail {
namespace {

/// A set of cells above the level, while the level falls.
struct Rising {
  double top = 0;
  Index top_cell = 0;
  std::size_t n_cells = 0;
  Index joined = -1;  ///< what it became part of, or the parent of the branch that it is
  bool is_branch = false;
  double saddle = 0;
};

class MergeTree {
 public:
  MergeTree(const SparseMatrix& graph, std::span<const double> order, double least_length,
            std::size_t least_cells)
      : graph_(graph),
        order_(order),
        least_length_(least_length),
        least_cells_(least_cells),
        rising_of_(order.size(), -1) {
    std::vector<Index> falling(order.size());
    std::iota(falling.begin(), falling.end(), 0);
    std::stable_sort(falling.begin(), falling.end(), [&](Index a, Index b) {
      return order[static_cast<std::size_t>(a)] > order[static_cast<std::size_t>(b)];
    });
    for (const Index cell : falling) add(cell);
  }

  OrderBranches branches() const {
    OrderBranches result;
    std::vector<Index> kept;
    for (std::size_t r = 0; r < all_.size(); ++r) {
      if (all_[r].is_branch || all_[r].joined < 0) kept.push_back(static_cast<Index>(r));
    }
    const double least = order_.empty() ? 0 : *std::min_element(order_.begin(), order_.end());
    const auto saddle = [&](Index r) { return at(r).joined < 0 ? least - 1 : at(r).saddle; };
    // A parent is joined to its own parent at a lower level.
    std::stable_sort(kept.begin(), kept.end(),
                     [&](Index a, Index b) { return saddle(a) < saddle(b); });
    std::vector<Index> number(all_.size(), -1);
    for (const Index r : kept) {
      number[static_cast<std::size_t>(r)] = static_cast<Index>(result.branches.size());
      const bool is_main = at(r).joined < 0;
      result.branches.push_back(
          {.top = at(r).top,
           .top_cell = at(r).top_cell,
           .saddle = is_main ? least : at(r).saddle,
           .parent = is_main ? -1 : number[static_cast<std::size_t>(branch(at(r).joined))]});
    }
    for (const Index r : rising_of_) {
      result.branch_of.push_back(number[static_cast<std::size_t>(branch(r))]);
    }
    return result;
  }

 private:
  const Rising& at(Index r) const { return all_[static_cast<std::size_t>(r)]; }
  Rising& at(Index r) { return all_[static_cast<std::size_t>(r)]; }

  /// The set that now holds what once was set r.
  Index whole(Index r) {
    while (above_[static_cast<std::size_t>(r)] != r) {
      Index& next = above_[static_cast<std::size_t>(r)];
      next = above_[static_cast<std::size_t>(next)];
      r = next;
    }
    return r;
  }
  /// The branch that set r is or has become part of.
  Index branch(Index r) const {
    while (!at(r).is_branch && at(r).joined >= 0) r = at(r).joined;
    return r;
  }

  /// Of two sets that meet at `level`, the one that goes on; cells of the other count as its own.
  Index meet(Index a, Index b, double level) {
    const auto is_large = [&](Index r) {
      return at(r).n_cells >= least_cells_ && at(r).top - level >= least_length_;
    };
    const bool a_is_higher =
        at(a).top > at(b).top || (at(a).top == at(b).top && at(a).top_cell < at(b).top_cell);
    Index goes_on = a_is_higher ? a : b, ends = a_is_higher ? b : a;
    // A few cells that lie far out are part of the branch below them.
    if (is_large(ends) && !is_large(goes_on)) std::swap(goes_on, ends);
    at(ends).is_branch = is_large(ends);
    at(ends).saddle = level;
    at(ends).joined = goes_on;
    at(goes_on).n_cells += at(ends).n_cells;
    above_[static_cast<std::size_t>(ends)] = goes_on;
    return goes_on;
  }

  void add(Index cell) {
    const double level = order_[static_cast<std::size_t>(cell)];
    Index here = -1;
    for (const Index other : graph_.row_indices(static_cast<std::size_t>(cell))) {
      const Index set = rising_of_[static_cast<std::size_t>(other)];
      if (set < 0 || other == cell) continue;
      const Index there = whole(set);
      if (here < 0) here = there;
      if (there != here) here = meet(here, there, level);
    }
    if (here < 0) {
      here = static_cast<Index>(all_.size());
      above_.push_back(here);
      all_.push_back({.top = level, .top_cell = cell});
    }
    ++at(here).n_cells;
    rising_of_[static_cast<std::size_t>(cell)] = here;
  }

  const SparseMatrix& graph_;
  std::span<const double> order_;
  double least_length_;
  std::size_t least_cells_;
  std::vector<Rising> all_;
  std::vector<Index> above_;      ///< union-find over `all_`
  std::vector<Index> rising_of_;  ///< the set that a cell was added to
};

}  // namespace

OrderBranches branches_of(const SparseMatrix& graph, std::span<const double> order,
                          double least_length, std::size_t least_cells) {
  return MergeTree(graph, order, least_length, least_cells).branches();
}

std::vector<double> with_even_ends(std::span<const double> order, const OrderBranches& found,
                                   double share) {
  std::vector<double> result(order.begin(), order.end());
  if (share <= 0 || found.branches.size() < 2) return result;
  double highest = 0;
  for (const OrderBranch& branch : found.branches) highest = std::max(highest, branch.top);
  struct Stretch {
    double from = 0, to = 0, factor = 1;
    double operator()(double value) const { return to + (value - from) * factor; }
  };
  std::vector<Stretch> stretches;
  for (const OrderBranch& branch : found.branches) {
    if (branch.parent < 0) {
      stretches.push_back({});
      continue;
    }
    const double begin = stretches[static_cast<std::size_t>(branch.parent)](branch.saddle);
    const double end = std::pow(branch.top, 1 - share) * std::pow(highest, share);
    stretches.push_back({branch.saddle, begin, (end - begin) / (branch.top - branch.saddle)});
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = stretches[static_cast<std::size_t>(found.branch_of[i])](order[i]);
  }
  return result;
}

}  // namespace geotherm::detail
