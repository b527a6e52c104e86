// Bisection: the rows in the order of a breadth-first search from a point on the rim are cut in two,
// and so are the halves. A half is about as long as it is wide after two cuts, so groups and strips
// have short borders.
#include "heat/row_tiles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <span>

namespace geotherm::detail {
namespace {

class Tiling {
 public:
  Tiling(const SparseMatrix& matrix, const TileLimits& limits, RowTiles& tiles)
      : matrix_(matrix), limits_(limits), tiles_(tiles), mark_(matrix.rows, 0),
        place_(matrix.rows, 0), step_of_(matrix.rows, 0) {}

  void cut(std::span<Index> rows) {
    if (rows.empty()) return;
    if (rows.size() <= limits_.rows) {
      sort_into_strips(rows);
      if (add(rows)) return;
      if (rows.size() == 1) return add_alone(rows[0]);
    } else {
      sort_from_rim(rows);
    }
    const std::size_t n_groups = (rows.size() + limits_.rows - 1) / limits_.rows;
    const std::size_t half = n_groups > 1 ? n_groups / 2 * limits_.rows : rows.size() / 2;
    cut(rows.first(half));
    cut(rows.subspan(half));
  }

 private:
  std::size_t& mark(Index i) { return mark_[static_cast<std::size_t>(i)]; }
  std::uint16_t& place(Index i) { return place_[static_cast<std::size_t>(i)]; }
  std::span<const Index> columns_of(Index i) const {
    return matrix_.row_indices(static_cast<std::size_t>(i));
  }

  void sort_into_strips(std::span<Index> rows) {
    if (rows.size() <= limits_.strip) return;
    sort_from_rim(rows);
    const std::size_t n_strips = (rows.size() + limits_.strip - 1) / limits_.strip;
    const std::size_t half = n_strips / 2 * limits_.strip;
    sort_into_strips(rows.first(half));
    sort_into_strips(rows.subspan(half));
  }

