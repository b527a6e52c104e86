// The metrics beyond those of lengths and angles, against plain loops; sparse rows; what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "neighbors/neighbors_testing.hpp"
#include "neighbors/point_index.hpp"

namespace geotherm {
namespace {

using testing::expect_same;

constexpr Metric new_metrics[] = {Metric::hamming,    Metric::jaccard,  Metric::hellinger,
                                  Metric::jensenshannon, Metric::braycurtis, Metric::canberra,
                                  Metric::haversine};

double share_sum(std::span<const double> row) {
  double sum = 0;
  for (const double x : row) sum += x;
  return sum;
}

double oracle(std::span<const double> a, std::span<const double> b, Metric metric) {
  const std::size_t d = a.size();
  double up = 0, down = 0;
  switch (metric) {
    case Metric::hamming:
      for (std::size_t c = 0; c < d; ++c) up += a[c] != b[c];
      return up / static_cast<double>(d);
    case Metric::jaccard:
      for (std::size_t c = 0; c < d; ++c) {
        up += (a[c] != 0) != (b[c] != 0);
        down += a[c] != 0 || b[c] != 0;
      }
      return down == 0 ? 0 : up / down;
    case Metric::braycurtis:
      for (std::size_t c = 0; c < d; ++c) {
        up += std::abs(a[c] - b[c]);
        down += a[c] + b[c];
      }
      return down == 0 ? 0 : up / down;
    case Metric::canberra:
      for (std::size_t c = 0; c < d; ++c) {
        if (a[c] != 0 || b[c] != 0) up += std::abs(a[c] - b[c]) / (std::abs(a[c]) + std::abs(b[c]));
      }
      return up;
    case Metric::haversine: {
      const double s = std::sin(0.5 * (a[0] - b[0])), t = std::sin(0.5 * (a[1] - b[1]));
      return 2 * std::asin(std::sqrt(s * s + std::cos(a[0]) * std::cos(b[0]) * t * t));
    }
    default:
      break;
  }
  const double sa = share_sum(a), sb = share_sum(b);
  if (sa == 0 || sb == 0) {
    if (sa == sb) return 0;
    return metric == Metric::hellinger ? 1 : std::sqrt(std::numbers::ln2);
  }
  for (std::size_t c = 0; c < d; ++c) {
    const double p = a[c] / sa, q = b[c] / sb, m = 0.5 * (p + q);
    if (metric == Metric::hellinger) {
      up += (std::sqrt(p) - std::sqrt(q)) * (std::sqrt(p) - std::sqrt(q));
    } else {
      if (p > 0) up += p * std::log(p / m);
      if (q > 0) up += q * std::log(q / m);
    }
  }
  return std::sqrt(0.5 * up);
}

Matrix<double> fitting_points(Metric metric, std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed, "test.metrics");
  if (metric == Metric::haversine) d = 2;
  Matrix<double> points(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < d; ++c) {
      const double u = rng.uniform();
      points(i, c) = metric == Metric::hamming     ? std::floor(4 * u)
                     : metric == Metric::haversine ? (c == 0 ? 3 * (u - 0.5) : 6.2 * (u - 0.5))
                                                   : (u < 0.4 ? 0.0 : std::floor(20 * u) / 4);
    }
  }
  return points;
}

NeighborLists plain_lists(const Matrix<double>& points, std::size_t knn, Metric metric) {
  NeighborLists lists;
  lists.n_points = points.rows();
  lists.knn = knn;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    std::vector<std::pair<double, Index>> all;
    for (std::size_t j = 0; j < points.rows(); ++j) {
      if (j != i) all.push_back({oracle(points.row(i), points.row(j), metric), Index(j)});
    }
    std::sort(all.begin(), all.end());
    for (std::size_t k = 0; k < knn; ++k) {
      lists.indices.push_back(all[k].second);
      lists.distances.push_back(all[k].first);
    }
    lists.offsets.push_back(lists.indices.size());
  }
  return lists;
}

