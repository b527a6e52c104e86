// Orders rows of distances: values -> indices by (value, index), and average ranks. Measures over
// all rows sort n rows of n values, so this is a radix sort with scratch that is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

class Sorter {
 public:
  struct Entry {
    std::uint64_t key;  ///< rises with the value; equal for equal values (0 and -0 too)
    std::uint32_t index;
  };
  /// Entries by ascending value, equal values by index; valid until the next call. No NaN; less
  /// than 2^32 values.
  std::span<const Entry> sort(std::span<const double> values);

 private:
  std::vector<Entry, UninitializedAllocator<Entry>> entries_;
  std::vector<Entry, UninitializedAllocator<Entry>> other_;
};

/// Ranks from 1, ties by average. `out` may be `values`.
void average_ranks(std::span<const double> values, Sorter&, std::span<double> out);

/// The k smallest entries of a row by (distance, index), the one at `self` left out; in that order.
/// k < row.size().
void nearest_in_row(std::span<const double> row, std::size_t self, std::size_t k,
                    std::vector<Index>& out);

}  // namespace geotherm::detail
