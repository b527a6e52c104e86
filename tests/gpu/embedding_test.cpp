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

namespace {

double trustworthiness(const Matrix<double>& points, const Matrix<double>& map) {
  return score_neighborhoods({.coordinates = points.view()}, {.coordinates = map.view()},
                             {.max_points = 2000}, cpu())
      .trustworthiness;
}

struct Start {
  Matrix<double> points;
  NeighborLists lists;
  Matrix<double> at;
};
Start start_of(Matrix<double> points, std::size_t knn, std::size_t dims) {
  NeighborLists lists = find_neighbors(points.view(), {.knn = knn}, cpu());
  Matrix<double> at = pca(points, {.rank = dims}, cpu()).scores;
  return {std::move(points), std::move(lists), std::move(at)};
}

}  // namespace

GPU_TEST(ExactForcesOfTsneMovePointsAsTheCpu) {
  // A few steps of the first phase and across its end, without cells: rounding alone is between them.
  for (const std::size_t dims : {1, 2, 3}) {
    const Start start = start_of(made(Shape::tree, 2000, 10, 1.0), 90, dims);
    const TsneOptions options{.exaggeration_iterations = 4, .iterations = 8, .theta = 0};
    const Layout expected = tsne_layout(start.lists, start.at, options, cpu());
    const Layout found = tsne_layout(start.lists, start.at, options, gpu());
    EXPECT_AT_MOST(procrustes(expected.coordinates, found.coordinates).disparity, 1e-9);
    EXPECT_AT_MOST(std::abs(found.objective / expected.objective - 1), 1e-5);
  }
}

GPU_TEST(CellsOfTsneMovePointsNearlyAsExactForces) {
  for (const std::size_t dims : {1, 2, 3}) {
    const Start start = start_of(roll(5000), 90, dims);
    const auto run = [&](double theta) {
      const TsneOptions options{.iterations = 40, .theta = theta};
      return tsne_layout(start.lists, start.at, options, gpu()).coordinates;
    };
    EXPECT_AT_MOST(procrustes(run(0), run(0.5)).disparity, 1e-3);
  }
}

GPU_TEST(TsneEndsAsLowAsOnTheCpu) {
  for (const std::size_t dims : {2, 3}) {
    const Start start = start_of(made(Shape::tree, 5000, 20, 1.0), 90, dims);
    const TsneOptions options{.iterations = 500};
    const Layout expected = tsne_layout(start.lists, start.at, options, cpu());
    const Layout found = tsne_layout(start.lists, start.at, options, gpu());
    EXPECT_AT_MOST(found.objective / expected.objective - 1, 0.01);
    EXPECT_AT_MOST(trustworthiness(start.points, expected.coordinates) -
                       trustworthiness(start.points, found.coordinates),
                   0.002);
    EXPECT(same_bits(found.coordinates,
                     tsne_layout(start.lists, start.at, options, gpu()).coordinates));
  }
}

GPU_TEST(AStoppedTsneHasTheMapAsFarAsItHadCome) {
  const Start start = start_of(roll(2000), 90, 2);
  Context stops = gpu();
  stops.on_progress = [](const Progress& progress) {
    return progress.done >= 50 ? Next::stop_here : Next::go_on;
  };
  const Layout stopped = tsne_layout(start.lists, start.at, {}, stops);
  EXPECT(stopped.outcome == Outcome::stopped && stopped.iterations == 50);
  EXPECT(same_bits(stopped.coordinates,
                   tsne_layout(start.lists, start.at, {.iterations = 50}, gpu()).coordinates));
}

GPU_TEST(EpochsOfUmapMovePointsAsTheCpu) {
  for (const std::size_t dims : {1, 2, 3}) {
    const Start start = start_of(roll(6000), 15, dims);
    // On a line points pass through each other, and rounding decides which way: the first moves alone.
    const UmapOptions options{.n_epochs = dims == 1 ? 2 : 5};
    const Layout expected = umap_layout(start.lists, start.at, options, cpu());
    const Layout found = umap_layout(start.lists, start.at, options, gpu());
    EXPECT_AT_MOST(procrustes(expected.coordinates, found.coordinates).disparity,
                   dims == 1 ? 1e-4 : 1e-6);
    // They did move.
    EXPECT(procrustes(expected.coordinates, start.at).disparity > 1e-4);
  }
}

GPU_TEST(UmapIsAsGoodAsOnTheCpuAndHasTheSameBitsFromRunToRun) {
  for (const Shape shape : {Shape::tree, Shape::blobs}) {
    const Start start = start_of(made(shape, 8000, 20, shape == Shape::tree ? 1.0 : 0.05), 15, 2);
    const Layout expected = umap_layout(start.lists, start.at, {}, cpu());
    const Layout found = umap_layout(start.lists, start.at, {}, gpu());
    EXPECT_AT_MOST(trustworthiness(start.points, expected.coordinates) -
                       trustworthiness(start.points, found.coordinates),
                   0.002);
    EXPECT(same_bits(found.coordinates,
                     umap_layout(start.lists, start.at, {}, gpu()).coordinates));
  }
}

GPU_TEST(MdsHasTheSameBitsFromRunToRun) {
  const Embedding once = mds(distances(), {}, {}, gpu());
  const Embedding again = mds(distances(), {}, {}, gpu());
  EXPECT(same_bits(once.coordinates, again.coordinates));
}

}  // namespace gpu_tests
