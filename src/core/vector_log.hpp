// Natural logarithm of many numbers at once, in a form that compilers turn into vector code: the
// library's log is one call a number, and entropies and dissimilarities take it of every pair of
// points.
#pragma once

#include <cstddef>

namespace geotherm::detail {

/// x[i] <- log x[i] for positive, finite, normal numbers (no zeros, subnormals or infinities).
/// Error at most 1.5 units in the last place; log 1 is exactly 0.
void log_in_place(double* x, std::size_t n);

}  // namespace geotherm::detail
