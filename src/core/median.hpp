// The upper median, as a typical value.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// The entry in the middle, of two the upper one; 0 of nothing.
template <class T>
T median(std::vector<T> values) {
  if (values.empty()) return T{0};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The same of many numbers >= 0 on all threads, without a copy of them: their leading bits say
/// which few it is among.
inline double median(std::span<const double> values, const Context& context) {
  if (values.empty()) return 0;
  constexpr std::size_t block = std::size_t{1} << 18, n_bins = 1 << 15;
  const auto bin_of = [](double x) {
    return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(x) >> 48) % n_bins;
  };
  const std::size_t n_blocks = (values.size() + block - 1) / block;
  std::vector<std::vector<std::uint32_t>> counts(n_blocks);
  parallel_for(context, values.size(), block, [&](std::size_t begin, std::size_t end) {
    auto& own = counts[begin / block];
    own.assign(n_bins, 0);
    for (std::size_t k = begin; k < end; ++k) ++own[bin_of(values[k])];
  });
  std::size_t bin = 0, before = 0;
  for (;; ++bin) {
    std::size_t here = 0;
    for (const auto& own : counts) here += own[bin];
    if (before + here > values.size() / 2) break;
    before += here;
  }
  std::vector<std::size_t> first(n_blocks + 1, 0);
  for (std::size_t b = 0; b < n_blocks; ++b) first[b + 1] = first[b] + counts[b][bin];
  std::vector<double> among(first.back());
  parallel_for(context, values.size(), block, [&](std::size_t begin, std::size_t end) {
    std::size_t at = first[begin / block];
    for (std::size_t k = begin; k < end; ++k) {
      if (bin_of(values[k]) == bin) among[at++] = values[k];
    }
  });
  const auto middle = among.begin() + static_cast<std::ptrdiff_t>(values.size() / 2 - before);
  std::nth_element(among.begin(), middle, among.end());
  return *middle;
}

}  // namespace geotherm::detail
