// A tree of random walks: each branch adds up steps that are uniform on [-1, 1] in every
// coordinate; all but the first start at a random point of the first. True distances are shortest
// paths along the noise-free points.
#include "points/datasets/sample.hpp"
#include "points/datasets/truth.hpp"

namespace geotherm::detail {

Sample sample_tree(const SynthOptions& options, std::size_t dim, const Context& context) {
  const std::size_t n = options.n;
  Sample sample{Matrix<double>(n, dim), {}, std::vector<double>(n), std::vector<Index>(n)};
  const std::vector<std::size_t> lengths = split_evenly(n, options.branches);
  std::size_t i = 0;
  for (std::size_t branch = 0; branch < lengths.size(); ++branch) {
    Rng rng(context.seed, "tree.branch", branch);
    std::vector<double> position(dim, 0.0);
    double t = 0;  // steps from the root
    if (branch > 0) {
      const std::size_t joint = rng.below(lengths[0]);
      const auto start = sample.points.row(joint);
      position.assign(start.begin(), start.end());
      t = sample.t[joint] + 1;
    }
    for (std::size_t step = 0; step < lengths[branch]; ++step, ++i, ++t) {
      for (std::size_t j = 0; j < dim; ++j) {
        position[j] += 2 * rng.uniform() - 1;
        sample.points(i, j) = position[j];
      }
      sample.t[i] = t;
      sample.label[i] = static_cast<Index>(branch);
    }
  }
  sample.coordinates = sample.points;
  return sample;
}

Matrix<double> tree_distances(const Sample& sample, const Context& context) {
  return graph_distances(sample.points, 10, context);
}

}  // namespace geotherm::detail
