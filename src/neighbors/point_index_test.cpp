// The index of points against plain loops, and its answers against the batch they came in.
#include "neighbors/point_index.hpp"

#include <limits>

#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

using namespace testing;

template <class T>
void expect_exact(const Matrix<T>& points, const Matrix<T>& queries, Metric metric,
                  std::size_t knn) {
  const detail::PointIndex<T> index(points.view(), metric);
  const NeighborLists found = index.nearest(queries.view(), knn, {});
  ASSERT_EQ(found.n_points, queries.rows());
  for (std::size_t i = 0; i < queries.rows(); ++i) {
    std::vector<std::pair<double, Index>> all;
    for (std::size_t j = 0; j < points.rows(); ++j) {
      all.push_back({plain_distance<T>(queries.row(i), points.row(j), metric), Index(j)});
    }
    std::sort(all.begin(), all.end());
    ASSERT_EQ(found.neighbors(i).size(), knn);
    for (std::size_t k = 0; k < knn; ++k) {
      // 1e-12: 1 - cos of the oracle cancels; indices may differ only where it cannot tell.
      ASSERT_NEAR(found.lengths(i)[k], all[k].first, 1e-12 * (1 + all[k].first));
    }
  }
}

TEST(PointIndex, FindsWhatPlainLoopsFindInEveryMetricAndPrecision) {
  for (const Metric metric :
       {Metric::euclidean, Metric::cosine, Metric::correlation, Metric::manhattan}) {
    for (const std::size_t d : {3, 20}) {
      expect_exact(gaussian_points<double>(300, d, 1), gaussian_points<double>(50, d, 2), metric,
                   7);
      expect_exact(gaussian_points<float>(300, d, 1), gaussian_points<float>(50, d, 2), metric, 7);
    }
  }
  expect_exact(gaussian_points<double>(5, 20, 1), gaussian_points<double>(3, 20, 2),
               Metric::euclidean, 5);
}

TEST(PointIndex, OrdersTiesByIndex) {
  const Matrix<double> points = grid_points<double>(400, 12, 2);
  const Matrix<double> queries = grid_points<double>(40, 12, 2, 9);
  const detail::PointIndex<double> index(points.view(), Metric::euclidean);
  const NeighborLists found = index.nearest(queries.view(), 9, {});
  for (std::size_t i = 0; i < queries.rows(); ++i) {
    std::vector<std::pair<double, Index>> all;
    for (std::size_t j = 0; j < points.rows(); ++j) {
      const double d = plain_distance<double>(queries.row(i), points.row(j), Metric::euclidean);
      all.push_back({d, Index(j)});
    }
    std::sort(all.begin(), all.end());
    for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(found.neighbors(i)[k], all[k].second);
  }
}

TEST(PointIndex, AnswersForAQueryDoNotDependOnItsBatch) {
  for (const std::size_t d : {4, 30}) {
    const Matrix<float> points = gaussian_points<float>(500, d, 1);
    const Matrix<float> queries = gaussian_points<float>(300, d, 2);
    const detail::PointIndex<float> index(points.view(), Metric::euclidean);
    const NeighborLists all = index.nearest(queries.view(), 10, {});
    for (std::size_t i = 0; i < queries.rows(); i += 7) {
      const MatrixView<const float> one{queries.row(i).data(), 1, d, d};
      const NeighborLists alone = index.nearest(one, 10, {});
      EXPECT_TRUE(std::ranges::equal(alone.neighbors(0), all.neighbors(i)));
      EXPECT_TRUE(std::ranges::equal(alone.lengths(0), all.lengths(i)));
    }
  }
}

TEST(PointIndex, ServesQueriesFarBeyondThePointsAndRowsWithoutDirection) {
  for (const std::size_t d : {3, 20}) {
    const Matrix<double> points = gaussian_points<double>(100, d, 1);
    Matrix<double> queries(3, d, 0.0);
    queries(0, 0) = 1e200;
    queries(1, 0) = -std::numeric_limits<double>::max();
    const detail::PointIndex<double> index(points.view(), Metric::euclidean);
    const NeighborLists far = index.nearest(queries.view(), 5, {});
    EXPECT_EQ(far.neighbors(0).size(), 5U);
    EXPECT_EQ(far.neighbors(1).size(), 5U);
    const detail::PointIndex<double> cosine(points.view(), Metric::cosine);
    const NeighborLists found = cosine.nearest(queries.view(), 5, {});
    for (const double distance : found.lengths(2)) EXPECT_DOUBLE_EQ(distance, 1.0);
  }
}

}  // namespace
}  // namespace geotherm
