// MDS on the device against the CPU: stress, gradients by way of whole runs, determinism.
#include "fixture.hpp"

namespace gpu_tests {
namespace {

Matrix<double> distances_of_roll(std::size_t n) {
  const Matrix<double> points = roll(n);
  const auto kernel =
      heat_kernel(build_laplacian(graph_of(points), LaplacianKind::combinatorial, cpu()), {.time = 8});
  return heat_geodesic(*kernel, {}, cpu()).values;
}
const Matrix<double>& distances() {
  static const Matrix<double> made = distances_of_roll(2300);
  return made;
}

}  // namespace

GPU_TEST(StressOfAGivenLayoutIsTheCpus) {
  // No sweep: the classical start, whose stress is one pass.
  for (const std::size_t dims : {1, 2, 3, 5, 8}) {
    const MdsOptions options{.n_components = dims, .max_iterations = 0};
    const Embedding expected = mds(distances(), options, {}, cpu());
    const Embedding found = mds(distances(), options, {}, gpu());
    EXPECT_AT_MOST(std::abs(found.stress / expected.stress - 1), 1e-5);
    EXPECT_AT_MOST(procrustes(expected.coordinates, found.coordinates).disparity, 1e-6);
  }
}

GPU_TEST(SmacofEndsInTheSamePicture) {
  for (const std::size_t dims : {1, 2, 3, 4}) {
    const MdsOptions options{.n_components = dims, .n_shakes = 0};
    const Embedding expected = mds(distances(), options, {}, cpu());
    const Embedding found = mds(distances(), options, {}, gpu());
    EXPECT_AT_MOST(procrustes(expected.coordinates, found.coordinates).disparity, 1e-6);
    EXPECT_AT_MOST(std::abs(found.stress / expected.stress - 1), 1e-4);
    bool falls = true;
    for (std::size_t k = 1; k < found.stress_history.size(); ++k) {
      falls = falls && found.stress_history[k] <= found.stress_history[k - 1];
    }
    EXPECT(falls);
  }
}

GPU_TEST(StochasticSweepsAreTheCpus) {
  for (const std::size_t dims : {2, 3}) {
    const MdsOptions options{.n_components = dims, .method = MdsMethod::sgd, .max_iterations = 15};
    const Embedding expected = mds(distances(), options, {}, cpu());
    const Embedding found = mds(distances(), options, {}, gpu());
    EXPECT_AT_MOST(procrustes(expected.coordinates, found.coordinates).disparity, 1e-6);
    EXPECT_AT_MOST(std::abs(found.stress / expected.stress - 1), 1e-4);
  }
}

GPU_TEST(MdsHasTheSameBitsFromRunToRun) {
  const Embedding once = mds(distances(), {}, {}, gpu());
  const Embedding again = mds(distances(), {}, {}, gpu());
  EXPECT(same_bits(once.coordinates, again.coordinates));
}

}  // namespace gpu_tests
