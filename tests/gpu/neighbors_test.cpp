// The same lists as the CPU's brute force, to the bit.
#include <cmath>

#include "fixture.hpp"

namespace gpu_tests {
namespace {

template <class T>
void expect_same(const Matrix<T>& points, NeighborOptions options,
                 NeighborSearch search = NeighborSearch::brute_force) {
  options.search = search;
  const NeighborLists expected = find_neighbors(points.view(), options, cpu());
  const NeighborLists found = find_neighbors(points.view(), options, gpu());
  EXPECT(found.offsets == expected.offsets);
  EXPECT(found.indices == expected.indices);
  EXPECT(found.distances == expected.distances);
}

}  // namespace

GPU_TEST(NeighborsOfGaussianPointsAreThoseOfBruteForce) {
  expect_same(normal(6000, 50), {.knn = 80});
  expect_same(normal(5000, 3), {.knn = 10, .reach = 1.3});
  expect_same(normal(4500, 20), {.knn = 15, .metric = Metric::cosine});
}

GPU_TEST(NeighborsInMetricsWithoutSquaresAreThoseOfTheCpu) {
  Matrix<double> counts = normal(4500, 12);
  for (std::size_t k = 0; k < counts.size(); ++k) counts.data()[k] = std::floor(std::abs(3 * counts.data()[k]));
  for (const Metric metric : {Metric::manhattan, Metric::hamming, Metric::jaccard, Metric::braycurtis, Metric::canberra,
                              Metric::jensenshannon, Metric::hellinger}) {
    expect_same(counts, {.knn = 10, .metric = metric});
  }
}

GPU_TEST(NeighborsFarFromTheOriginAndOfFloatsAreExact) {
  Matrix<double> far = normal(5000, 10);
  for (std::size_t k = 0; k < far.size(); ++k) far.data()[k] += 1e6;
  expect_same(far, {.knn = 12});
  Matrix<float> narrow(5000, 16);
  const Matrix<double> wide = normal(5000, 16, 3);
  for (std::size_t k = 0; k < wide.size(); ++k) narrow.data()[k] = static_cast<float>(wide.data()[k]);
  expect_same(narrow, {.knn = 20});
}

GPU_TEST(TiesAreOrderedByIndex) {
  Matrix<double> grid(72 * 72, 2);
  for (std::size_t i = 0; i < grid.rows(); ++i) {
    grid(i, 0) = static_cast<double>(i % 72);
    grid(i, 1) = static_cast<double>(i / 72);
  }
  expect_same(grid, {.knn = 10});
  expect_same(grid, {.knn = 10, .reach = 1.5});
}

GPU_TEST(WalksThroughATreeFindTheCpusLists) {
  const NeighborSearch tree = NeighborSearch::tree;
  for (const std::size_t dims : {1, 2, 3, 5, 8})
    expect_same(normal(52000, dims), {.knn = 10, .reach = 1.06}, tree);
  expect_same(roll(70000), {.knn = 25}, tree);
  expect_same(roll(60000), {.knn = 12, .metric = Metric::cosine}, tree);
  Matrix<double> grid(240 * 240, 2);  // ties, more of them than there is room for
  for (std::size_t i = 0; i < grid.rows(); ++i) {
    grid(i, 0) = 1e5 + static_cast<double>(i % 240);
    grid(i, 1) = static_cast<double>(i / 240);
  }
  expect_same(grid, {.knn = 10}, tree);
  expect_same(grid, {.knn = 13, .reach = 1.42}, tree);
  Matrix<double> uneven = normal(51000, 3);  // a dense shell around sparse points
  for (std::size_t i = 0; i < uneven.rows(); ++i) {
    double length = 0;
    for (const double x : uneven.row(i)) length += x * x;
    if (i % 100 != 0)
      for (double& x : uneven.row(i)) x *= 3 / std::sqrt(length);
  }
  expect_same(uneven, {.knn = 10, .reach = 1.5}, tree);
}

GPU_TEST(TightGroupsFarApartAreTakenApart) {
  Matrix<double> points = normal(6000, 5);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (double& x : points.row(i)) x = 1e-6 * x + 1e3 * static_cast<double>(i % 7);
  }
  expect_same(points, {.knn = 10});
}

}  // namespace gpu_tests
