// One epoch of the points of a block, by the forces of RefineDescent. Cells are kept by what they
// are, not folded into buckets, and points of a cell by id: sums do not depend on who else is in
// the block.
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
// Filter of cells: bits for each own point.
constexpr std::size_t bits_for_a_point = 16, fewest_bits = 4096;

/// A cell as one number, those next to each other along the last axis being consecutive. Cells
/// begin at 1 on each axis, so that there is one before the first.
class CellKeys {
 public:
  CellKeys(std::size_t dimensions, const std::array<float, 3>& low)
      : dimensions_(dimensions), bits_(dimensions == 3 ? 21 : 31), low_(low) {}
  std::uint64_t of(MatrixView<const float> places, std::size_t i) const {
    std::uint64_t key = 0;
    for (std::size_t k = 0; k < dimensions_; ++k) {
      const float along = (places(k, i) - low_[k]) / detail::refine_reach;
      key = (key << bits_) + static_cast<std::uint64_t>(std::max(along, 0.0F)) + 1;
    }
    return key;
  }
  /// The middle cells of the rows of three around a cell.
  template <class Visit>
  void for_rows_around(std::uint64_t key, const Visit& visit) const {
    const std::uint64_t row = std::uint64_t{1} << bits_, plane = row << bits_;
    for (std::uint64_t a = 0; a < (dimensions_ == 3 ? 3U : 1U); ++a) {
      for (std::uint64_t b = 0; b < (dimensions_ >= 2 ? 3U : 1U); ++b) {
        visit(key + (dimensions_ == 3 ? a * plane - plane : 0) +
              (dimensions_ >= 2 ? b * row - row : 0));
      }
    }
  }

 private:
  std::size_t dimensions_;
  unsigned bits_;
  std::array<float, 3> low_;
};

/// Cells at and around own points; others may be among them, as numbers are folded.
class CellFilter {
 public:
  explicit CellFilter(std::size_t n_points)
      : is_wanted_(std::max(fewest_bits, bits_for_a_point * n_points)) {}
  void want(std::uint64_t key) { is_wanted_[key % is_wanted_.size()] = true; }
  bool has(std::uint64_t key) const { return is_wanted_[key % is_wanted_.size()]; }

 private:
  std::vector<bool> is_wanted_;
};

/// Own points and those around them, by cell and id.
class BlockGrid {
 public:
  BlockGrid(const RefineBlock& block, const CellKeys& keys) : keys_(keys) {
    const std::size_t n_own = block.ids.size(), dimensions = block.coordinates.rows;
    std::vector<Entry> entries(n_own);
    CellFilter filter(n_own);
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < n_own; ++i) {
      const std::uint64_t key = keys.of(block.coordinates, i);
      entries[i] = {key, block.ids[i], i};
      if (key == last) continue;
      last = key;
      keys.for_rows_around(key, [&](std::uint64_t middle) {
        for (const std::uint64_t cell : {middle - 1, middle, middle + 1}) filter.want(cell);
      });
    }
    for (std::size_t j = 0; j < block.other_ids.size(); ++j) {
      const std::uint64_t key = keys.of(block.others, j);
      if (filter.has(key)) entries.push_back({key, block.other_ids[j], n_own + j});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.key, a.id) < std::tie(b.key, b.id);
    });
    points_.reserve(entries.size());
    planes_ = Matrix<float>(dimensions, entries.size() + RefineGrid::slack);
    for (std::size_t r = 0; r < entries.size(); ++r) {
      const std::size_t p = entries[r].point;
      points_.push_back(p);
      for (std::size_t k = 0; k < dimensions; ++k) {
        planes_(k, r) = p < n_own ? block.coordinates(k, p) : block.others(k, p - n_own);
      }
      if (r == 0 || entries[r].key != entries[r - 1].key) {
        cells_.push_back(entries[r].key);
        begin_.push_back(static_cast<std::uint32_t>(r));
      }
    }
    begin_.push_back(static_cast<std::uint32_t>(entries.size()));
  }

  std::size_t n_cells() const { return cells_.size(); }
  RefineGrid::Range cell(std::size_t c) const { return {begin_[c], begin_[c + 1]}; }
  std::size_t point(std::size_t rank) const { return points_[rank]; }
  const float* plane(std::size_t k) const { return planes_.row(k).data(); }
  /// The ranges around a cell, and the number of the row of cells that each comes from.
  RefineGrid::Surroundings around(std::size_t c,
                                  std::array<std::uint32_t, RefineGrid::most_rows>& rows) const {
    RefineGrid::Surroundings result;
    std::uint32_t row = 0;
    keys_.for_rows_around(cells_[c], [&](std::uint64_t middle) {
      const auto first = std::lower_bound(cells_.begin(), cells_.end(), middle - 1);
      const auto end = std::lower_bound(first, cells_.end(), middle + 2);
      const RefineGrid::Range range{begin_[static_cast<std::size_t>(first - cells_.begin())],
                                    begin_[static_cast<std::size_t>(end - cells_.begin())]};
      if (range.begin < range.end) {
        rows[result.count] = row;
        result.ranges[result.count++] = range;
      }
      ++row;
    });
    return result;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::int64_t id = 0;
    std::size_t point = 0;  ///< own, or n_own + other
  };
  const CellKeys& keys_;
  std::vector<std::uint64_t> cells_;  ///< that have points, ascending
  std::vector<std::uint32_t> begin_;
  std::vector<std::size_t> points_;
  Matrix<float> planes_;
};

void require_fitting(const RefineBlock& block) {
  const std::size_t n = block.ids.size(), dimensions = block.coordinates.rows;
  const bool fits = dimensions >= 1 && dimensions <= 3 && block.coordinates.cols == n &&
                    block.offsets.size() == n + 1 && block.to.size() == block.weights.size() &&
                    static_cast<std::size_t>(block.offsets.back()) == block.to.size() &&
                    block.linked.rows == dimensions && block.others.rows == dimensions &&
                    block.others.cols == block.other_ids.size();
  if (!fits) throw InvalidArgument("a block to refine: its arrays are not of one size");
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
    to_.assign(filled, static_cast<Index>(i));
    weights_.assign(filled, 0.0F);
    for (std::size_t e = 0; e < count; ++e) {
      to_[e] = block_.to[begin + e];
      weights_[e] =
          static_cast<float>(step_.unit * static_cast<double>(block_.weights[begin + e]));
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
  const CellKeys keys(dimensions, step.low);
  const BlockGrid grid(block, keys);
  const std::uint32_t draw =
      detail::refine_draw_of_epoch(detail::stream_base(context.seed, "refine"), step.epoch);
  RefineMoves result;
  result.coordinates = Matrix<float>(dimensions, n_own);
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
