#include "neighbors/lists.hpp"

#include <algorithm>
#include <limits>

#include "core/large_pages.hpp"
#include "core/platform.hpp"

namespace geotherm::detail {

void ListPart::add(Index point, std::vector<Candidate>& candidates, const Cut& cut) {
  auto end = candidates.end();
  if (cut.knn < candidates.size()) {
    const auto kth = candidates.begin() + static_cast<std::ptrdiff_t>(cut.knn) - 1;
    std::nth_element(candidates.begin(), kth, candidates.end());
    end = kth + 1;
    if (cut.reach > 1) {
      const double limit = cut.reach * kth->first;
      end = std::partition(end, candidates.end(),
                           [&](const Candidate& c) { return c.first <= limit; });
    }
  }
  std::sort(candidates.begin(), end);
  points.push_back(point);
  counts.push_back(static_cast<std::size_t>(end - candidates.begin()));
  for (auto c = candidates.begin(); c != end; ++c) {
    distances.push_back(c->first);
    indices.push_back(c->second);
  }
}

void ListPart::trim() {
  points.shrink_to_fit();
  counts.shrink_to_fit();
  indices.shrink_to_fit();
  distances.shrink_to_fit();
}

namespace {

/// The points become their places in the order of the parts, in which the lists are put.
void renumber(std::vector<ListPart>& parts, std::size_t n_points, std::vector<Index>& order,
              const Context& context) {
  order.clear();
  order.reserve(n_points);
  for (const ListPart& part : parts) {
    order.insert(order.end(), part.points.begin(), part.points.end());
  }
  std::vector<Index> place(n_points);
  for (std::size_t k = 0; k < n_points; ++k) {
    place[static_cast<std::size_t>(order[k])] = static_cast<Index>(k);
  }
  parallel_for(context, parts.size(), 1, [&](std::size_t p, std::size_t) {
    for (Index& i : parts[p].points) i = place[static_cast<std::size_t>(i)];
    for (Index& j : parts[p].indices) j = place[static_cast<std::size_t>(j)];
  });
}

}  // namespace

NeighborLists assemble(std::size_t n_points, const Cut& cut, std::vector<ListPart> parts,
                       const Context& context) {
  NeighborLists lists;
  if (cut.order != nullptr) renumber(parts, n_points, *cut.order, context);
  lists.n_points = n_points;
  lists.knn = cut.knn;
  lists.reach = cut.reach;
  lists.offsets.assign(n_points + 1, 0);
  for (const ListPart& part : parts) {
    for (std::size_t k = 0; k < part.points.size(); ++k) {
      lists.offsets[static_cast<std::size_t>(part.points[k]) + 1] = part.counts[k];
    }
  }
  for (std::size_t i = 0; i < n_points; ++i) lists.offsets[i + 1] += lists.offsets[i];
  resize_in_large_pages(lists.indices, lists.offsets[n_points]);
  resize_in_large_pages(lists.distances, lists.offsets[n_points]);
  parallel_for(context, parts.size(), 1, [&](std::size_t p, std::size_t) {
    ListPart& part = parts[p];
    std::size_t at = 0;
    for (std::size_t k = 0; k < part.points.size(); ++k) {
      const std::size_t to = lists.offsets[static_cast<std::size_t>(part.points[k])];
      std::copy_n(part.indices.data() + at, part.counts[k], lists.indices.data() + to);
      std::copy_n(part.distances.data() + at, part.counts[k], lists.distances.data() + to);
      at += part.counts[k];
    }
    part = {};  // large results are not held twice
  });
  constexpr std::size_t many_entries = std::size_t{1} << 20;
  if (lists.indices.size() > many_entries) {
    parts = {};
    platform::return_freed_memory();
  }
  return lists;
}

void Sieve::reset(std::size_t knn, double measured_reach) {
  knn_ = knn;
  measured_reach_ = measured_reach;
  limit_ = std::numeric_limits<double>::infinity();
  capacity_ = std::max<std::size_t>(64, 3 * knn);
  lower_.clear();
  upper_.clear();
}

void Sieve::tighten() {
  if (lower_.size() < knn_) return;
  scratch_ = upper_;
  const auto kth = scratch_.begin() + static_cast<std::ptrdiff_t>(knn_) - 1;
  std::nth_element(scratch_.begin(), kth, scratch_.end());
  // The margin covers the roundings of direct sums (up to millions of terms) and of the root.
  limit_ = std::min(limit_, measured_reach_ * *kth * (1 + 1e-10));
  std::size_t n_kept = 0;
  for (std::size_t k = 0; k < lower_.size(); ++k) {
    if (lower_[k].first > limit_) continue;
    lower_[n_kept] = lower_[k];
    upper_[n_kept] = upper_[k];
    ++n_kept;
  }
  lower_.resize(n_kept);
  upper_.resize(n_kept);
  capacity_ = std::max(capacity_, 2 * n_kept);
}

}  // namespace geotherm::detail

namespace geotherm {

NeighborLists first_neighbors(const NeighborLists& lists, std::size_t most) {
  NeighborLists first;
  first.n_points = lists.n_points;
  first.knn = std::min(most, lists.knn);
  first.search_used = lists.search_used;
  first.truncated_share = lists.truncated_share;
  first.offsets.reserve(lists.n_points + 1);
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    const auto neighbors = lists.neighbors(i).first(std::min(most, lists.neighbors(i).size()));
    const auto lengths = lists.lengths(i).first(neighbors.size());
    first.indices.insert(first.indices.end(), neighbors.begin(), neighbors.end());
    first.distances.insert(first.distances.end(), lengths.begin(), lengths.end());
    first.offsets.push_back(first.indices.size());
  }
  return first;
}

}  // namespace geotherm
