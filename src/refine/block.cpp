// One epoch of the points of a block, by the forces of RefineDescent. Cells are kept by what they
// are, not folded into buckets, and points of a cell by id: sums do not depend on who else is in
// the block, nor on the order of its points.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/rng_stream.hpp"
#include "geotherm/refine.hpp"
#include "refine/forces.hpp"

namespace geotherm {
namespace {

using detail::refine_lanes;
using detail::RefineGrid;

constexpr std::size_t points_at_once = 512;
constexpr double near_unit = 1 << 20;

/// The cells that own points lie in and those around them, as numbers: cells next to each other
/// along the last axis are consecutive.
class CellBox {
 public:
  CellBox(MatrixView<const float> own, const std::array<float, 3>& low) : n_axes_(own.rows) {
    for (std::size_t k = 0; k < n_axes_; ++k) {
      low_[k] = low[k];
      const auto [least, most] = std::minmax_element(own.row(k).begin(), own.row(k).end());
      first_[k] = along(*least, k) - 1;
      width_[k] = static_cast<std::uint64_t>(along(*most, k) - first_[k] + 2);
      // Wider than the box by more than along() is rounded by.
      const double end = static_cast<double>(first_[k]) + static_cast<double>(width_[k]);
      const double margin = 1 + 1e-6 * end;
      least_[k] = low[k] + (static_cast<double>(first_[k]) - margin) * detail::refine_reach;
      most_[k] = low[k] + (end + margin) * detail::refine_reach;
    }
  }
  std::uint64_t n_cells() const { return width_[0] * width_[1] * width_[2]; }
  /// Points for which this is false are outside; for a few others as well, contains is.
  bool may_contain(MatrixView<const float> places, std::size_t i) const {
    bool is_in = true;
    for (std::size_t k = 0; k < n_axes_; ++k) {
      const auto place = static_cast<double>(places(k, i));
      is_in = is_in && place >= least_[k] && place <= most_[k];
    }
    return is_in;
  }
  bool contains(MatrixView<const float> places, std::size_t i) const {
    for (std::size_t k = 0; k < n_axes_; ++k) {
      const std::int64_t at = along(places(k, i), k) - first_[k];
      if (at < 0 || at >= static_cast<std::int64_t>(width_[k])) return false;
    }
    return true;
  }
  std::uint64_t cell(MatrixView<const float> places, std::size_t i) const {
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < n_axes_; ++k) {
      number = number * width_[k] + static_cast<std::uint64_t>(along(places(k, i), k) - first_[k]);
    }
    return number;
  }
  /// The middle cells of the rows of three around a cell that is not at the edge of the box.
  template <class Visit>
  void for_rows_around(std::uint64_t cell, const Visit& visit) const {
    const std::uint64_t row = width_[n_axes_ - 1], plane = row * width_[1];
    for (std::uint64_t a = 0; a < (n_axes_ == 3 ? 3U : 1U); ++a) {
      for (std::uint64_t b = 0; b < (n_axes_ >= 2 ? 3U : 1U); ++b) {
        visit(cell + (n_axes_ == 3 ? a * plane - plane : 0) + (n_axes_ >= 2 ? b * row - row : 0));
      }
    }
  }

