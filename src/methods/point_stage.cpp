#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "core/take_rows.hpp"
#include "methods/prepared_points.hpp"

namespace geotherm::detail {
namespace {

void require_enough_rows(std::size_t n) {
  if (n < 2) {
    throw InvalidData("the input has " + std::to_string(n) + (n == 1 ? " row" : " rows") +
                      ": a map needs at least 2 points");
  }
}

}  // namespace

Matrix<double> widen(MatrixView<const float> points) {
  Matrix<double> wide = Matrix<double>::uninitialized(points.rows, points.cols);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const auto row = points.row(i);
    std::copy(row.begin(), row.end(), wide.row(i).begin());
  }
  return wide;
}

std::vector<Index> rows_as_points(std::size_t n) {
  require_enough_rows(n);
  std::vector<Index> unique_inverse(n);
  std::iota(unique_inverse.begin(), unique_inverse.end(), 0);
  return unique_inverse;
}

namespace {

template <class T>
void require_measurable_rows(MatrixView<const T> points, const Context& context) {
  constexpr std::size_t block = 8192;
  std::vector<double> parts((points.rows + block - 1) / block, 0.0);
  parallel_for(context, points.rows, block, [&](std::size_t begin, std::size_t end) {
    double most = 0;
    for (std::size_t i = begin; i < end; ++i) {
      for (const T x : points.row(i)) most = std::max(most, std::abs(static_cast<double>(x)));
    }
    parts[begin / block] = most;
  });
  const double largest = parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end());
  if (std::isfinite(2 * static_cast<double>(points.cols) * largest)) return;
  std::ostringstream text;
  text << "the largest entry is " << largest
       << ": distances between rows would leave the range of numbers; divide the table by a "
          "constant";
  throw InvalidData(text.str());
}

}  // namespace

void require_measurable(MatrixView<const double> points) {
  require_measurable_rows(points, Context{});
}

namespace {

/// An explicit knn is checked against the rows that the user sees, then clamped to the distinct
/// ones.
NeighborOptions clamp_to_distinct(NeighborOptions options, std::size_t n_rows,
                                  std::size_t n_distinct, const Context& context) {
  refuse_if_any(issues_with(options, n_rows));
  if (n_distinct == n_rows || !options.knn || *options.knn < n_distinct) return options;
  context.warn("knn is " + std::to_string(*options.knn) + " but only " +
               std::to_string(n_distinct) +
               " rows are distinct: " + std::to_string(n_distinct - 1) + " neighbours are used");
  options.knn = n_distinct - 1;
  return options;
}

template <class T>
void reduce(PreparedPoints<T>& prepared, const PcaOptions& options, RunReport& report,
            const Context& context) {
  const StageClock clock(report, "pca");
  auto& resolved = report.resolved;
  if (!options.rank && is_principal_components(prepared.points, context)) {
    resolved["pca_rank"] = static_cast<double>(prepared.points.cols);
    resolved["pca_choice"] =
        std::string("the columns are principal components already: nothing is cut");
    return;
  }
  prepared.reduced =
      pca(prepared.points, {.rank = options.rank, .leaves_out_uncut = true}, context);
  resolved["pca_choice"] = prepared.reduced.choice;
  const std::size_t rank = prepared.reduced.was_reduced
                               ? prepared.reduced.scores.cols()
                               : std::min(prepared.points.rows, prepared.points.cols);
  resolved["pca_rank"] = static_cast<double>(rank);
  if (prepared.reduced.was_reduced) prepared.reduced_points = prepared.reduced.scores.view();
}

template <class T>
void smooth(PreparedPoints<T>& prepared, const SmoothOptions& options, RunReport& report,
            const Context& context) {
  const StageClock clock(report, "smoothing");
  prepared.smoothed = smooth_points(prepared.in_double(), options, prepared.neighbors, context);
  auto& resolved = report.resolved;
  resolved["smooth_steps"] = static_cast<double>(prepared.smoothed.steps);
  resolved["smooth_neighbors"] = static_cast<double>(prepared.smoothed.neighbors);
  resolved["neighborhood_roundness"] = prepared.smoothed.roundness;
  if (prepared.smoothed.steps > 0) prepared.reduced_points = prepared.smoothed.points.view();
}

}  // namespace

template <class T>
PreparedPoints<T> prepare(MatrixView<const T> points, const MethodOptions& options,
                          RunReport& report, const Context& context) {
  PreparedPoints<T> prepared;
  UniqueRows unique;
  {
    const StageClock clock(report, "points");
    require_finite(points, context);
    require_enough_rows(points.rows);
    require_measurable_rows(points, context);
    unique = find_unique_rows(points, context);
  }
  if (!unique.all_distinct()) {
    const std::size_t n_equal = points.rows - unique.first.size();
    context.warn(std::to_string(n_equal) +
                 (n_equal == 1 ? " row equals an earlier one: both are one point"
                               : " rows equal earlier ones: equal rows are one point"));
    report.resolved["duplicate_rows"] = static_cast<double>(n_equal);
    prepared.distinct = take_rows<T>(points, unique.first);
  }
  prepared.points = unique.all_distinct() ? points : prepared.distinct.view();
  prepared.unique_inverse = std::move(unique.unique_inverse);
  prepared.neighbors =
      clamp_to_distinct(options.neighbors, points.rows, prepared.points.rows, context);
  if (prepared.points.rows == 1) {
    context.warn("all rows are equal: every point is put at the origin");
    return prepared;
  }
  if (options.pca && options.pca->rank != 0) reduce(prepared, *options.pca, report, context);
  if (options.smooth) smooth(prepared, *options.smooth, report, context);
  return prepared;
}
template PreparedPoints<double> prepare(MatrixView<const double>, const MethodOptions&, RunReport&,
                                        const Context&);
template PreparedPoints<float> prepare(MatrixView<const float>, const MethodOptions&, RunReport&,
                                       const Context&);

template <class T>
Pca principal_components(MatrixView<const T> points, std::size_t n_components,
                         const Context& context) {
  const std::size_t rank = std::min({n_components, points.rows, points.cols});
  Pca found = pca(points, {.rank = rank}, context);
  Matrix<double> scores(points.rows, n_components);
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t k = 0; k < rank; ++k) scores(i, k) = found.scores(i, k);
  }
  found.scores = std::move(scores);
  return found;
}
template Pca principal_components(MatrixView<const double>, std::size_t, const Context&);
template Pca principal_components(MatrixView<const float>, std::size_t, const Context&);

}  // namespace geotherm::detail
