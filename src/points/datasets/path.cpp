// Equispaced points 0 ... n - 1 on a line.
#include "points/datasets/sample.hpp"
#include "points/datasets/truth.hpp"

namespace geotherm::detail {

Sample sample_path(const SynthOptions& options, std::size_t /*dim*/, const Context&) {
  Sample sample{Matrix<double>(options.n, 1), {}, std::vector<double>(options.n), {}};
  for (std::size_t i = 0; i < options.n; ++i) {
    sample.points(i, 0) = sample.t[i] = static_cast<double>(i);
  }
  sample.coordinates = sample.points;
  return sample;
}

Matrix<double> path_distances(const Sample& sample, const Context& context) {
  return euclidean_distances(sample.coordinates, context);
}

}  // namespace geotherm::detail
