// Shares of landmarks travelling along a graph in a GPU's memory. No CUDA header is needed to read
// this.
#pragma once

#include <span>
#include <utility>

#include "core/device.hpp"

namespace geotherm::detail {

inline constexpr std::size_t most_shares = 8;  ///< landmarks in the mean of one point

/// `n_rounds` rounds on rows of `most_shares` (landmark, share), ended by landmark -1; to the bits
/// of the CPU. False where the context has no GPU, few points, or some point meets more landmarks
/// in a round than a thread has room for: `rows` are as they were then.
bool spread_on_device(const Context&, const SparseMatrix& weights, std::size_t n_rounds,
                      std::span<std::pair<Index, float>> rows);

}  // namespace geotherm::detail
