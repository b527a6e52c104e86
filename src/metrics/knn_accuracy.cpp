// An embedding and labels in; how often the nearest others vote for a point's own class out.
#include "geotherm/metrics.hpp"
#include "metrics/distance_rows.hpp"
#include "metrics/labels.hpp"
#include "metrics/order.hpp"

namespace geotherm {

double knn_accuracy(const Space& embedding, std::span<const Index> labels,
                    const NeighborhoodOptions& options, const Context& context) {
  const detail::DistanceRows space(embedding, "embedding", context);
  auto complaints = issues_with(options, space.n());
  if (labels.size() != space.n()) {
    complaints.push_back("there are " + std::to_string(labels.size()) + " labels for " +
                         std::to_string(space.n()) + " points: give one each");
  }
  refuse_if_any(complaints);

  const detail::Classes classes = detail::classes_of(labels);
  const auto rows = detail::sample_rows(space.n(), options.max_points, context);
  std::vector<unsigned char> is_right(rows.size());
  detail::for_rows(context, "kNN accuracy", rows.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> distances(space.n());
    std::vector<Index> nearest;
    std::vector<std::size_t> votes(classes.sizes.size());
    for (std::size_t r = begin; r < end; ++r) {
      space.row(rows[r], distances);
      detail::nearest_in_row(distances, rows[r], options.knn, nearest);
      std::fill(votes.begin(), votes.end(), std::size_t{0});
      for (const Index j : nearest) ++votes[classes.of[static_cast<std::size_t>(j)]];
      // Nearest first and only more votes displace: of equal classes the nearest voter's wins.
      std::size_t winner = classes.of[static_cast<std::size_t>(nearest.front())];
      for (const Index j : nearest) {
        const std::size_t candidate = classes.of[static_cast<std::size_t>(j)];
        if (votes[candidate] > votes[winner]) winner = candidate;
      }
      is_right[r] = winner == classes.of[rows[r]];
    }
  });
  std::size_t n_right = 0;
  for (const unsigned char right : is_right) n_right += right;
  return static_cast<double>(n_right) / static_cast<double>(rows.size());
}

}  // namespace geotherm
