// Two spaces over the same points in; trustworthiness and continuity out: how far down the order
// of one space the neighbours of the other lie.
#include "geotherm/metrics.hpp"
#include "metrics/distance_rows.hpp"
#include "metrics/order.hpp"

namespace geotherm {
namespace {

/// Position of every other point in the order of the row (1: nearest); its own is 0.
void places_in_order(std::span<const double> row, std::size_t self, detail::Sorter& sorter,
                     std::vector<std::size_t>& places) {
  std::size_t place = 0;
  for (const auto& entry : sorter.sort(row)) {
    places[entry.index] = entry.index == self ? 0 : ++place;
  }
}

/// Sum of (place - k) over the points within the first k places of `chosen` but not of `judged`.
std::size_t intrusion(const std::vector<std::size_t>& chosen,
                      const std::vector<std::size_t>& judged, std::size_t self, std::size_t k) {
  std::size_t sum = 0;
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    if (j != self && chosen[j] <= k && judged[j] > k) sum += judged[j] - k;
  }
  return sum;
}

}  // namespace

NeighborhoodScores score_neighborhoods(const Space& original, const Space& embedding,
                                       const NeighborhoodOptions& options, const Context& context) {
  const detail::DistanceRows a(original, "original", context);
  const detail::DistanceRows b(embedding, "embedding", context);
  detail::require_same_size(a, "original", b, "embedding");
  const std::size_t n = a.n(), k = options.knn;
  auto complaints = issues_with(options, n);
  if (complaints.empty() && 2 * k >= n) {
    complaints.push_back("knn is " + std::to_string(k) + " and there are " + std::to_string(n) +
                         " points: the measure needs less than half of that");
  }
  refuse_if_any(complaints);

  const auto rows = detail::sample_rows(n, options.max_points, context);
  std::vector<std::size_t> intruders(rows.size()), leavers(rows.size());
  detail::for_rows(context, "trustworthiness", rows.size(),
                   [&](std::size_t begin, std::size_t end) {
                     std::vector<double> distances(n);
                     std::vector<std::size_t> places_a(n), places_b(n);
                     detail::Sorter sorter;
                     for (std::size_t r = begin; r < end; ++r) {
                       const std::size_t i = rows[r];
                       a.row(i, distances);
                       places_in_order(distances, i, sorter, places_a);
                       b.row(i, distances);
                       places_in_order(distances, i, sorter, places_b);
                       intruders[r] = intrusion(places_b, places_a, i, k);
                       leavers[r] = intrusion(places_a, places_b, i, k);
                     }
                   });
  // Sums of integers: exact, in any order.
  std::size_t n_intruded = 0, n_left = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    n_intruded += intruders[r];
    n_left += leavers[r];
  }
  const auto size = static_cast<double>(n), knn = static_cast<double>(k);
  const double worst = static_cast<double>(rows.size()) * knn * (2 * size - 3 * knn - 1) / 2;
  return {.trustworthiness = 1 - static_cast<double>(n_intruded) / worst,
          .continuity = 1 - static_cast<double>(n_left) / worst};
}

}  // namespace geotherm
