// Bisection: the rows in the order of a breadth-first search from a point on the rim are cut in two,
// and so are the halves. A half is about as long as it is wide after two cuts, so groups have short
// borders.
#include "heat/row_groups.hpp"

#include <algorithm>
#include <span>

namespace geotherm::detail {
namespace {

class Bisection {
 public:
  Bisection(const SparseMatrix& matrix, const GroupLimits& limits, RowGroups& groups)
      : matrix_(matrix), limits_(limits), groups_(groups), mark_(matrix.rows, 0) {}

  void cut(std::span<Index> rows) {
    if (rows.size() <= limits_.rows && (rows.size() <= 1 || fits(rows))) {
      if (!rows.empty()) groups_.offsets.push_back(groups_.offsets.back() + rows.size());
      return;
    }
    sort_from_rim(rows);
    const std::size_t n_groups = (rows.size() + limits_.rows - 1) / limits_.rows;
    const std::size_t half = n_groups > 1 ? n_groups / 2 * limits_.rows : rows.size() / 2;
    cut(rows.first(half));
    cut(rows.subspan(half));
  }

 private:
  std::size_t& mark(Index i) { return mark_[static_cast<std::size_t>(i)]; }

  bool fits(std::span<const Index> rows) {
    const std::size_t seen = ++n_marks_;
    std::size_t n_columns = 0, n_entries = 0;
    for (const Index i : rows) {
      const auto columns = matrix_.row_indices(static_cast<std::size_t>(i));
      n_entries += columns.size();
      for (const Index j : columns) {
        n_columns += mark(j) == seen ? 0U : 1U;
        mark(j) = seen;
      }
    }
    return n_columns <= limits_.columns && n_entries <= limits_.entries;
  }

  /// The points with mark `from` that are joined to `start`, nearest first, behind those found
  /// already; they get the mark `to`.
  void search(Index start, std::size_t from, std::size_t to) {
    std::size_t head = found_.size();
    found_.push_back(start);
    mark(start) = to;
    for (; head < found_.size(); ++head) {
      for (const Index next : matrix_.row_indices(static_cast<std::size_t>(found_[head]))) {
        if (mark(next) != from) continue;
        mark(next) = to;
        found_.push_back(next);
      }
    }
  }

  void sort_from_rim(std::span<Index> rows) {
    n_marks_ += 3;
    const std::size_t inside = n_marks_ - 2, seen = n_marks_ - 1, done = n_marks_;
    for (const Index i : rows) mark(i) = inside;
    found_.clear();
    for (const Index i : rows) {
      if (mark(i) != inside) continue;
      const std::size_t begin = found_.size();
      search(i, inside, seen);
      const Index rim = found_.back();
      found_.resize(begin);
      search(rim, seen, done);
    }
    std::ranges::copy(found_, rows.begin());
  }

  const SparseMatrix& matrix_;
  const GroupLimits& limits_;
  RowGroups& groups_;
  std::vector<std::size_t> mark_;
  std::size_t n_marks_ = 0;
  std::vector<Index> found_;
};

}  // namespace

RowGroups rows_in_groups(const SparseMatrix& matrix, const GroupLimits& limits) {
  RowGroups groups;
  groups.offsets.assign(1, 0);
  groups.rows.resize(matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) groups.rows[i] = static_cast<Index>(i);
  Bisection(matrix, limits, groups).cut(groups.rows);
  return groups;
}

}  // namespace geotherm::detail
