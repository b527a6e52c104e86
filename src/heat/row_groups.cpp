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
  Bisection(const SparseMatrix& matrix, std::size_t group_size)
      : matrix_(matrix), group_size_(group_size), mark_(matrix.rows, 0) {}

  void cut(std::span<Index> rows) {
    if (rows.size() <= group_size_) return;
    sort_from_rim(rows);
    const std::size_t n_groups = (rows.size() + group_size_ - 1) / group_size_;
    const std::size_t half = n_groups / 2 * group_size_;
    cut(rows.first(half));
    cut(rows.subspan(half));
  }

 private:
  std::size_t& mark(Index i) { return mark_[static_cast<std::size_t>(i)]; }

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
    const std::size_t inside = ++n_marks_, seen = ++n_marks_, done = ++n_marks_;
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
  std::size_t group_size_;
  std::vector<std::size_t> mark_;
  std::size_t n_marks_ = 0;
  std::vector<Index> found_;
};

}  // namespace

std::vector<Index> rows_in_groups(const SparseMatrix& matrix, std::size_t group_size) {
  std::vector<Index> rows(matrix.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<Index>(i);
  Bisection(matrix, group_size).cut(rows);
  return rows;
}

}  // namespace geotherm::detail
