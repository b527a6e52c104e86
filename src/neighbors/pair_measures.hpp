// Measures that are sums over columns of neither squares nor gaps: one pair at a time.
#pragma once

#include "neighbors/space.hpp"

namespace geotherm::detail {

/// As measure_rows, for measures without boxes.
template <class T>
void measure_pairs(Measure, const T* query, const T* rows, std::size_t dims, const Index* ids,
                   std::size_t count, double* out);

}  // namespace geotherm::detail
