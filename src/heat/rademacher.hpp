// Rademacher probes, and what the estimators of traces and diagonals make of them.
#pragma once

#include <span>
#include <string_view>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Entries -1 or 1 with equal probability, of the stream (seed, purpose, index).
template <class Set>
void draw_rademacher(std::size_t n, std::uint64_t seed, std::string_view purpose,
                     std::uint64_t index, Set set) {
  Rng rng(seed, purpose, index);
  for (std::size_t i = 0; i < n; ++i) set(i, (rng.next() >> 63) != 0 ? 1.0 : -1.0);
}

/// `count` probes as columns of n x count, the streams from `first` on.
inline Matrix<double> rademacher_probes(std::size_t n, std::size_t count, std::string_view purpose,
                                        const Context& context, std::size_t first = 0) {
  Matrix<double> probes = Matrix<double>::uninitialized(n, count);
  for (std::size_t c = 0; c < count; ++c) {
    draw_rademacher(n, context.seed, purpose, first + c,
                    [&](std::size_t i, double sign) { probes(i, c) = sign; });
  }
  return probes;
}

/// diagonal[i] += share |row i of half|^2: with half = A Z, A symmetric and Z Rademacher probes,
/// Hutchinson's estimate of the diagonal of A^2 (share: one over the number of probes); with Z
/// orthonormal and share 1, the diagonal of A Z Z^T A itself.
inline void add_row_squares(const Matrix<double>& half, double share, std::span<double> diagonal) {
  for (std::size_t i = 0; i < half.rows(); ++i) {
    for (const double h : half.row(i)) diagonal[i] += share * h * h;
  }
}

}  // namespace geotherm::detail
