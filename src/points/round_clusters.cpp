// Scores in the directions that are kept -> k-means -> is what remains inside of clusters noise?
//
// Variance inside of Gaussian clusters is .92 to 1.11 of the noise's, whatever their number and size.
// A shape that goes on from one cluster to the next varies along itself within each: pieces of a
// ring, a line, a sphere or a roll that lie 4 deviations apart have 1.4 and more of it, stars of
// three arms 1.30; with less, they lie side by side.
#include "points/round_clusters.hpp"

#include <kmeans/kmeans.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/squared_distance.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t most_rows = 2000;
constexpr std::size_t fewest_rows_of_a_cluster = 5;  // on average
constexpr int n_restarts = 5, max_iterations = 100;
/// Variance inside of clusters over that of noise.
constexpr double most_within = 1.2;
/// Distance of two centres in standard deviations of noise.
constexpr double least_gap = 4;

Matrix<double> some_rows(MatrixView<const double> scores, double scale) {
  const std::size_t n = std::min(scores.rows, most_rows);
  auto rows = Matrix<double>::uninitialized(n, scores.cols);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = scores.row(i * scores.rows / n);
    for (std::size_t k = 0; k < row.size(); ++k) rows(i, k) = scale * row[k];
  }
  return rows;
}

struct Clusters {
  Matrix<double> centers;
  double within = std::numeric_limits<double>::infinity();  ///< sum of squared distances
};

Clusters cluster(const Matrix<double>& rows, std::size_t n_clusters, std::uint64_t seed) {
  const std::size_t d = rows.cols();
  const auto n = static_cast<Index>(rows.rows());
  const ::kmeans::SimpleMatrix<Index, double> data(d, n, rows.data());
  ::kmeans::InitializeKmeanspp<Index, double, Index, double> start;
  start.get_options().seed = seed;
  ::kmeans::RefineHartiganWong<Index, double, Index, double> refine;
  refine.get_options().max_iterations = max_iterations;
  const auto found = ::kmeans::compute(data, start, refine, static_cast<Index>(n_clusters));
  Clusters result{Matrix<double>(n_clusters, d), 0};
  std::copy_n(found.centers.begin(), n_clusters * d, result.centers.data());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto own = static_cast<std::size_t>(found.clusters[i]);
    result.within += squared_distance(rows.row(i), result.centers.row(own));
  }
  return result;
}

}  // namespace

bool are_round_clusters(MatrixView<const double> scores, double scale, double noise_variance) {
  const std::size_t d = scores.cols, n_clusters = d + 1;
  if (d == 0 || !(noise_variance > 0) || scores.rows < fewest_rows_of_a_cluster * n_clusters) {
    return false;
  }
  const Matrix<double> rows = some_rows(scores, scale);
  Clusters best;
  for (std::uint64_t start = 0; start < n_restarts; ++start) {
    Clusters found = cluster(rows, n_clusters, start);  // the table decides, not the run's seed
    if (found.within < best.within) best = std::move(found);
  }
  const auto freedom = static_cast<double>((rows.rows() - n_clusters) * d);
  if (!(best.within <= most_within * noise_variance * freedom)) return false;
  for (std::size_t a = 0; a < n_clusters; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double squared = squared_distance(best.centers.row(a), best.centers.row(b));
      if (!(squared >= least_gap * least_gap * noise_variance)) return false;
    }
  }
  return true;
}

}  // namespace geotherm::detail
