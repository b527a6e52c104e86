// The same lists as the CPU's brute force, to the bit.
#include <algorithm>
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

namespace {

/// Share of the nearest `knn` of some points that the lists have.
double recall(const Matrix<double>& points, const NeighborLists& lists, std::size_t knn) {
  std::size_t n_found = 0, n_asked = 0;
  for (std::size_t i = 0; i < points.rows(); i += points.rows() / 200) {
    std::vector<std::pair<double, Index>> all;
    for (std::size_t j = 0; j < points.rows(); ++j) {
      double squared = 0;
      for (std::size_t c = 0; c < points.cols(); ++c) {
        const double gap = points(i, c) - points(j, c);
        squared += gap * gap;
      }
      if (j != i) all.push_back({squared, static_cast<Index>(j)});
    }
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(knn), all.end());
    for (std::size_t k = 0; k < knn; ++k) {
      const auto begin = lists.indices.begin() + static_cast<std::ptrdiff_t>(lists.offsets[i]);
      const auto end = lists.indices.begin() + static_cast<std::ptrdiff_t>(lists.offsets[i + 1]);
      n_found += std::find(begin, end, all[k].second) != end ? 1U : 0U;
      ++n_asked;
    }
  }
  return static_cast<double>(n_found) / static_cast<double>(n_asked);
}

}  // namespace

GPU_TEST(CellsFindAsManyNeighborsAsOnTheCpuAndTheSameFromRunToRun) {
  Matrix<double> points = normal(210000, 20);  // groups along a line, of unlike sizes
  for (std::size_t i = 0; i < points.rows(); ++i) points(i, 0) += 12 * std::sqrt(static_cast<double>(i % 97));
  Matrix<double> curved(205000, 24);  // a surface of few dimensions in many
  const Matrix<double> flat = normal(205000, 3, 5);
  for (std::size_t i = 0; i < curved.rows(); ++i) {
    for (std::size_t c = 0; c < curved.cols(); ++c) {
      curved(i, c) = std::sin(flat(i, c % 3) * (1 + 0.1 * static_cast<double>(c)) + static_cast<double>(c));
    }
  }
  for (const Matrix<double>* table : {&points, &curved}) {
    NeighborOptions options{.knn = 12, .reach = 1.057};
    options.search = NeighborSearch::approximate;
    const NeighborLists found = find_neighbors(table->view(), options, gpu());
    const NeighborLists again = find_neighbors(table->view(), options, gpu());
    const NeighborLists expected = find_neighbors(table->view(), options, cpu());
    EXPECT(found.indices == again.indices);
    EXPECT(found.distances == again.distances);
    const double here = recall(*table, found, 12), there = recall(*table, expected, 12);
    std::printf("    recall %.4f, on the CPU %.4f; entries %zu, %zu\n", here, there, found.indices.size(),
                expected.indices.size());
    EXPECT(here >= there - 0.002);
    EXPECT(here >= 0.97);
  }
}

GPU_TEST(TightGroupsFarApartAreTakenApart) {
  Matrix<double> points = normal(6000, 5);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (double& x : points.row(i)) x = 1e-6 * x + 1e3 * static_cast<double>(i % 7);
  }
  expect_same(points, {.knn = 10});
}

}  // namespace gpu_tests
