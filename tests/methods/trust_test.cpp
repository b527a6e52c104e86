// Trust of maps: true neighbours, distortion and the kernel's diagonal, over modules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geotherm/geotherm.hpp"

namespace geotherm {
namespace {

TEST(Trust, FindsWhereARollThatWasFlattenedByPcaIsOffAndTheUnrolledOneIsNot) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 600, .noise = 0.1}, {.seed = 3});
  const Input input(roll.X.view());
  const EmbeddingRun unrolled = heat_geo(input, {}, {.seed = 1});
  const EmbeddingRun flattened = pca_map(input, {}, {.seed = 1});
  const std::vector<MatrixView<const double>> maps = {unrolled.embedding.coordinates.view(),
                                                      flattened.embedding.coordinates.view()};
  const Trust trust = measure_trust(input, unrolled.distances, maps, {}, {}, {.seed = 1});
  ASSERT_EQ(trust.distortion.size(), 2u);
  const auto mean = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  EXPECT_LT(mean(trust.distortion[0]), 0.15);
  EXPECT_GT(mean(trust.distortion[1]), 3 * mean(trust.distortion[0]));
  ASSERT_EQ(trust.neighbors.rows(), 600u);
  for (std::size_t i = 0; i < 600; ++i) {
    EXPECT_TRUE(std::is_sorted(trust.neighbor_distances.row(i).begin(),
                               trust.neighbor_distances.row(i).end()));
  }
}

TEST(Trust, EstimatesTheDiagonalOfTheHeatKernel) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 300}, {.seed = 3});
  const Input input(roll.X.view());
  const EmbeddingRun run = heat_geo(input);
  const std::vector<MatrixView<const double>> maps = {run.embedding.coordinates.view()};
  const Trust trust =
      measure_trust(input, run.distances, maps, {}, {.n_probes = 512, .n_times = 5}, {.seed = 2});
  const Laplacian laplacian = build_laplacian(run.distances.graph);
  ASSERT_EQ(trust.diagonal.rows(), 5u);
  for (std::size_t s = 0; s < 5; ++s) {
    const auto kernel =
        heat_kernel(laplacian, {.time = trust.diagonal_times[s], .method = KernelMethod::exact});
    const std::vector<double> truth = kernel->diagonal();
    double sum = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double error = trust.diagonal(s, i) / truth[i] - 1;
      sum += error * error;
      EXPECT_LT(std::abs(error), 0.35);  // five times the standard error, sqrt(2 / 512)
    }
    EXPECT_LT(std::sqrt(sum / static_cast<double>(truth.size())), 0.07);
  }
}

TEST(Trust, OfManyRowsGoesByLandmarksAndASample) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 3000, .noise = 0.1}, {.seed = 3});
  const Input input(roll.X.view());
  const DistanceRun run = heat_graph(input);
  const std::vector<MatrixView<const double>> maps = {roll.X.view()};
  const Trust whole = measure_trust(input, run, maps, {}, {.n_sources = 16});
  const Trust trust = measure_trust(input, run, maps, {}, {.max_rows = 1000, .n_landmarks = 500});
  EXPECT_EQ(trust.distortion, whole.distortion);
  EXPECT_TRUE(whole.neighbor_rows.empty());
  EXPECT_EQ(whole.landmarks.graph.n_points(), 0u);
  // The lists of the sampled rows are those of all rows.
  ASSERT_EQ(trust.neighbors.rows(), trust.neighbor_rows.size());
  ASSERT_EQ(trust.neighbor_rows.size(), 3000u);  // all, where they are few
  for (std::size_t r = 0; r < trust.neighbor_rows.size(); ++r) {
    const auto row = static_cast<std::size_t>(trust.neighbor_rows[r]);
    for (std::size_t k = 0; k < trust.neighbors.cols(); ++k) {
      EXPECT_EQ(trust.neighbors(r, k), whole.neighbors(row, k));
    }
  }
  // Every row has a landmark; distances between landmarks are in the units of the data.
  ASSERT_EQ(trust.landmarks.unique_inverse.size(), 3000u);
  ASSERT_EQ(trust.landmarks.graph.n_points(), 500u);
  EXPECT_EQ(trust.diagonal.cols(), 500u);
  EXPECT_GT(trust.landmarks.kernel.time, 0);
  const auto kernel =
      heat_kernel(build_laplacian(trust.landmarks.graph), {.time = trust.landmarks.kernel.time});
  const std::vector<Index> source = {0};
  const Matrix<double> found = heat_geodesic_from(*kernel, source);
  std::vector<Index> member(500, -1);
  for (std::size_t i = 0; i < 3000; ++i) {
    member[static_cast<std::size_t>(trust.landmarks.unique_inverse[i])] = static_cast<Index>(i);
  }
  std::vector<double> own, truth;
  for (std::size_t l = 1; l < 500; ++l) {
    ASSERT_GE(member[l], 0);
    own.push_back(trust.landmarks.length_scale * found(0, l));
    truth.push_back(
        roll.geodesic(static_cast<std::size_t>(member[0]), static_cast<std::size_t>(member[l])));
  }
  EXPECT_GT(pearson(own, truth), 0.95);
  double sum = 0, true_sum = 0;
  for (std::size_t l = 0; l < own.size(); ++l) sum += own[l], true_sum += truth[l];
  EXPECT_NEAR(sum / true_sum, 1, 0.3);
}

TEST(Trust, IsTheSameToTheBitOnAnyNumberOfThreads) {
  const Dataset tree = synthesize(Shape::tree, {.n = 300}, {.seed = 3});
  const Input input(tree.X.view());
  const EmbeddingRun run = heat_geo(input);
  const std::vector<MatrixView<const double>> maps = {run.embedding.coordinates.view()};
  const Trust alone = measure_trust(input, run.distances, maps);
  ThreadPool pool(4);
  const Trust together = measure_trust(input, run.distances, maps, {}, {}, {.executor = &pool});
  EXPECT_EQ(alone.distortion, together.distortion);
  EXPECT_TRUE(std::equal(alone.diagonal.data(), alone.diagonal.data() + alone.diagonal.size(),
                         together.diagonal.data()));
}

TEST(Trust, TheGraphOfHeatIsThatOfTheMethod) {
  const Dataset tree = synthesize(Shape::tree, {.n = 300}, {.seed = 3});
  const Input input(tree.X.view());
  const DistanceRun alone = heat_graph(input);
  const DistanceRun whole = heat_geo_distances(input);
  EXPECT_EQ(alone.graph.weights.values, whole.graph.weights.values);
  EXPECT_EQ(alone.kernel.time, whole.kernel.time);
  EXPECT_EQ(alone.time_choice.entropies, whole.time_choice.entropies);
}

TEST(Trust, RefusesCountsThatAreTooSmall) {
  EXPECT_EQ(issues_with(TrustOptions{.knn = 0, .n_sources = 1, .n_probes = 1, .n_times = 1}).size(),
            4u);
}

}  // namespace
}  // namespace geotherm
