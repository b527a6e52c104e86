// Gaussian clusters of standard deviation 1, centres about 10 apart in any dimension. The space
// between them is flat: true distances are straight lines between the noise-free points.
#include <cmath>

#include "points/datasets/sample.hpp"
#include "points/datasets/truth.hpp"

namespace geotherm::detail {

Sample sample_blobs(const SynthOptions& options, std::size_t dim, const Context& context) {
  const std::size_t n = options.n;
  Sample sample{Matrix<double>(n, dim), {}, {}, {}};
  const std::vector<std::size_t> sizes = split_evenly(n, options.branches);
  for (std::size_t cluster = 0; cluster < sizes.size(); ++cluster) {
    sample.label.insert(sample.label.end(), sizes[cluster], static_cast<Index>(cluster));
  }
  // The mean squared distance of two centres is 2 dim spread^2 = 10^2.
  const double spread = 10 / std::sqrt(2 * static_cast<double>(dim));
  Matrix<double> centres(options.branches, dim);
  for (std::size_t cluster = 0; cluster < centres.rows(); ++cluster) {
    Rng rng(context.seed, "blobs.centre", cluster);
    for (double& x : centres.row(cluster)) x = spread * rng.normal();
  }
  draw_points(context, "blobs.points", n, [&](Rng& rng, std::size_t i) {
    const auto centre = centres.row(static_cast<std::size_t>(sample.label[i]));
    for (std::size_t j = 0; j < dim; ++j) sample.points(i, j) = centre[j] + rng.normal();
  });
  sample.coordinates = sample.points;
  return sample;
}

Matrix<double> blobs_distances(const Sample& sample, const Context& context) {
  return euclidean_distances(sample.coordinates, context);
}

}  // namespace geotherm::detail
