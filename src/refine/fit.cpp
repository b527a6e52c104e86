// A map and memberships -> how many neighbours it keeps, and how densely its points lie; a graph ->
// how well maps keep its paths: what says whether, and from what size on, a map is refined.
#include "refine/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/median.hpp"
#include "core/take_rows.hpp"
#include "dissimilarity/dijkstra.hpp"
#include "geotherm/metrics.hpp"
#include "neighbors/point_index.hpp"

namespace geotherm::detail {
namespace {

// Median distance to the 15th nearest at the start, in units of the objective: where neighbours of
// an even sheet lie as it wants them to.
constexpr double wanted_spacing = 0.6;
constexpr double least_scale = 1, largest_scale = 8;
// A map that keeps few neighbours is wide at the start, so that compact groups stay compact; an even
// sheet would clump.
constexpr double few_kept = 0.5, least_scale_of_few_kept = 5;
constexpr double unit_divisor = 6.6;  // at scale 1 a point has about seven others within one unit
constexpr std::size_t most_sampled = 1000, judged = 10, spaced = 15;
// Of paths: starts, ends of each, and the fewest ends that say something of the shape.
constexpr std::size_t many_points = 20000, starts_of_few = 32, starts_of_many = 16;
constexpr std::size_t most_ends = 2000, fewest_ends = 10;

/// The `count` others with the largest memberships, ties by index.
std::vector<Index> strongest(const SparseMatrix& memberships, std::size_t i, std::size_t count) {
  const auto others = memberships.row_indices(i);
  const auto values = memberships.row_values(i);
  std::vector<std::pair<double, Index>> row;
  for (std::size_t e = 0; e < others.size(); ++e) row.emplace_back(-values[e], others[e]);
  const std::size_t kept = std::min(count, row.size());
  std::partial_sort(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(kept), row.end());
  std::vector<Index> result;
  for (std::size_t k = 0; k < kept; ++k) result.push_back(row[k].second);
  return result;
}

/// In units of the largest entry: squares stay in the range of numbers.
Matrix<double> of_size_one(MatrixView<const double> map) {
  double largest = 0;
  for (std::size_t i = 0; i < map.rows; ++i) {
    for (const double x : map.row(i)) largest = std::max(largest, std::abs(x));
  }
  auto result = Matrix<double>::uninitialized(map.rows, map.cols);
  for (std::size_t i = 0; i < map.rows; ++i) {
    std::transform(map.row(i).begin(), map.row(i).end(), result.row(i).begin(),
                   [largest](double x) { return largest > 0 ? x / largest : 0; });
  }
  return result;
}

double deviation_of(MatrixView<const double> map) {
  double squares = 0;
  const double n = static_cast<double>(map.rows);
  for (std::size_t k = 0; k < map.cols; ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < map.rows; ++i) mean += map(i, k) / n;
    for (std::size_t i = 0; i < map.rows; ++i) squares += (map(i, k) - mean) * (map(i, k) - mean);
  }
  return std::sqrt(squares / (n * static_cast<double>(map.cols)));
}

}  // namespace

NeighborFit neighbor_fit(MatrixView<const double> given, const SparseMatrix& memberships,
                         const Context& context) {
  NeighborFit fit;
  const std::size_t n = given.rows;
  if (n < 3) return fit;
  const std::size_t step = (n + most_sampled - 1) / most_sampled;
  std::vector<Index> sample;
  for (std::size_t i = 0; i < n; i += step) sample.push_back(static_cast<Index>(i));
  const Matrix<double> scaled = of_size_one(given);
  const MatrixView<const double> map = scaled.view();
  const PointIndex<double> index(map, Metric::euclidean);
  const NeighborLists lists = index.nearest(take_rows<double>(map, sample).view(),
                                            std::min(spaced + 1, n), context);
  std::vector<double> spacings;
  std::size_t n_kept = 0, n_wanted = 0;
  for (std::size_t s = 0; s < sample.size(); ++s) {
    std::vector<Index> near;  // without the point itself
    for (const Index j : lists.neighbors(s)) {
      if (j != sample[s] && near.size() < judged) near.push_back(j);
    }
    const auto wanted = strongest(memberships, static_cast<std::size_t>(sample[s]), judged);
    n_wanted += wanted.size();
    for (const Index j : wanted) {
      n_kept += static_cast<std::size_t>(std::count(near.begin(), near.end(), j));
    }
    spacings.push_back(lists.lengths(s).back());
  }
  if (n_wanted > 0) fit.kept = static_cast<double>(n_kept) / static_cast<double>(n_wanted);
  const double deviation = deviation_of(map);
  if (deviation > 0) fit.spacing = median(std::move(spacings)) / deviation;
  return fit;
}

double deviation_at_scale_1(std::size_t n_points, std::size_t n_dimensions) {
  return std::pow(static_cast<double>(n_points), 1 / static_cast<double>(n_dimensions)) /
         unit_divisor;
}

double scale_of(const NeighborFit& fit, std::size_t n_points, std::size_t n_dimensions) {
  const double spacing = deviation_at_scale_1(n_points, n_dimensions) * fit.spacing;
  const double least = fit.kept < few_kept ? least_scale_of_few_kept : least_scale;
  return spacing > 0 ? std::clamp(wanted_spacing / spacing, least, largest_scale) : largest_scale;
}

PathSample::PathSample(const Graph& graph, const Context& context) {
  const std::size_t n = graph.n_points();
  if (n < 3 || !graph.has_lengths()) return;
  std::vector<double> lengths = graph.lengths;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
      if (graph.is_bridge(i, graph.weights.indices[e])) {
        lengths[e] = std::numeric_limits<double>::infinity();
      }
    }
  }
  from_.resize(std::min(n, n > many_points ? starts_of_many : starts_of_few));
  parallel_for(context, from_.size(), 1, [&](std::size_t begin, std::size_t end) {
    Dijkstra paths(graph.weights, lengths);
    std::vector<double> found(n);
    for (std::size_t s = begin; s < end; ++s) {
      From& from = from_[s];
      from.point = static_cast<Index>(s * n / from_.size());
      paths.run(from.point, found);
      std::vector<Index> reached;
      for (std::size_t j = 0; j < n; ++j) {
        if (std::isfinite(found[j])) reached.push_back(static_cast<Index>(j));
      }
      const std::size_t step = (reached.size() + most_ends - 1) / most_ends;
      for (std::size_t r = 0; r < reached.size(); r += step) {
        from.to.push_back(reached[r]);
        from.lengths.push_back(found[static_cast<std::size_t>(reached[r])]);
      }
    }
  });
  std::erase_if(from_, [](const From& from) { return from.to.size() < fewest_ends; });
}

double PathSample::correlation(MatrixView<const double> given) const {
  const Matrix<double> scaled = of_size_one(given);
  double sum = 0;
  for (const From& from : from_) {
    const auto here = scaled.row(static_cast<std::size_t>(from.point));
    std::vector<double> straight;
    for (const Index j : from.to) {
      const auto there = scaled.row(static_cast<std::size_t>(j));
      double square = 0;
      for (std::size_t k = 0; k < here.size(); ++k) square += (here[k] - there[k]) * (here[k] - there[k]);
      straight.push_back(square);
    }
    sum += spearman(from.lengths, straight);
  }
  return from_.empty() ? 0 : sum / static_cast<double>(from_.size());
}

}  // namespace geotherm::detail