 private:
  std::int64_t along(float place, std::size_t k) const {
    return static_cast<std::int64_t>(std::max((place - low_[k]) / detail::refine_reach, 0.0F));
  }
  std::size_t n_axes_;
  std::array<float, 3> low_ = {};
  std::array<double, 3> least_ = {}, most_ = {};
  std::array<std::int64_t, 3> first_ = {};
  std::array<std::uint64_t, 3> width_ = {1, 1, 1};
};

/// Own points and those around them, by cell and id. Where there are many cells, those alone count
/// that have points.
class BlockGrid {
 public:
  BlockGrid(const RefineBlock& block, const CellBox& box) : box_(box) {
    const std::size_t n_own = block.ids.size(), dimensions = block.coordinates.rows;
    is_dense_ = box.n_cells() <= most_cells_for_a_point * n_own + fewest_cells;
    std::vector<std::uint64_t> cell_of(n_own);
    for (std::size_t i = 0; i < n_own; ++i) cell_of[i] = box.cell(block.coordinates, i);
    const Wanted wanted(box, cell_of, is_dense_);
    std::vector<Other> others;
    for (std::size_t b = 0; b < block.others.size(); ++b) {
      const RefineOthers& part = block.others[b];
      for (std::size_t j = 0; j < part.ids.size(); ++j) {
        if (!box.may_contain(part.coordinates, j) || !box.contains(part.coordinates, j)) continue;
        const std::uint64_t cell = box.cell(part.coordinates, j);
        if (wanted.has(cell)) others.push_back({cell, part.ids[j], b, j});
      }
    }
    std::sort(others.begin(), others.end(), [](const Other& a, const Other& b) {
      return std::tie(a.cell, a.id) < std::tie(b.cell, b.id);
    });
    if (!is_dense_) number_cells(cell_of, others);
    place(block, cell_of, others);
    planes_ = Matrix<float>(dimensions, point_.size() + RefineGrid::slack);
    for (std::size_t r = 0; r < point_.size(); ++r) {
      const std::size_t p = point_[r];
      for (std::size_t k = 0; k < dimensions; ++k) {
        planes_(k, r) = p < n_own ? block.coordinates(k, p)
                                  : block.others[others[p - n_own].part].coordinates(
                                        k, others[p - n_own].point);
      }
    }
  }

  std::size_t n_cells() const { return begin_.size() - 1; }
  RefineGrid::Range cell(std::size_t c) const { return {begin_[c], begin_[c + 1]}; }
  /// The own point of a rank, or a number behind all of these.
  std::size_t point(std::size_t rank) const { return point_[rank]; }
  const float* plane(std::size_t k) const { return planes_.row(k).data(); }
  /// The ranges around a cell, and the number of the row of cells that each comes from.
  RefineGrid::Surroundings around(std::size_t c,
                                  std::array<std::uint32_t, RefineGrid::most_rows>& rows) const {
    RefineGrid::Surroundings result;
    std::uint32_t row = 0;
    box_.for_rows_around(is_dense_ ? c : cells_[c], [&](std::uint64_t middle) {
      const RefineGrid::Range range{begin_[position_of(middle - 1)],
                                    begin_[position_of(middle + 2)]};
      if (range.begin < range.end) {
        rows[result.count] = row;
        result.ranges[result.count++] = range;
      }
      ++row;
    });
    return result;
  }

 private:
  static constexpr std::uint64_t most_cells_for_a_point = 4, fewest_cells = 4096;
  struct Other {
    std::uint64_t cell = 0;
    std::int64_t id = 0;
    std::size_t part = 0, point = 0;
  };
  /// Cells at and around own points; where cells are many, others may be among them.
  class Wanted {
   public:
    Wanted(const CellBox& box, const std::vector<std::uint64_t>& own, bool is_dense)
        : is_dense_(is_dense),
          is_wanted_(is_dense ? box.n_cells() : std::max(fewest_cells, 16 * own.size())) {
      std::uint64_t last = ~std::uint64_t{0};
      for (const std::uint64_t own_cell : own) {
        if (own_cell == last) continue;
        last = own_cell;
        box.for_rows_around(last, [&](std::uint64_t middle) {
          for (std::uint64_t cell = middle - 1; cell <= middle + 1; ++cell) {
            is_wanted_[position_of(cell)] = 1;
          }
        });
      }
    }
    bool has(std::uint64_t cell) const { return is_wanted_[position_of(cell)] != 0; }

   private:
    std::size_t position_of(std::uint64_t cell) const {
      return is_dense_ ? cell : cell % is_wanted_.size();
    }
    bool is_dense_;
    std::vector<std::uint8_t> is_wanted_;
  };

