// Points to map with a GPU: the same picture as the CPU's.
#include "fixture.hpp"

namespace gpu_tests {
namespace {

/// Unrefined: refinement draws other random points there, and has a test of its own.
MethodOptions all_pairs() {
  MethodOptions options;
  options.landmarks.reset();
  options.refine = RefineOptions{};
  options.refine->epochs = 0;
  return options;
}
double number(const EmbeddingRun& run, const char* name) {
  const auto found = run.distances.report.resolved.find(name);
  return found == run.distances.report.resolved.end() ? NAN : std::get<double>(found->second);
}

void expect_same_picture(const Matrix<double>& points, const MethodOptions& options) {
  const EmbeddingRun expected = heat_geo(points, options, cpu());
  const EmbeddingRun found = heat_geo(points, options, gpu());
  EXPECT_AT_MOST(
      procrustes(expected.embedding.coordinates, found.embedding.coordinates).disparity, 1e-6);
  EXPECT_AT_MOST(std::abs(found.embedding.stress - expected.embedding.stress), 1e-5);
  EXPECT_AT_MOST(std::abs(number(found, "time") / number(expected, "time") - 1), 1e-9);
  EXPECT_AT_MOST(std::abs(number(found, "length_scale") / number(expected, "length_scale") - 1),
                 1e-5);
}

}  // namespace

GPU_TEST(ExactMapOfARoll) {
  const Matrix<double> points = roll(3000);
  expect_same_picture(points, all_pairs());
  const EmbeddingRun run = heat_geo(points, all_pairs(), gpu());
  // It did run there: the pairs stayed.
  EXPECT(run.distances.dissimilarity.values.empty());
  EXPECT(number(run, "series_terms") > 1);
}

GPU_TEST(ExactMapOfATree) { expect_same_picture(made(Shape::tree, 3000, 20, 1.0), all_pairs()); }

GPU_TEST(ExactMapOfClustersInPieces) {
  // Clusters turn in their places at hardly any stress: only a layout run to its end is one picture.
  MethodOptions options = all_pairs();
  options.mds.tolerance = 1e-12;
  options.mds.max_iterations = 3000;
  expect_same_picture(made(Shape::blobs, 2400, 10, 0.05), options);
}

GPU_TEST(ExactMapInThreeDimensionsWithALimitAndOtherLaplacian) {
  MethodOptions options = all_pairs();
  options.mds.n_components = 3;
  options.dissimilarity.max_distance = 30;
  options.laplacian = LaplacianKind::random_walk;
  expect_same_picture(roll(2500), options);
}

GPU_TEST(UnresolvedPairsAreLeftToTheCpuAndAgree) {
  MethodOptions options = all_pairs();
  options.time_choice.reset();
  options.heat.time = 0.002;
  expect_same_picture(roll(1500), options);
}

GPU_TEST(UnresolvedPairsOfManyPointsAreFilledOnTheDevice) {
  MethodOptions options = all_pairs();
  options.time_choice.reset();
  options.heat.time = 0.01;
  const Matrix<double> points = roll(3000);
  const EmbeddingRun expected = heat_geo(points, options, cpu());
  const EmbeddingRun found = heat_geo(points, options, gpu());
  EXPECT(found.distances.dissimilarity.values.empty());  // they did stay there
  EXPECT(found.distances.dissimilarity.unresolved_share > 0.001);
  EXPECT_AT_MOST(std::abs(found.distances.dissimilarity.unresolved_share -
                          expected.distances.dissimilarity.unresolved_share), 1e-6);
  std::printf("    unresolved: %.3g of the pairs\n", found.distances.dissimilarity.unresolved_share);
  // Paths over 512 pivots in both cases, but not the same ones.
  EXPECT_AT_MOST(
      procrustes(expected.embedding.coordinates, found.embedding.coordinates).disparity, 1e-3);
  EXPECT_AT_MOST(std::abs(found.embedding.stress - expected.embedding.stress), 2e-3);
}

GPU_TEST(ExactMapInHalfTheBits) {
  const Matrix<double> points = roll(8400);
  expect_same_picture(points, all_pairs());
  const EmbeddingRun once = heat_geo(points, all_pairs(), gpu());
  const EmbeddingRun again = heat_geo(points, all_pairs(), gpu());
  EXPECT(same_bits(once.embedding.coordinates, again.embedding.coordinates));
}

GPU_TEST(RefinementIsAsGoodAsOnTheCpuAndHasTheSameBitsFromRunToRun) {
  const Matrix<double> points = made(Shape::tree, 6000, 20, 1.0);
  const NeighborLists lists = find_neighbors(points.view(), {.knn = 15, .reach = 1}, cpu());
  const SparseMatrix memberships = refine_memberships(lists, 15, cpu());
  for (const std::size_t dims : {1, 2, 3}) {
    Matrix<double> start(points.rows(), dims);
    const Matrix<double> scores = pca(points.view(), {.rank = dims}, cpu()).scores;
    std::copy_n(scores.data(), scores.size(), start.data());
    // On one axis the random points decide much: over twelve seeds of the CPU trustworthiness spreads
    // from .916 to .924, a standard deviation of .0023. So means over eight seeds are compared, whose
    // difference has one of .0012.
    const std::uint64_t n_seeds = dims == 1 ? 8 : 1;
    const auto kept = [&](const Context& context) {
      double sum = 0;
      for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
        Context seeded = context;
        seeded.seed = seed;
        const Matrix<double> map = refine_layout(start.view(), memberships, {}, seeded).coordinates;
        sum += score_neighborhoods({.coordinates = points.view()}, {.coordinates = map.view()},
                                   {.max_points = 3000}, cpu())
                   .trustworthiness;
      }
      return sum / static_cast<double>(n_seeds);
    };
    EXPECT_AT_MOST(std::abs(kept(gpu()) - kept(cpu())), dims == 1 ? 0.004 : 0.002);
    EXPECT(same_bits(refine_layout(start.view(), memberships, {}, gpu()).coordinates,
                     refine_layout(start.view(), memberships, {}, gpu()).coordinates));
  }
}

