// Points of a map sorted into square cells, anew for each epoch: who may be within reach of whom.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Cells are one reach wide, so that all points within reach of a point lie in its own cell and
/// those around it. Cells next to each other along the last axis follow one another in memory: with
/// K axes the surroundings are 3^(K-1) rows of three cells. A wide map has more cells than there
/// are buckets; cell c is then kept in bucket c mod buckets, beside cells that are far away.
class RefineGrid {
 public:
  static constexpr std::size_t most_dimensions = 3, most_rows = 9;
  /// Entries that may be read behind the last point.
  static constexpr std::size_t slack = 8;
  struct Range {
    std::uint32_t begin = 0, end = 0;  ///< ranks
  };
  /// The rows around a point; a row that passes the last bucket makes two ranges.
  struct Surroundings {
    std::array<Range, 2 * most_rows> ranges;
    std::size_t count = 0;
  };

  /// `places`: one plane of n numbers a dimension. `in_turn`: all points, in the order that those
  /// of one bucket have; empty: by index.
  void sort(std::span<const float> places, std::size_t dimensions, float reach, const Context&,
            std::span<const Index> in_turn = {});

  /// Points in the order of their buckets.
  std::span<const Index> order() const { return order_; }
  /// Places in this order, as planes of n + slack numbers.
  const float* plane(std::size_t k) const { return sorted_.data() + k * (order_.size() + slack); }
  /// The ranges that hold all points within reach of the point of this rank, each point once.
  Surroundings around(std::size_t rank) const;
  std::uint32_t bucket_of_rank(std::size_t rank) const {
    return bucket_[static_cast<std::size_t>(order_[rank])];
  }

 private:
  std::vector<Index> order_;
  std::vector<std::uint32_t> bucket_;  ///< of each point
  std::vector<std::uint32_t> begin_;   ///< of each bucket, and the number of points
  std::vector<float> sorted_;
  std::array<std::uint64_t, most_rows> rows_ = {};  ///< buckets from a cell to the first of each row
  std::uint64_t back_ = 0;  ///< from a cell to the first of those around it
  std::size_t n_rows_ = 1;
};

}  // namespace geotherm::detail