  /// Cells that have points, in their order, take the place of all.
  void number_cells(std::vector<std::uint64_t>& cell_of, std::vector<Other>& others) {
    cells_ = cell_of;
    for (const Other& other : others) cells_.push_back(other.cell);
    std::sort(cells_.begin(), cells_.end());
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
    for (std::uint64_t& cell : cell_of) cell = position_of(cell);
    for (Other& other : others) other.cell = position_of(other.cell);
  }
  /// Counts the points of each cell and puts them in order.
  void place(const RefineBlock& block, const std::vector<std::uint64_t>& cell_of,
             const std::vector<Other>& others) {
    const std::size_t n_own = cell_of.size();
    begin_.assign((is_dense_ ? box_.n_cells() : cells_.size()) + 1, 0);
    for (const std::uint64_t cell : cell_of) ++begin_[cell + 1];
    for (const Other& other : others) ++begin_[other.cell + 1];
    for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    point_.resize(n_own + others.size());
    for (const Index i : block.by_id) {
      const auto own = static_cast<std::size_t>(i);
      point_[next[cell_of[own]]++] = static_cast<std::uint32_t>(own);
    }
    const auto id_of = [&](std::uint32_t p) {
      return p < n_own ? block.ids[p] : others[p - n_own].id;
    };
    for (std::size_t o = 0; o < others.size(); ++o) {
      // Those of a cell by id, and among its own points.
      const std::uint64_t cell = others[o].cell;
      std::uint32_t at = next[cell]++;
      for (; at > begin_[cell] && id_of(point_[at - 1]) > others[o].id; --at) {
        point_[at] = point_[at - 1];
      }
      point_[at] = static_cast<std::uint32_t>(n_own + o);
    }
  }
  /// Of the first cell from this one on that has a place in begin_.
  std::size_t position_of(std::uint64_t cell) const {
    if (is_dense_) return cell;
    return static_cast<std::size_t>(std::lower_bound(cells_.begin(), cells_.end(), cell) -
                                    cells_.begin());
  }

  const CellBox& box_;
  bool is_dense_ = true;
  std::vector<std::uint64_t> cells_;  ///< that have points, ascending; empty where all count
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> point_;  ///< by rank: own, or n_own + another
  Matrix<float> planes_;
};

void require_fitting(const RefineBlock& block) {
  const std::size_t n = block.ids.size(), dimensions = block.coordinates.rows;
  const bool fits = dimensions >= 1 && dimensions <= 3 && block.coordinates.cols == n &&
                    block.by_id.size() == n &&
                    block.offsets.size() == n + 1 && block.to.size() == block.weights.size() &&
                    static_cast<std::size_t>(block.offsets.back()) == block.to.size() &&
                    block.linked.rows == dimensions &&
                    std::ranges::all_of(block.others, [&](const RefineOthers& others) {
                      return others.coordinates.rows == dimensions &&
                             others.coordinates.cols == others.ids.size();
                    });
  if (!fits) throw InvalidArgument("a block to refine: its arrays are not of one size");
  const bool is_by_id = std::ranges::all_of(block.by_id, [&](const Index& i) {
    return i >= 0 && static_cast<std::size_t>(i) < n &&
           (&i == block.by_id.data() || block.ids[static_cast<std::size_t>(*(&i - 1))] <
                                            block.ids[static_cast<std::size_t>(i)]);
  });
  if (!is_by_id) throw InvalidArgument("a block to refine: by_id is not in the order of ids");
  const std::size_t n_to = n + block.linked.cols;
  for (const Index j : block.to) {
    if (j < 0 || static_cast<std::size_t>(j) >= n_to) {
      throw InvalidArgument("a block to refine: neighbour " + std::to_string(j) + " of " +
                            std::to_string(n_to));
    }
  }
}

/// What one thread needs to move points.
class Mover {
 public:
  Mover(const RefineBlock& block, const RefineStep& step, std::uint32_t draw,
        std::span<const float> places, std::size_t n_places)
      : block_(block), step_(step), draw_(draw), places_(places), n_places_(n_places) {}

  /// The own points of a cell; adds to `near`, returns the longest move.
  float move_cell(const BlockGrid& grid, std::size_t c, Matrix<float>& next, std::int64_t& near) {
    const std::size_t n_own = block_.ids.size(), dimensions = block_.coordinates.rows;
    std::array<std::uint32_t, RefineGrid::most_rows> rows = {};
    RefineGrid::Surroundings around;
    const float* planes[RefineGrid::most_dimensions] = {};
    for (std::size_t k = 0; k < dimensions; ++k) planes[k] = grid.plane(k);
    float longest = 0;
    for (std::size_t r = grid.cell(c).begin; r < grid.cell(c).end; ++r) {
      const std::size_t i = grid.point(r);
      if (i >= n_own) continue;
      if (around.count == 0) around = grid.around(c, rows);
      std::array<detail::RefineGroups, RefineGrid::most_rows> groups;
      for (std::size_t a = 0; a < around.count; ++a) {
        groups[a] = detail::refine_groups(around.ranges[a], draw_,
                                          static_cast<std::uint32_t>(block_.ids[i]), rows[a]);
      }
      detail::RefinePush push;
      detail::refine_push(planes, dimensions, r, around, groups.data(), push);
      near += std::llround(static_cast<double>(push.near) * near_unit);
      if (step_.near) longest = std::max(longest, move(i, push, next));
    }
    return longest;
  }

