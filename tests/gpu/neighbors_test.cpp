// The same lists as the CPU's brute force, to the bit.
#include <cmath>

#include "fixture.hpp"

namespace gpu_tests {
namespace {

template <class T>
void expect_same(const Matrix<T>& points, NeighborOptions options) {
  options.search = NeighborSearch::brute_force;
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

GPU_TEST(TightGroupsFarApartAreTakenApart) {
  Matrix<double> points = normal(6000, 5);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (double& x : points.row(i)) x = 1e-6 * x + 1e3 * static_cast<double>(i % 7);
  }
  expect_same(points, {.knn = 10});
}

}  // namespace gpu_tests
