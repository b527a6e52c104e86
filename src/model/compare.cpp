// Two maps: aligned by Procrustes, their distances correlated, their neighbourhoods intersected.
#include "geotherm/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "geotherm/embedding.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/neighbors.hpp"

namespace geotherm {
namespace {

/// With columns of zeros, where the other map has more.
Matrix<double> widened(MatrixView<const double> map, std::size_t n_columns) {
  Matrix<double> wide(map.rows, n_columns);
  for (std::size_t i = 0; i < map.rows; ++i) {
    std::ranges::copy(map.row(i), wide.row(i).begin());
  }
  return wide;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double square = 0;
  for (std::size_t k = 0; k < a.size(); ++k) square += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(square);
}

/// Distances over all pairs among the chosen points.
std::vector<double> pairs_among(const Matrix<double>& map, const std::vector<Index>& chosen) {
  std::vector<double> all;
  all.reserve(chosen.size() * (chosen.size() - 1) / 2);
  for (std::size_t a = 0; a < chosen.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      all.push_back(distance(map.row(static_cast<std::size_t>(chosen[a])),
                             map.row(static_cast<std::size_t>(chosen[b]))));
    }
  }
  return all;
}

std::vector<double> shares_kept(const Matrix<double>& first, const Matrix<double>& second,
                                std::size_t knn, const Context& context) {
  const std::size_t n = first.rows();
  std::vector<double> kept(n, 1.0);
  if (n < 2) return kept;
  const NeighborOptions options{.knn = std::min(knn, n - 1)};
  const NeighborLists a = find_neighbors(first.view(), options, context);
  const NeighborLists b = find_neighbors(second.view(), options, context);
  for (std::size_t i = 0; i < n; ++i) {
    const auto one = a.neighbors(i).first(*options.knn);
    std::vector<Index> other(b.neighbors(i).begin(),
                             b.neighbors(i).begin() + static_cast<std::ptrdiff_t>(*options.knn));
    std::ranges::sort(other);
    const auto n_kept =
        std::ranges::count_if(one, [&](Index j) { return std::ranges::binary_search(other, j); });
    kept[i] = static_cast<double>(n_kept) / static_cast<double>(*options.knn);
  }
  return kept;
}

Matrix<double> centres_of(const Matrix<double>& map, const std::vector<std::size_t>& group_of,
                          const std::vector<GroupComparison>& groups) {
  Matrix<double> centres(groups.size(), map.cols());
  for (std::size_t i = 0; i < map.rows(); ++i) {
    const auto g = group_of[i];
    for (std::size_t k = 0; k < map.cols(); ++k) {
      centres(g, k) += map(i, k) / static_cast<double>(groups[g].n_points);
    }
  }
  return centres;
}

std::vector<GroupComparison> compare_groups(const MapComparison& found, const Matrix<double>& first,
                                            const std::vector<std::string>& names) {
  std::vector<GroupComparison> groups;
  std::map<std::string, std::size_t> number;
  std::vector<std::size_t> group_of(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [place, is_new] = number.try_emplace(names[i], groups.size());
    if (is_new) groups.push_back({.name = names[i]});
    group_of[i] = place->second;
    GroupComparison& group = groups[group_of[i]];
    ++group.n_points;
    group.rms += found.displacement[i] * found.displacement[i];
    group.kept_neighbors += found.kept_neighbors[i];
  }
  const Matrix<double> before = centres_of(first, group_of, groups);
  const Matrix<double> after = centres_of(found.aligned, group_of, groups);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto n = static_cast<double>(groups[g].n_points);
    groups[g].rms = std::sqrt(groups[g].rms / n);
    groups[g].kept_neighbors /= n;
    double sum = 0;
    std::size_t n_others = 0;
    for (std::size_t h = 0; h < groups.size(); ++h) {
      const double was = distance(before.row(g), before.row(h));
      const double is = distance(after.row(g), after.row(h));
      if (h == g || !(was > 0) || !(is > 0)) continue;
      sum += std::log(is / was);
      ++n_others;
    }
    groups[g].relative_distance = n_others > 0 ? std::exp(sum / static_cast<double>(n_others))
                                               : std::numeric_limits<double>::quiet_NaN();
  }
  return groups;
}

}  // namespace

std::vector<std::string> issues_with(const CompareOptions& options) {
  std::vector<std::string> issues;
  if (options.knn < 1) issues.emplace_back("knn is 0: give at least 1 neighbour");
  if (options.max_points < 3) {
    issues.push_back("max_points is " + std::to_string(options.max_points) + ": give at least 3");
  }
  return issues;
}

MapComparison compare_maps(MatrixView<const double> first, MatrixView<const double> second,
                           const std::vector<std::string>& groups, const CompareOptions& options,
                           const Context& context) {
  std::vector<std::string> issues = issues_with(options);
  if (first.rows != second.rows || first.empty() || second.empty()) {
    issues.push_back("the maps are " + std::to_string(first.rows) + " x " +
                     std::to_string(first.cols) + " and " + std::to_string(second.rows) + " x " +
                     std::to_string(second.cols) + ": give two maps of the same points");
  }
  if (!groups.empty() && groups.size() != first.rows) {
    issues.push_back("there are " + std::to_string(groups.size()) + " names of groups for " +
                     std::to_string(first.rows) + " points: give one per point");
  }
  refuse_if_any(issues);
  const std::size_t n = first.rows, n_columns = std::max(first.cols, second.cols);
  const Matrix<double> one = widened(first, n_columns), other = widened(second, n_columns);

  MapComparison found;
  Procrustes laid = procrustes(one, other);
  found.aligned = std::move(laid.aligned);
  found.disparity = laid.disparity;
  found.scale = laid.scale;
  std::vector<double> centre(n_columns, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n_columns; ++k) centre[k] += one(i, k) / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double moved = distance(one.row(i), found.aligned.row(i));
    const double out = distance(one.row(i), centre);
    found.displacement.push_back(moved);
    found.rms += moved * moved / static_cast<double>(n);
    found.extent += out * out / static_cast<double>(n);
  }
  found.rms = std::sqrt(found.rms);
  found.extent = std::sqrt(found.extent);

  std::vector<Index> chosen(n);
  std::iota(chosen.begin(), chosen.end(), Index{0});
  if (n > options.max_points) {
    Rng rng(context.seed, "compare.points");
    rng.shuffle(std::span(chosen));
    chosen.resize(options.max_points);
    std::ranges::sort(chosen);
  }
  const std::vector<double> a = pairs_among(one, chosen), b = pairs_among(other, chosen);
  found.distance_correlation = pearson(a, b);
  found.distance_rank_correlation = spearman(a, b);
  found.kept_neighbors = shares_kept(one, other, options.knn, context);
  if (!groups.empty()) found.groups = compare_groups(found, one, groups);
  return found;
}

}  // namespace geotherm