GPU_TEST(ExactMapHasTheSameBitsFromRunToRun) {
  const Matrix<double> points = roll(3000);
  const EmbeddingRun once = heat_geo(points, all_pairs(), gpu());
  const EmbeddingRun again = heat_geo(points, all_pairs(), gpu());
  EXPECT(same_bits(once.embedding.coordinates, again.embedding.coordinates));
}

GPU_TEST(LandmarksAndRefinementAreAsGoodAsOnTheCpu) {
  const Matrix<double> points = made(Shape::tree, 12000, 20, 1.0);
  for (const std::size_t epochs : {std::size_t{0}, std::size_t{100}}) {
    MethodOptions options;
    options.refine = RefineOptions{};
    options.refine->epochs = epochs;
    const EmbeddingRun expected = heat_geo(points, options, cpu());
    const EmbeddingRun found = heat_geo(points, options, gpu());
    EXPECT_AT_MOST(std::abs(found.embedding.stress - expected.embedding.stress), 0.002);
    const auto score = [&](const EmbeddingRun& run) {
      return score_neighborhoods({.coordinates = points.view()}, {.coordinates = run.embedding.coordinates.view()},
                                 {.max_points = 2000}, cpu())
          .trustworthiness;
    };
    EXPECT_AT_MOST(std::abs(score(found) - score(expected)), 0.002);
  }
}

GPU_TEST(DistancesBetweenAllPairsAgree) {
  const Matrix<double> points = roll(2000);
  const Matrix<double> expected = heat_geo_distances(points.view(), all_pairs(), cpu()).dissimilarity.values;
  const Matrix<double> found = heat_geo_distances(points.view(), all_pairs(), gpu()).dissimilarity.values;
  // The short time's series is right to 1e-15 of its largest entry: its smallest entries, and a tenth
  // of d^2 with them, differ in the tenth digit and later.
  EXPECT_AT_MOST(relative_error(found, expected, 1e-6), 1e-6);
}

}  // namespace gpu_tests
