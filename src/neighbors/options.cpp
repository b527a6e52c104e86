// Names, checks and the default of the neighbour options.
#include <algorithm>
#include <cmath>
#include <string>

#include "geotherm/neighbors.hpp"

namespace geotherm {
namespace {

constexpr std::size_t default_knn = 10;

}  // namespace

std::string_view to_string(Metric metric) {
  switch (metric) {
    case Metric::euclidean:
      return "euclidean";
    case Metric::cosine:
      return "cosine";
    case Metric::correlation:
      return "correlation";
    case Metric::manhattan:
      return "manhattan";
    case Metric::hamming:
      return "hamming";
    case Metric::jaccard:
      return "jaccard";
    case Metric::hellinger:
      return "hellinger";
    case Metric::jensenshannon:
      return "jensenshannon";
    case Metric::braycurtis:
      return "braycurtis";
    case Metric::canberra:
      return "canberra";
    case Metric::haversine:
      return "haversine";
  }
  return "unknown";
}

std::optional<Metric> metric_named(std::string_view name) {
  for (int k = 0; k <= static_cast<int>(last_metric); ++k) {
    if (name == to_string(static_cast<Metric>(k))) return static_cast<Metric>(k);
  }
  return std::nullopt;
}

bool needs_raw_columns(Metric metric) { return metric >= Metric::hamming; }

std::string_view to_string(NeighborSearch search) {
  switch (search) {
    case NeighborSearch::automatic:
      return "auto";
    case NeighborSearch::brute_force:
      return "brute-force";
    case NeighborSearch::tree:
      return "tree";
    case NeighborSearch::approximate:
      return "approximate";
  }
  return "unknown";
}

std::optional<NeighborSearch> neighbor_search_named(std::string_view name) {
  for (const NeighborSearch search : {NeighborSearch::automatic, NeighborSearch::brute_force,
                                      NeighborSearch::tree, NeighborSearch::approximate}) {
    if (name == to_string(search)) return search;
  }
  return std::nullopt;
}

std::vector<std::string> issues_with(const NeighborOptions& options, std::size_t n_points) {
  std::vector<std::string> issues;
  if (options.knn) {
    const std::size_t knn = *options.knn;
    if (knn == 0) {
      issues.push_back("knn = 0: every point needs a neighbour; give 1 or more, e.g. 10");
    } else if (n_points > 0 && knn >= n_points) {
      issues.push_back("knn = " + std::to_string(knn) + ": there are only " +
                       std::to_string(n_points) + " points, so a point has at most " +
                       std::to_string(n_points - 1) +
                       " neighbours; give a smaller knn or leave it empty");
    }
  }
  if (!(options.reach >= 1.0) || !std::isfinite(options.reach)) {
    issues.push_back("reach = " + std::to_string(options.reach) +
                     ": must be 1 (only the knn nearest) or more, and finite");
  }
  if (to_string(options.metric) == "unknown") {
    issues.push_back("metric = " + std::to_string(static_cast<int>(options.metric)) +
                     ": give one of the metrics of geotherm/neighbors.hpp");
  }
  if (to_string(options.search) == "unknown") {
    issues.push_back("search = " + std::to_string(static_cast<int>(options.search)) +
                     ": give auto, brute-force, tree or approximate");
  }
  return issues;
}

std::size_t resolve_knn(const std::optional<std::size_t>& knn, std::size_t n_points,
                        const Context& context) {
  refuse_if_any(issues_with({.knn = knn}, n_points));
  if (knn) return *knn;
  const std::size_t most = n_points == 0 ? 0 : n_points - 1;
  if (most < default_knn) {
    context.warn("only " + std::to_string(n_points) + " points: knn is " + std::to_string(most) +
                 " instead of " + std::to_string(default_knn));
  }
  return std::min(default_knn, most);
}

}  // namespace geotherm