TEST(Metrics, BeyondLengthsAndAnglesAreThoseOfPlainLoops) {
  for (const Metric metric : new_metrics) {
    for (const std::size_t d : {3, 20}) {
      SCOPED_TRACE(std::string(to_string(metric)) + " " + std::to_string(d));
      const Matrix<double> points = fitting_points(metric, 150, d, 1);
      const NeighborLists truth = plain_lists(points, 6, metric);
      const NeighborLists found = find_neighbors(points, {.knn = 6, .metric = metric});
      ASSERT_EQ(found.offsets, truth.offsets);
      // Ties of another rounding may change places: distances are compared, 1e-7 for the roots of
      // differences near 0.
      for (std::size_t k = 0; k < truth.distances.size(); ++k) {
        ASSERT_NEAR(found.distances[k], truth.distances[k], 1e-7) << k;
      }
      ThreadPool pool(4);
      expect_same(find_neighbors(points, {.knn = 6, .metric = metric}, {.executor = &pool}), found);
      EXPECT_EQ(metric_named(to_string(metric)), metric);
    }
  }
}

TEST(Metrics, OfAnIndexAreThoseOfTheSearchAndOfOneQueryAlone) {
  for (const Metric metric : new_metrics) {
    SCOPED_TRACE(to_string(metric));
    const Matrix<double> points = fitting_points(metric, 120, 12, 2);
    const Matrix<double> queries = fitting_points(metric, 40, 12, 3);
    const detail::PointIndex<double> index(points.view(), metric);
    const NeighborLists lists = index.nearest(queries.view(), 5, {});
    for (std::size_t i = 0; i < queries.rows(); ++i) {
      std::vector<double> all;
      for (std::size_t j = 0; j < points.rows(); ++j) {
        all.push_back(oracle(queries.row(i), points.row(j), metric));
      }
      std::sort(all.begin(), all.end());
      for (std::size_t k = 0; k < 5; ++k) ASSERT_NEAR(lists.lengths(i)[k], all[k], 1e-7);
    }
    const MatrixView<const double> one{queries.row(7).data(), 1, queries.cols(), queries.cols()};
    const NeighborLists alone = index.nearest(one, 5, {});
    for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(alone.lengths(0)[k], lists.lengths(7)[k]);
  }
}

TEST(Metrics, ApproximateSearchFindsNearlyAllOfThem) {
  constexpr std::size_t n = 4800;  // with fewer all pairs would be looked at
  for (const Metric metric : {Metric::manhattan, Metric::hamming, Metric::jaccard, Metric::hellinger,
                              Metric::jensenshannon, Metric::braycurtis, Metric::canberra}) {
    SCOPED_TRACE(to_string(metric));
    // Forty kinds of rows with a tenth of the entries changed.
    const Matrix<double> kinds = fitting_points(metric, 40, 30, 4);
    const Matrix<double> other = fitting_points(metric, n, 30, 5);
    Matrix<double> points(n, 30);
    Rng rng(6, "test.kinds");
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < 30; ++c) {
        points(i, c) = rng.uniform() < 0.2 ? other(i, c) : kinds(i % 40, c);
      }
    }
    NeighborOptions options{.knn = 10, .metric = metric, .search = NeighborSearch::brute_force};
    const NeighborLists truth = find_neighbors(points, options);
    options.search = NeighborSearch::approximate;
    const NeighborLists found = find_neighbors(points, options);
    std::size_t n_found = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double last = truth.lengths(i)[9];
      for (const double d : found.lengths(i).first(10)) n_found += d <= last ? 1 : 0;
    }
    EXPECT_GT(static_cast<double>(n_found) / (10.0 * n), 0.97);
  }
}

TEST(Metrics, ApproximateSearchLooksAtMoreWhereItsStandInIsPoor) {
  // Values over orders of magnitude: near roots are not always near in Bray-Curtis, and the first
  // hundred of them hold about nine tenths of the nearest.
  constexpr std::size_t n = 4800, d = 30;
  Rng rng(8, "test.tails");
  Matrix<double> points(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < d; ++c) {
      points(i, c) = std::floor(std::pow(1 - rng.uniform(), -1 / 0.7) - 1);
    }
  }
  NeighborOptions options{.knn = 10, .metric = Metric::braycurtis};
  options.search = NeighborSearch::brute_force;
  const NeighborLists truth = find_neighbors(points, options);
  options.search = NeighborSearch::approximate;
  const NeighborLists found = find_neighbors(points, options);
  ThreadPool pool(4);
  expect_same(find_neighbors(points, options, {.executor = &pool}), found);
  std::size_t n_found = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (const double distance : found.lengths(i).first(10)) {
      n_found += distance <= truth.lengths(i)[9] ? 1 : 0;
    }
  }
  EXPECT_GT(static_cast<double>(n_found) / (10.0 * n), 0.95);
}