 private:
  float move(std::size_t i, const detail::RefinePush& push, Matrix<float>& next) {
    fill_row(i);
    detail::RefinePull pull;
    detail::refine_pull(places_.data(), n_places_, block_.coordinates.rows, i, to_.data(),
                        weights_.data(), to_.size(), pull);
    const auto attraction = static_cast<float>(step_.attraction);
    const auto strength = static_cast<float>(1 / std::max(*step_.near, detail::refine_least_near));
    const float stiffness = attraction * pull.stiffness + strength * push.stiffness;
    const float share = stiffness > 0 ? detail::refine_share / stiffness : 0;
    float longest = 0;
    for (std::size_t k = 0; k < block_.coordinates.rows; ++k) {
      const float by = share * (strength * push.force[k] - attraction * pull.force[k]);
      next(k, i) = block_.coordinates(k, i) + by;
      longest = std::max(longest, std::abs(by));
    }
    return longest;
  }
  /// A row of neighbours, filled up to whole lanes.
  void fill_row(std::size_t i) {
    const auto begin = static_cast<std::size_t>(block_.offsets[i]);
    const auto count = static_cast<std::size_t>(block_.offsets[i + 1]) - begin;
    const std::size_t filled = (count + refine_lanes - 1) / refine_lanes * refine_lanes;
    to_.resize(filled);
    weights_.resize(filled);
    std::copy_n(block_.to.data() + begin, count, to_.data());
    const float* const given = block_.weights.data() + begin;
    float* const weights = weights_.data();
    for (std::size_t e = 0; e < count; ++e) {
      weights[e] = static_cast<float>(step_.unit * static_cast<double>(given[e]));
    }
    for (std::size_t e = count; e < filled; ++e) {
      to_[e] = static_cast<Index>(i);
      weights[e] = 0;
    }
  }

  const RefineBlock& block_;
  const RefineStep& step_;
  std::uint32_t draw_;
  std::span<const float> places_;  ///< planes of own and linked points
  std::size_t n_places_;
  std::vector<Index> to_;
  std::vector<float> weights_;
};

}  // namespace

RefineMoves refine_block(const RefineBlock& block, const RefineStep& step,
                         const Context& context) {
  require_fitting(block);
  const std::size_t n_own = block.ids.size(), dimensions = block.coordinates.rows;
  const std::size_t n_places = n_own + block.linked.cols;
  std::vector<float> places;
  places.reserve(dimensions * n_places);
  for (std::size_t k = 0; k < dimensions; ++k) {
    places.insert(places.end(), block.coordinates.row(k).begin(), block.coordinates.row(k).end());
    places.insert(places.end(), block.linked.row(k).begin(), block.linked.row(k).end());
  }
  RefineMoves result;
  result.coordinates = Matrix<float>(dimensions, n_own);
  if (n_own == 0) return result;
  const CellBox box(block.coordinates, step.low);
  const BlockGrid grid(block, box);
  const std::uint32_t draw =
      detail::refine_draw_of_epoch(detail::stream_base(context.seed, "refine"), step.epoch);
  const std::size_t cells_at_once =
      std::max<std::size_t>(1, points_at_once * grid.n_cells() / std::max<std::size_t>(1, n_own));
  const std::size_t n_parts = (grid.n_cells() + cells_at_once - 1) / cells_at_once;
  std::vector<std::int64_t> near(n_parts);
  std::vector<float> longest(n_parts);
  parallel_for(context, grid.n_cells(), cells_at_once, [&](std::size_t begin, std::size_t end) {
    Mover mover(block, step, draw, places, n_places);
    float& most = longest[begin / cells_at_once];
    for (std::size_t c = begin; c < end; ++c) {
      std::int64_t& sum = near[begin / cells_at_once];
      most = std::max(most, mover.move_cell(grid, c, result.coordinates, sum));
    }
  });
  for (std::size_t part = 0; part < n_parts; ++part) {
    result.near += near[part];
    result.longest_move = std::max(result.longest_move, longest[part]);
  }
  return result;
}

}  // namespace geotherm
