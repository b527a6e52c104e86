// Which rows of a block can differ from 0 after a product: heat spreads by a step at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// The rows of a block that may differ from 0.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// How far the rows of a square sparse matrix reach.
class RowReach {
 public:
  RowReach() = default;
  explicit RowReach(const SparseMatrix& matrix);
  /// Rows that a product can make nonzero where x is nonzero within `window`.
  Window widened(Window w) const {
    if (w.begin == w.end) return w;
    return {std::min(w.begin, lowest_[w.begin]), std::max(w.end, highest_[w.end - 1])};
  }

 private:
  std::vector<std::size_t> lowest_;   // of the rows that read from here on
  std::vector<std::size_t> highest_;  // of the rows that read up to here, + 1
};

}  // namespace geotherm::detail
