// A map and memberships -> how many neighbours it keeps, and how densely its points lie: what says
// whether, and from what size on, a map is refined.
#include "refine/fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/median.hpp"
#include "core/take_rows.hpp"
#include "neighbors/point_index.hpp"

namespace geotherm::detail {
namespace {

// Median distance to the 15th nearest at the start, in units of the objective: where neighbours of
// an even sheet lie as it wants them to.
constexpr double wanted_spacing = 0.6;
constexpr double least_scale = 1;
constexpr double unit_divisor = 6.6;  // RefineOptions::scale
constexpr std::size_t most_sampled = 1000, judged = 10, spaced = 15;

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

double scale_of(const NeighborFit& fit, std::size_t n_points, std::size_t n_dimensions) {
  const double deviation =
      std::pow(static_cast<double>(n_points), 1 / static_cast<double>(n_dimensions)) / unit_divisor;
  const double spacing = deviation * fit.spacing;
  return spacing > 0 ? std::clamp(wanted_spacing / spacing, least_scale, largest_scale)
                     : largest_scale;
}

}  // namespace geotherm::detail
