#include "graph/overlap.hpp"

#include <algorithm>

namespace geotherm::detail {
namespace {

double jaccard_of(std::span<const Index> a, std::span<const Index> b) {
  std::size_t common = 0;
  std::size_t p = 0;
  std::size_t q = 0;
  while (p < a.size() && q < b.size()) {
    common += a[p] == b[q] ? 1 : 0;
    const bool step_a = a[p] <= b[q];
    const bool step_b = b[q] <= a[p];
    p += step_a ? 1 : 0;
    q += step_b ? 1 : 0;
  }
  const std::size_t all = a.size() + b.size() - common;
  return all == 0 ? 1.0 : static_cast<double>(common) / static_cast<double>(all);
}

}  // namespace

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
      std::sort(first, first + static_cast<std::ptrdiff_t>(size) + 1);
    }
  });
}

double Windows::jaccard(std::size_t i, std::size_t j) const {
  const std::span<const Index> all(members_);
  return jaccard_of(all.subspan(offsets_[i], offsets_[i + 1] - offsets_[i]),
                    all.subspan(offsets_[j], offsets_[j + 1] - offsets_[j]));
}

}  // namespace geotherm::detail
