// Points and a number of clusters in; the best of several k-means runs out (an adapter over the
// kmeans headers: k-means++ starts, Hartigan-Wong refinement).
#include "kmeans/kmeans.hpp"

#include <limits>

#include "geotherm/metrics.hpp"
#include "metrics/distance_rows.hpp"

namespace geotherm {
namespace {

struct Run {
  std::vector<Index> clusters;
  std::vector<double> centers;  ///< cluster by cluster
  Index n_found = 0;
  double within = 0;
  bool is_converged = true;
};

Run run_once(const Matrix<double>& points, Index n_clusters, int max_iterations,
             std::uint64_t seed) {
  const auto n = static_cast<Index>(points.rows());
  const ::kmeans::SimpleMatrix<Index, double> data(points.cols(), n, points.data());
  ::kmeans::InitializeKmeanspp<Index, double, Index, double> start;
  start.get_options().seed = seed;
  ::kmeans::RefineHartiganWong<Index, double, Index, double> refine;
  refine.get_options().max_iterations = max_iterations;

  auto result = ::kmeans::compute(data, start, refine, n_clusters);
  Run run;
  run.is_converged = result.details.status == 0;
  run.n_found =
      ::kmeans::remove_unused_centers(points.cols(), n, result.clusters.data(), n_clusters,
                                      result.centers.data(), result.details.sizes);
  run.clusters = std::move(result.clusters);
  run.centers = std::move(result.centers);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double* center = &run.centers[static_cast<std::size_t>(run.clusters[i]) * points.cols()];
    for (std::size_t k = 0; k < points.cols(); ++k) {
      const double difference = points(i, k) - center[k];
      run.within += difference * difference;
    }
  }
  return run;
}

}  // namespace

std::vector<std::string> issues_with(const KmeansOptions& options) {
  constexpr auto limit = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  std::vector<std::string> complaints;
  if (options.n_clusters < 1) complaints.push_back("n_clusters is 0: give 1 or more");
  if (options.n_clusters > limit) {
    complaints.push_back("n_clusters is " + std::to_string(options.n_clusters) +
                         ": give at most as many as there are points");
  }
  if (options.n_restarts < 1) complaints.push_back("n_restarts is 0: give 1 or more");
  if (options.max_iterations < 1 || options.max_iterations > limit) {
    complaints.push_back("max_iterations is " + std::to_string(options.max_iterations) +
                         ": give 1 or more, and less than 2^31");
  }
  return complaints;
}

Kmeans kmeans(MatrixView<const double> points, const KmeansOptions& options,
              const Context& context) {
  auto complaints = issues_with(options);
  if (points.empty()) complaints.push_back("points is empty: give one point or more");
  if (const auto bad = detail::complaint_unless_finite(points, "points", false, context)) {
    complaints.push_back(*bad);
  }
  refuse_if_any(complaints);
  context.report_or_throw({.stage = "k-means"});

  // Packed, and scaled by a power of two so that squares stay in range.
  const double scale = detail::safe_scale(detail::largest_magnitude(points));
  auto packed = Matrix<double>::uninitialized(points.rows, points.cols);
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t k = 0; k < points.cols; ++k) packed(i, k) = points(i, k) * scale;
  }
  const auto n_clusters = static_cast<Index>(std::min(options.n_clusters, points.rows));
  std::vector<Run> runs(options.n_restarts);
  parallel_for(context, runs.size(), 1, [&](std::size_t begin, std::size_t) {
    const std::uint64_t seed = Rng(context.seed, "metrics.kmeans", begin).next();
    runs[begin] = run_once(packed, n_clusters, static_cast<int>(options.max_iterations), seed);
  });
  Run* best = &runs.front();
  for (Run& run : runs) {
    if (run.within < best->within) best = &run;
  }

  Kmeans result;
  result.clusters = std::move(best->clusters);
  result.centers = Matrix<double>(static_cast<std::size_t>(best->n_found), points.cols);
  for (std::size_t e = 0; e < result.centers.size(); ++e) {
    result.centers.data()[e] = best->centers[e] / scale;
  }
  result.within = best->within / scale / scale;
  result.outcome = best->is_converged ? Outcome::converged : Outcome::iteration_limit;
  return result;
}

}  // namespace geotherm
