// Two spaces over the same points in; share of the true nearest that are found again out.
#include <algorithm>

#include "geotherm/metrics.hpp"
#include "metrics/distance_rows.hpp"
#include "metrics/order.hpp"

namespace geotherm {

std::vector<std::string> issues_with(const NeighborhoodOptions& options, std::size_t n_points) {
  std::vector<std::string> complaints;
  if (options.knn < 1) complaints.push_back("knn is 0: give 1 or more");
  if (options.knn >= 1 && options.knn >= n_points) {
    complaints.push_back("knn is " + std::to_string(options.knn) + " and there are " +
                         std::to_string(n_points) + " points: give less than that");
  }
  if (options.max_points && *options.max_points < 1) {
    complaints.push_back("max_points is 0: give 1 or more, or leave it empty for all points");
  }
  return complaints;
}

double precision_at_knn(const Space& truth, const Space& estimate,
                        const NeighborhoodOptions& options, const Context& context) {
  const detail::DistanceRows a(truth, "truth", context);
  const detail::DistanceRows b(estimate, "estimate", context);
  detail::require_same_size(a, "truth", b, "estimate");
  refuse_if_any(issues_with(options, a.n()));

  const auto rows = detail::sample_rows(a.n(), options.max_points, context);
  std::vector<std::size_t> n_found(rows.size());
  detail::for_rows(context, "precision", rows.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> distances(a.n());
    std::vector<Index> expected, found, both;
    for (std::size_t r = begin; r < end; ++r) {
      a.row(rows[r], distances);
      detail::nearest_in_row(distances, rows[r], options.knn, expected);
      b.row(rows[r], distances);
      detail::nearest_in_row(distances, rows[r], options.knn, found);
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      both.clear();
      std::set_intersection(expected.begin(), expected.end(), found.begin(), found.end(),
                            std::back_inserter(both));
      n_found[r] = both.size();
    }
  });
  std::size_t total = 0;
  for (const std::size_t count : n_found) total += count;
  return static_cast<double>(total) /
         (static_cast<double>(rows.size()) * static_cast<double>(options.knn));
}

}  // namespace geotherm
