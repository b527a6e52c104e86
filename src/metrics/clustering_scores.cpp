// Two partitions of the same points in; homogeneity, completeness, V-measure, adjusted Rand index
// and adjusted mutual information out.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "geotherm/metrics.hpp"
#include "metrics/labels.hpp"
#include "metrics/z_score.hpp"

namespace geotherm {
namespace {

struct Cell {
  std::size_t truth, found, count;
};

/// Non-empty cells of the table of classes against clusters, in order.
std::vector<Cell> contingency(const detail::Classes& truth, const detail::Classes& found) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> counts;
  for (std::size_t i = 0; i < truth.of.size(); ++i) ++counts[{truth.of[i], found.of[i]}];
  std::vector<Cell> cells;
  cells.reserve(counts.size());
  for (const auto& [place, count] : counts) cells.push_back({place.first, place.second, count});
  return cells;
}

double entropy(const std::vector<std::size_t>& sizes, double n) {
  double sum = 0;
  for (const std::size_t size : sizes) {
    const double share = static_cast<double>(size) / n;
    sum -= share * std::log(share);
  }
  return sizes.size() <= 1 ? 0.0 : sum;
}

double mutual_information(const std::vector<Cell>& cells, const detail::Classes& truth,
                          const detail::Classes& found, double n) {
  double sum = 0;
  for (const Cell& cell : cells) {
    const auto count = static_cast<double>(cell.count);
    const double independent = static_cast<double>(truth.sizes[cell.truth]) *
                               static_cast<double>(found.sizes[cell.found]) / n;
    sum += count / n * std::log(count / independent);
  }
  return std::max(sum, 0.0);
}

/// Mean of (m / n) log(n m / (a b)) for m hypergeometric: a and b marked of n. The probabilities
/// are run from the mode outwards by their ratios and divided by their sum, which needs no
/// factorials and loses no digits to their cancellation.
double expected_cell(double a, double b, double n) {
  const double least = std::max(0.0, a + b - n), most = std::min(a, b);
  const double mode = std::clamp(std::floor((a + 1) * (b + 1) / (n + 2)), least, most);
  const auto term = [&](double m) { return m == 0 ? 0.0 : m / n * std::log(n * m / (a * b)); };
  double mass = 1, sum = term(mode);
  double p = 1;
  for (double m = mode; m < most; ++m) {
    p *= (a - m) * (b - m) / ((m + 1) * (n - a - b + m + 1));
    if (p == 0) break;
    mass += p;
    sum += p * term(m + 1);
  }
  p = 1;
  for (double m = mode; m > least; --m) {
    p *= m * (n - a - b + m) / ((a - m + 1) * (b - m + 1));
    if (p == 0) break;
    mass += p;
    sum += p * term(m - 1);
  }
  return sum / mass;
}

double expected_mutual_information(const detail::Classes& truth, const detail::Classes& found,
                                   double n) {
  // Classes of equal size share their terms: count sizes first.
  std::map<std::size_t, std::size_t> sizes_a, sizes_b;
  for (const std::size_t size : truth.sizes) ++sizes_a[size];
  for (const std::size_t size : found.sizes) ++sizes_b[size];
  double sum = 0;
  for (const auto& [a, count_a] : sizes_a) {
    for (const auto& [b, count_b] : sizes_b) {
      sum += static_cast<double>(count_a) * static_cast<double>(count_b) *
             expected_cell(static_cast<double>(a), static_cast<double>(b), n);
    }
  }
  return sum;
}

double adjusted_rand(const std::vector<Cell>& cells, const detail::Classes& truth,
                     const detail::Classes& found, double n) {
  const auto pairs = [](std::size_t size) {
    return 0.5 * static_cast<double>(size) * (static_cast<double>(size) - 1);
  };
  double both = 0, in_truth = 0, in_found = 0;
  for (const Cell& cell : cells) both += pairs(cell.count);
  for (const std::size_t size : truth.sizes) in_truth += pairs(size);
  for (const std::size_t size : found.sizes) in_found += pairs(size);
  if (in_truth == both && in_found == both) return 1;  // the same partition
  const double expected = in_truth * in_found / (0.5 * n * (n - 1));
  return (both - expected) / (0.5 * (in_truth + in_found) - expected);
}

}  // namespace

ClusteringScores compare_labels(std::span<const Index> truth_labels,
                                std::span<const Index> found_labels) {
  if (truth_labels.size() != found_labels.size()) {
    throw InvalidArgument("there are " + std::to_string(truth_labels.size()) + " true labels and " +
                          std::to_string(found_labels.size()) + " found ones: give equally many");
  }
  ClusteringScores scores;
  if (truth_labels.empty()) return scores;
  const detail::Classes truth = detail::classes_of(truth_labels);
  const detail::Classes found = detail::classes_of(found_labels);
  const std::vector<Cell> cells = contingency(truth, found);
  const auto n = static_cast<double>(truth_labels.size());
  scores.ari = adjusted_rand(cells, truth, found, n);
  // One cell for each class and each cluster: the same partition under other names, all scores 1.
  if (cells.size() == truth.sizes.size() && cells.size() == found.sizes.size()) return scores;

  const double entropy_truth = entropy(truth.sizes, n), entropy_found = entropy(found.sizes, n);
  const double information = mutual_information(cells, truth, found, n);
  scores.homogeneity = entropy_truth > 0 ? information / entropy_truth : 1.0;
  scores.completeness = entropy_found > 0 ? information / entropy_found : 1.0;
  const double both = scores.homogeneity + scores.completeness;
  scores.v_measure = both > 0 ? 2 * scores.homogeneity * scores.completeness / both : 0.0;
  if (entropy_truth == 0 || entropy_found == 0) {
    scores.ami = 0;
    return scores;
  }
  const double expected = expected_mutual_information(truth, found, n);
  // Not 0 in exact arithmetic, since the partitions differ; rounding might still take it there.
  const double module = std::max(0.5 * (entropy_truth + entropy_found) - expected,
                                 std::numeric_limits<double>::epsilon());
  scores.ami = (information - expected) / module;
  return scores;
}

std::vector<std::string> issues_with(const ClusteringScoreOptions& options) {
  return issues_with(KmeansOptions{.n_clusters = options.n_clusters.value_or(1),
                                   .n_restarts = options.n_restarts,
                                   .max_iterations = options.max_iterations});
}

ClusteringScores clustering_scores(MatrixView<const double> coordinates,
                                   std::span<const Index> labels,
                                   const ClusteringScoreOptions& options, const Context& context) {
  auto complaints = issues_with(options);
  if (labels.size() != coordinates.rows) {
    complaints.push_back("there are " + std::to_string(labels.size()) + " labels for " +
                         std::to_string(coordinates.rows) + " points: give one each");
  }
  refuse_if_any(complaints);
  const std::size_t n_classes = detail::classes_of(labels).sizes.size();
  const Matrix<double> scored = detail::z_score(coordinates, "coordinates", context);
  const Kmeans found = kmeans(scored,
                              {.n_clusters = options.n_clusters.value_or(n_classes),
                               .n_restarts = options.n_restarts,
                               .max_iterations = options.max_iterations},
                              context);
  return compare_labels(labels, found.clusters);
}

}  // namespace geotherm
