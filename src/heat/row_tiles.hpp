// A sparse matrix as small dense tiles, for units that multiply matrices: groups of rows that lie
// close together, cut into strips; a strip is dense over the few columns that its rows read.
#pragma once

#include <cstdint>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

struct TileLimits {
  std::size_t rows = 64;  ///< of a group, a multiple of those of a strip
  std::size_t strip = 16;
  /// What a group takes, of the distinct columns that it reads (with those that fill up) and of the
  /// steps of its strips, but for the first `free_steps` of each.
  std::size_t room = 128, column_room = 1, step_room = 0;
  std::size_t free_steps = 0;
  std::size_t at_once = 1;  ///< the steps of a strip are a multiple of this
};

/// Columns of a group are of four classes, by place mod 4. A step of a strip takes a column of each.
constexpr std::size_t n_column_classes = 4;

struct RowTiles {
  static constexpr Index none = -1;
  struct Strip {
    std::uint32_t first_step, n_steps;
    std::uint32_t first_paid;  ///< among those of its group that take room
  };
  struct Group {
    std::uint32_t first_strip, n_strips;
    std::uint32_t first_column, n_columns;  ///< none: rows for themselves, beyond the limits or empty
    std::uint32_t first_step, n_steps, n_paid;
  };
  std::size_t strip_rows = 0;
  std::vector<Group> groups;
  std::vector<Strip> strips;
  std::vector<Index> rows;     ///< strip by strip, those that are short filled up with `none`
  std::vector<Index> columns;  ///< group by group, by place
  /// Of a step four, by class: what it reads, by place in the group.
  std::vector<std::uint16_t> places;
  std::vector<double> weights;  ///< step by step: strip_rows x 4, row-major
};

/// Each row is in one strip. What follows each other lies close together. O(entries log(rows)).
RowTiles tiles_of(const SparseMatrix& symmetric, const TileLimits&);

}  // namespace geotherm::detail