  /// The points with mark `from` that are joined to `start`, nearest first, behind those found
  /// already; they get the mark `to`.
  void search(Index start, std::size_t from, std::size_t to) {
    std::size_t head = found_.size();
    found_.push_back(start);
    mark(start) = to;
    for (; head < found_.size(); ++head) {
      for (const Index next : columns_of(found_[head])) {
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

  /// The group's columns, those first that most strips read, with their strips; false: too many.
  bool find_columns(std::span<const Index> rows) {
    const std::size_t seen = ++n_marks_;
    used_.clear();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (const Index j : columns_of(rows[r])) {
        if (mark(j) != seen) {
          mark(j) = seen;
          place(j) = static_cast<std::uint16_t>(used_.size());
          if ((used_.size() + 1) * limits_.column_room > limits_.room) return false;
          used_.push_back({j, 0});
        }
        used_[place(j)].strips |= std::uint64_t{1} << (r / limits_.strip);
      }
    }
    std::ranges::stable_sort(used_, [](const Used& a, const Used& b) {
      return std::popcount(a.strips) > std::popcount(b.strips);
    });
    return true;
  }

  /// A group of these rows, unless it would exceed the limits.
  bool add(std::span<const Index> rows) {
    if (!find_columns(rows)) return false;
    const std::size_t strip = limits_.strip, n_strips = (rows.size() + strip - 1) / strip;
    // Each column to the class that its strips have fewest of.
    by_class_.assign(n_strips, {});
    std::array<std::vector<Index>, n_column_classes> members;
    for (const Used& used : used_) {
      std::size_t best = 0, least = static_cast<std::size_t>(-1);
      for (std::size_t c = 0; c < n_column_classes; ++c) {
        std::size_t crowd = 0;
        for (std::uint64_t left = used.strips; left != 0; left &= left - 1) {
          const std::size_t count = by_class_[first_of(left)][c].size();
          crowd += count * count;
        }
        crowd = crowd * 65536 + members[c].size();
        if (crowd < least) {
          least = crowd;
          best = c;
        }
      }
      place(used.column) =
          static_cast<std::uint16_t>(n_column_classes * members[best].size() + best);
      for (std::uint64_t left = used.strips; left != 0; left &= left - 1) {
        by_class_[first_of(left)][best].push_back(used.column);
      }
      members[best].push_back(used.column);
    }
    std::size_t deepest = 0, n_steps = 0, n_paid = 0;
    for (const auto& list : members) deepest = std::max(deepest, list.size());
    std::vector<RowTiles::Strip> strips;
    const auto first_step = static_cast<std::uint32_t>(tiles_.places.size() / n_column_classes);
    for (const auto& classes : by_class_) {
      std::size_t steps = 0;
      for (const auto& list : classes) steps = std::max(steps, list.size());
      steps = (steps + limits_.at_once - 1) / limits_.at_once * limits_.at_once;
      strips.push_back({static_cast<std::uint32_t>(first_step + n_steps),
                        static_cast<std::uint32_t>(steps), static_cast<std::uint32_t>(n_paid)});
      n_steps += steps;
      n_paid += steps - std::min(steps, limits_.free_steps);
    }
    const std::size_t taken =
        n_column_classes * deepest * limits_.column_room + n_paid * limits_.step_room;
    if (taken > limits_.room) return false;
    const auto first_column = static_cast<std::uint32_t>(tiles_.columns.size());
    for (std::size_t k = 0; k < deepest; ++k) {
      for (const auto& list : members) {  // whose place is free reads any
        tiles_.columns.push_back(k < list.size() ? list[k] : used_[0].column);
      }
    }
    const auto first_strip = static_cast<std::uint32_t>(tiles_.strips.size());
    for (std::size_t s = 0; s < n_strips; ++s) {
      add_strip(rows.subspan(s * strip, std::min(strip, rows.size() - s * strip)), by_class_[s],
                strips[s].n_steps);
    }
    tiles_.strips.insert(tiles_.strips.end(), strips.begin(), strips.end());
    tiles_.groups.push_back({first_strip, static_cast<std::uint32_t>(n_strips), first_column,
                             static_cast<std::uint32_t>(n_column_classes * deepest), first_step,
                             static_cast<std::uint32_t>(n_steps),
                             static_cast<std::uint32_t>(n_paid)});
    return true;
  }

  void add_strip(std::span<const Index> rows,
                 const std::array<std::vector<Index>, n_column_classes>& classes,
                 std::size_t n_steps) {
    const std::size_t strip = limits_.strip;
    const std::size_t first = tiles_.places.size() / n_column_classes;
    tiles_.weights.resize((first + n_steps) * strip * n_column_classes, 0.0);
    for (std::size_t k = 0; k < n_steps; ++k) {
      for (std::size_t c = 0; c < n_column_classes; ++c) {
        const bool is_there = k < classes[c].size();
        tiles_.places.push_back(is_there ? place(classes[c][k]) : static_cast<std::uint16_t>(c));
        if (is_there) step_of_[static_cast<std::size_t>(classes[c][k])] = k;
      }
    }
    for (std::size_t r = 0; r < strip; ++r) {
      tiles_.rows.push_back(r < rows.size() ? rows[r] : RowTiles::none);
      if (r >= rows.size()) continue;
      const auto indices = columns_of(rows[r]);
      const auto values = matrix_.row_values(static_cast<std::size_t>(rows[r]));
      for (std::size_t e = 0; e < indices.size(); ++e) {
        const std::size_t step = first + step_of_[static_cast<std::size_t>(indices[e])];
        const std::size_t at = (step * strip + r) * n_column_classes;
        tiles_.weights[at + place(indices[e]) % n_column_classes] = values[e];
      }
    }
  }

  void add_alone(Index row) {
    tiles_.groups.push_back({static_cast<std::uint32_t>(tiles_.strips.size()), 1,
                             static_cast<std::uint32_t>(tiles_.columns.size()), 0,
                             static_cast<std::uint32_t>(tiles_.places.size() / n_column_classes), 0,
                             0});
    tiles_.strips.push_back({tiles_.groups.back().first_step, 0, 0});
    tiles_.rows.push_back(row);
    tiles_.rows.resize(tiles_.rows.size() + limits_.strip - 1, RowTiles::none);
  }

  struct Used {
    Index column;
    std::uint64_t strips;  // a bit each
  };
  static std::size_t first_of(std::uint64_t strips) {
    return static_cast<std::size_t>(std::countr_zero(strips));
  }

  const SparseMatrix& matrix_;
  const TileLimits& limits_;
  RowTiles& tiles_;
  std::vector<std::size_t> mark_;
  std::vector<std::uint16_t> place_;
  std::vector<std::size_t> step_of_;  // of a column, in the strip at hand
  std::size_t n_marks_ = 0;
  std::vector<Index> found_;
  std::vector<Used> used_;
  std::vector<std::array<std::vector<Index>, n_column_classes>> by_class_;
};

}  // namespace

RowTiles tiles_of(const SparseMatrix& matrix, const TileLimits& limits) {
  if (limits.strip == 0 || limits.rows % limits.strip != 0 || limits.rows / limits.strip > 64) {
    throw std::invalid_argument("tiles: rows of a group have to be 1 to 64 strips");
  }
  RowTiles tiles;
  tiles.strip_rows = limits.strip;
  std::vector<Index> rows(matrix.rows);
  std::iota(rows.begin(), rows.end(), Index{0});
  Tiling(matrix, limits, tiles).cut(rows);
  return tiles;
}

}  // namespace geotherm::detail
