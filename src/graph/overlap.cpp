#include "graph/overlap.hpp"

#include <algorithm>

namespace geotherm::detail {
Windows::Windows(const NeighborLists& lists, std::size_t window, double spread,
                 const Context& context) {
  const std::size_t n = lists.n_points;
  offsets_.assign(n + 1, 0);
  const auto size_of = [&](std::size_t i) {
    const auto lengths = lists.lengths(i);
    const std::size_t most = std::min(window, lengths.size());
    if (most <= lists.knn) return most;
    const double limit = spread * lengths[lists.knn - 1];
    std::size_t size = lists.knn;
    while (size < most && lengths[size] <= limit) ++size;
    return size;
  };
  for (std::size_t i = 0; i < n; ++i) offsets_[i + 1] = offsets_[i] + size_of(i) + 1;
  members_.resize(offsets_[n]);
  parallel_for(context, n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t size = offsets_[i + 1] - offsets_[i] - 1;
      const auto neighbors = lists.neighbors(i).first(size);
      const auto first = members_.begin() + static_cast<std::ptrdiff_t>(offsets_[i]);
      std::copy(neighbors.begin(), neighbors.end(), first);
      first[static_cast<std::ptrdiff_t>(size)] = static_cast<Index>(i);
    }
  });
}

double Windows::Marked::jaccard(std::size_t i, std::size_t j) {
  const auto own = windows_.of(i), other = windows_.of(j);
  if (own.data() != marked_.data()) {
    for (const Index k : marked_) is_in_[static_cast<std::size_t>(k)] = 0;
    for (const Index k : own) is_in_[static_cast<std::size_t>(k)] = 1;
    marked_ = own;
  }
  std::size_t common = 0;
  for (const Index k : other) common += is_in_[static_cast<std::size_t>(k)];
  const std::size_t all = own.size() + other.size() - common;
  return all == 0 ? 1.0 : static_cast<double>(common) / static_cast<double>(all);
}

}  // namespace geotherm::detail