TEST(Metrics, OfRowsWithNothingEqualAndTinySharesAreExact) {
  // Equal rows are 0 apart, rows without a common entry the most, and so are rows of nothing.
  const Matrix<double> points = [] {
    Matrix<double> rows(6, 3);
    const double values[6][3] = {{3, 0, 1}, {6, 0, 2},      {0, 5, 0},
                                 {0, 0, 0}, {1, 1e-310, 0}, {1e-300, 0, 1e300}};
    for (std::size_t i = 0; i < 6; ++i) std::copy(values[i], values[i] + 3, rows.row(i).begin());
    return rows;
  }();
  const auto between = [&](std::size_t i, std::size_t j, Metric metric) {
    const detail::PointIndex<double> index({points.row(j).data(), 1, 3, 3}, metric);
    return index.nearest({points.row(i).data(), 1, 3, 3}, 1, {}).lengths(0)[0];
  };
  for (const Metric metric : {Metric::jensenshannon, Metric::braycurtis, Metric::canberra}) {
    SCOPED_TRACE(to_string(metric));
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(between(i, i, metric), 0);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        EXPECT_EQ(between(i, j, metric), between(j, i, metric));
        EXPECT_NEAR(between(i, j, metric), oracle(points.row(i), points.row(j), metric), 1e-7);
      }
    }
  }
  EXPECT_NEAR(between(0, 1, Metric::jensenshannon), 0, 1e-7);
  EXPECT_DOUBLE_EQ(between(0, 2, Metric::jensenshannon), std::sqrt(std::numbers::ln2));
}

TEST(SparseNeighbors, AreThoseOfTheDenseRows) {
  for (const Metric metric : {Metric::cosine, Metric::euclidean, Metric::jaccard}) {
    Matrix<double> points = fitting_points(Metric::braycurtis, 200, 40, 7);
    for (std::size_t c = 0; c < 40; ++c) points(3, c) = points(8, c) = 0;
    std::vector<Triplet> entries;
    for (std::size_t i = 0; i < 200; ++i) {
      for (std::size_t c = 0; c < 40; ++c) {
        if (points(i, c) != 0) entries.push_back({Index(i), Index(c), points(i, c)});
      }
    }
    const SparseMatrix sparse = sparse_from_triplets(200, 40, std::move(entries));
    const NeighborOptions options{.knn = 7, .metric = metric};
    const NeighborLists dense = find_neighbors(points, options);
    const NeighborLists found = find_neighbors(sparse, options);
    for (std::size_t k = 0; k < dense.distances.size(); ++k) {
      ASSERT_NEAR(found.distances[k], dense.distances[k], 1e-7);
    }
    ThreadPool pool(3);
    expect_same(find_neighbors(sparse, options, {.executor = &pool}), found);
  }
  SparseMatrix one = sparse_from_triplets(3, 2, {{0, 0, 1.0}, {1, 1, 2.0}});
  EXPECT_THROW(find_neighbors(one, {.knn = 1, .metric = Metric::canberra}), InvalidArgument);
}

TEST(Metrics, RefuseRowsThatTheyHaveNoMeaningFor) {
  Matrix<double> points(4, 3, 1.0);
  points(2, 1) = -0.5;
  for (const Metric metric : {Metric::hellinger, Metric::jensenshannon, Metric::braycurtis}) {
    EXPECT_THROW(find_neighbors(points, {.knn = 2, .metric = metric}), InvalidData);
  }
  EXPECT_THROW(find_neighbors(points, {.knn = 2, .metric = Metric::haversine}), InvalidData);
  Matrix<double> degrees(4, 2, 45.0);
  EXPECT_THROW(find_neighbors(degrees, {.knn = 2, .metric = Metric::haversine}), InvalidData);
}

}  // namespace
}  // namespace geotherm
