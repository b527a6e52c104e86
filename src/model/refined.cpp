#include "model/refined.hpp"

#include <algorithm>
#include <cmath>

#include "core/median.hpp"

namespace geotherm::detail {
namespace {

// Measured on digits (3,000 to 60,000), Levine32, PBMC 3k and Paul15, eleven cuts that are not
// those of the report (docs/methods/new_points.md).
constexpr std::size_t scale_at = 10;
constexpr std::size_t n_counted = 10;
constexpr std::size_t n_handed = 3;
constexpr double handed_share = 3;

}  // namespace

RefinedVotes::RefinedVotes(const NeighborLists& lists) : roots_(lists.n_points, 0.0) {
  std::vector<double> known;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    const auto lengths = lists.lengths(i);
    if (lengths.empty()) continue;
    roots_[i] = std::sqrt(lengths[std::min(scale_at, lengths.size()) - 1]);
    if (roots_[i] > 0) known.push_back(roots_[i]);
  }
  // Points among their equals have none of their own.
  const double typical = known.empty() ? 1.0 : median(known);
  for (double& root : roots_) {
    if (!(root > 0 && std::isfinite(root))) root = typical;
  }
  offsets_.assign(1, 0);
  std::vector<Vote> own;
  for (std::size_t i = 0; i < lists.n_points; ++i) {
    nearest(lists.neighbors(i), lists.lengths(i), n_handed, own);
    handed_.insert(handed_.end(), own.begin(), own.end());
    offsets_.push_back(handed_.size());
  }
}

/// The `most` nearest by scaled distance, with weights exp(-2 u^2) / u^2 that sum to 1, u the
/// scaled distance over that of the last.
void RefinedVotes::nearest(std::span<const Index> neighbors, std::span<const double> distances,
                           std::size_t most, std::vector<Vote>& out) const {
  out.clear();
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    out.push_back({neighbors[k], distances[k] / roots_[static_cast<std::size_t>(neighbors[k])]});
  }
  // Equal ones in the order of their distances.
  std::stable_sort(out.begin(), out.end(),
                   [](const Vote& a, const Vote& b) { return a.weight < b.weight; });
  out.resize(std::min(most, out.size()));
  if (out.empty()) return;
  const double last = out.back().weight;
  double total = 0;
  for (Vote& vote : out) {
    const double u = std::isfinite(last) && last > 0 ? vote.weight / last : 1.0;
    vote.weight = std::exp(-2 * u * u) / std::max(u * u, 1e-30);
    total += vote.weight;
  }
  for (Vote& vote : out) vote.weight /= total;
}

std::size_t RefinedVotes::take(std::span<const Index> neighbors, std::span<const double> distances,
                               std::vector<Vote>& votes) const {
  nearest(neighbors, distances, n_counted, votes);
  const std::size_t n = votes.size();
  for (std::size_t k = 0; k < n; ++k) {
    const auto point = static_cast<std::size_t>(votes[k].point);
    // Less the more of all votes it has: where a row nears a training point, the place of that one
    // counts alone.
    const double share = handed_share * votes[k].weight * (1 - votes[k].weight);
    for (std::size_t h = offsets_[point]; h < offsets_[point + 1]; ++h) {
      votes.push_back({handed_[h].point, share * handed_[h].weight});
    }
  }
  // What is handed to a neighbour or by several is added up.
  std::size_t end = n;
  for (std::size_t k = n; k < votes.size(); ++k) {
    const auto found = std::find_if(votes.begin(), votes.begin() + static_cast<std::ptrdiff_t>(end),
                                    [&](const Vote& v) { return v.point == votes[k].point; });
    if (found == votes.begin() + static_cast<std::ptrdiff_t>(end)) {
      votes[end++] = votes[k];
    } else {
      found->weight += votes[k].weight;
    }
  }
  votes.resize(end);
  return n;
}

}  // namespace geotherm::detail
