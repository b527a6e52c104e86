// The four kernels against dense formulas, their laws, and awkward lists.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "geotherm/graph.hpp"
#include "graph/kernel_support.hpp"
#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

using testing::gaussian_points;
using testing::grid_points;

constexpr Affinity all_kinds[] = {Affinity::alpha_decay, Affinity::knn, Affinity::gaussian,
                                  Affinity::fuzzy_union};

Matrix<double> distance_table(const Matrix<double>& points) {
  const std::size_t n = points.rows();
  Matrix<double> d(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      d(i, j) = testing::plain_distance<double>(points.row(i), points.row(j), Metric::euclidean);
    }
  }
  return d;
}

/// Distances of point i to the k nearest others, ascending.
std::vector<double> nearest(const Matrix<double>& d, std::size_t i, std::size_t k) {
  std::vector<double> row;
  for (std::size_t j = 0; j < d.cols(); ++j) {
    if (j != i) row.push_back(d(i, j));
  }
  std::sort(row.begin(), row.end());
  row.resize(k);
  return row;
}

/// Calls with(i, j) where one is among the k nearest of the other.
template <class With>
void for_knn_edges(const Matrix<double>& d, std::size_t k, const With& with) {
  for (std::size_t i = 0; i < d.rows(); ++i) {
    for (std::size_t j = 0; j < d.rows(); ++j) {
      if (i == j) continue;
      if (d(i, j) <= nearest(d, i, k).back() || d(i, j) <= nearest(d, j, k).back()) with(i, j);
    }
  }
}

void expect_matrix(const Graph& graph, const Matrix<double>& truth, double tolerance) {
  const Matrix<double> w = to_dense(graph.weights);
  for (std::size_t i = 0; i < w.rows(); ++i) {
    for (std::size_t j = 0; j < w.cols(); ++j) {
      ASSERT_NEAR(w(i, j), truth(i, j), tolerance) << i << " " << j;
      ASSERT_EQ(w(i, j) > 0, truth(i, j) > 0) << i << " " << j;
    }
  }
}

Graph graph_of(const Matrix<double>& points, std::size_t knn, const AffinityOptions& options,
               const Context& context = {}) {
  return build_graph(find_neighbors(points, {.knn = knn, .reach = reach_of(options)}, context),
                     options, context);
}

TEST(AlphaDecay, IsTheDenseFormula) {
  const Matrix<double> points = gaussian_points(150, 3);
  const Matrix<double> d = distance_table(points);
  for (const double decay : {2.0, 10.0, 40.0}) {
    for (const double anisotropy : {0.0, 0.5, 1.0}) {
      const AffinityOptions options{.decay = decay, .threshold = 1e-3, .anisotropy = anisotropy};
      const std::size_t n = 150, knn = 6;
      Matrix<double> k(n, n), w(n, n);
      for (std::size_t i = 0; i < n; ++i) {
        const double bandwidth = nearest(d, i, knn).back();
        for (std::size_t j = 0; j < n; ++j) {
          const double value = std::exp(-std::pow(d(i, j) / bandwidth, decay));
          if (i != j && value >= 1e-3) k(i, j) = value;
        }
      }
      std::vector<double> q(n);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) q[i] += w(i, j) = (k(i, j) + k(j, i)) / 2;
      }
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) w(i, j) /= std::pow(q[i] * q[j], anisotropy);
      }
      // 1e-12: the exponent is at most 7 and is raised to the 40th power of a rounded ratio.
      expect_matrix(graph_of(points, knn, options), w, 1e-12);
    }
  }
}

TEST(KnnKernel, IsAGaussianOfTheMeanNeighbourDistance) {
  const Matrix<double> points = gaussian_points(120, 4);
  const Matrix<double> d = distance_table(points);
  double sigma = 0;
  for (std::size_t i = 0; i < 120; ++i) {
    for (const double x : nearest(d, i, 5)) sigma += x / 600;
  }
  Matrix<double> w(120, 120);
  for_knn_edges(d, 5, [&](std::size_t i, std::size_t j) {
    w(i, j) = std::exp(-d(i, j) * d(i, j) / (sigma * sigma));
  });
  expect_matrix(graph_of(points, 5, {.kind = Affinity::knn}), w, 1e-13);
}

TEST(GaussianKernel, IsScanpysFormula) {
  const Matrix<double> points = gaussian_points(120, 4);
  const Matrix<double> d = distance_table(points);
  for (const std::size_t k : {1, 4, 5}) {
    std::vector<double> s2(120);  // medians of odd and even counts
    for (std::size_t i = 0; i < 120; ++i) {
      const auto row = nearest(d, i, k);
      const double low = row[(k - 1) / 2], high = row[k / 2];
      s2[i] = (low * low + high * high) / 2;
    }
    Matrix<double> w(120, 120);
    for_knn_edges(d, k, [&](std::size_t i, std::size_t j) {
      const double sum = s2[i] + s2[j];
      w(i, j) = std::sqrt(2 * std::sqrt(s2[i] * s2[j]) / sum) * std::exp(-d(i, j) * d(i, j) / sum);
    });
    expect_matrix(graph_of(points, k, {.kind = Affinity::gaussian}), w, 1e-13);
  }
}

TEST(FuzzyUnion, IsUmapsWithOneNeighbourMore) {
  const std::size_t n = 120, knn = 7;
  const Matrix<double> points = gaussian_points(n, 4);
  const Matrix<double> d = distance_table(points);
  Matrix<double> a(n, n), w(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    // As umap-learn has it: n_neighbors = 8 counts the point itself, the search starts at 1.
    const auto row = nearest(d, i, knn);
    const double rho = row[0];
    double low = 0, high = std::numeric_limits<double>::infinity(), sigma = 1;
    for (int step = 0; step < 64; ++step) {
      double sum = 0;
      for (const double x : row) sum += std::exp(-(x - rho) / sigma);
      if (std::abs(sum - std::log2(8.0)) < 1e-5) break;
      if (sum > std::log2(8.0)) {
        high = sigma;
        sigma = (low + high) / 2;
      } else {
        low = sigma;
        sigma = std::isinf(high) ? sigma * 2 : (low + high) / 2;
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i && d(i, j) <= row.back()) a(i, j) = std::exp(-(d(i, j) - rho) / sigma);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) w(i, j) = a(i, j) + a(j, i) - a(i, j) * a(j, i);
  }
  // 1e-5 in the sum of seven memberships: each may differ by about as much.
  expect_matrix(graph_of(points, knn, {.kind = Affinity::fuzzy_union}), w, 3e-5);
}

TEST(BuildGraph, GivesSymmetricWeightsAndTheDistancesAsLengths) {
  const Matrix<double> points = gaussian_points(400, 3, 3);
  const Matrix<double> d = distance_table(points);
  for (const Affinity kind : all_kinds) {
    const Graph graph = graph_of(points, 8, {.kind = kind});
    ASSERT_TRUE(graph.has_lengths());
    EXPECT_EQ(graph.truncated_share, 0);
    const SparseMatrix& w = graph.weights;
    for (std::size_t i = 0; i < 400; ++i) {
      for (std::size_t k = w.offsets[i]; k < w.offsets[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(w.indices[k]);
        ASSERT_NE(i, j);
        const std::size_t mirrored = w.find(j, static_cast<Index>(i));
        ASSERT_LT(mirrored, w.n_entries());
        EXPECT_EQ(w.values[k], w.values[mirrored]);
        EXPECT_EQ(graph.lengths[k], graph.lengths[mirrored]);
        EXPECT_NEAR(graph.lengths[k], d(i, j), 1e-14 * d(i, j) + 1e-15);
        EXPECT_GT(w.values[k], 0);
        EXPECT_LE(w.values[k], 1);
      }
    }
    EXPECT_EQ(graph.component.size(), 400U);
    EXPECT_GE(graph.n_components, 1U);
    EXPECT_TRUE(graph.bridges.empty());
  }
}

TEST(BuildGraph, IsTheSameForAnyNumberOfThreadsAndAnyUnit) {
  const Matrix<double> points = gaussian_points(1500, 4, 4);
  for (const Affinity kind : all_kinds) {
    const AffinityOptions options{.kind = kind, .anisotropy = 0.5};
    const Graph alone = graph_of(points, 7, options);
    for (const std::size_t n_threads : {1, 2, 8}) {
      ThreadPool pool(n_threads);
      Context context;
      context.executor = &pool;
      const Graph graph = graph_of(points, 7, options, context);
      EXPECT_EQ(graph.weights.offsets, alone.weights.offsets);
      EXPECT_EQ(graph.weights.indices, alone.weights.indices);
      EXPECT_EQ(graph.weights.values, alone.weights.values);
      EXPECT_EQ(graph.lengths, alone.lengths);
      EXPECT_EQ(graph.component, alone.component);
    }
    for (const int exponent : {-500, 500}) {  // 1e-150, 1e150
      Matrix<double> scaled = points;
      for (std::size_t k = 0; k < scaled.size(); ++k) {
        scaled.data()[k] = std::ldexp(scaled.data()[k], exponent);
      }
      EXPECT_EQ(graph_of(scaled, 7, options).weights.values, alone.weights.values);
    }
  }
}

TEST(BuildGraph, HasNoNaNWhereDuplicatesLeaveNoScale) {
  // Points 0 ... 5 coincide, so with knn 4 their bandwidth is 0; grids have many such groups.
  Matrix<double> points = gaussian_points(60, 2, 5);
  for (std::size_t i = 1; i < 6; ++i) {
    for (std::size_t c = 0; c < 2; ++c) points(i, c) = points(0, c);
  }
  for (const Affinity kind : all_kinds) {
    for (const auto& data : {points, grid_points(200, 2, 4), Matrix<double>(30, 2, 1.0)}) {
      const Graph graph = graph_of(data, 4, {.kind = kind});
      for (const double value : graph.weights.values) {
        ASSERT_GT(value, 0);
        ASSERT_LE(value, 1);
      }
    }
  }
  const Graph graph = graph_of(points, 4, {});
  for (Index j = 1; j < 6; ++j) EXPECT_EQ(graph.weights.values[graph.weights.find(0, j)], 1);
  // The others may count the group among their own neighbours, never the group them.
  for (std::size_t k = 0; k < graph.weights.row_indices(0).size(); ++k) {
    if (graph.weights.row_indices(0)[k] >= 6) {
      EXPECT_LE(graph.weights.row_values(0)[k], 0.5);
    }
  }
}

TEST(BuildGraph, WorksForOneTwoAndThreePoints) {
  for (const Affinity kind : all_kinds) {
    const Graph alone = build_graph(find_neighbors(Matrix<double>(1, 3)), {.kind = kind});
    EXPECT_EQ(alone.n_points(), 1U);
    EXPECT_EQ(alone.n_components, 1U);
    EXPECT_EQ(alone.weights.n_entries(), 0U);
    const Graph two = graph_of(gaussian_points(2, 3), 1, {.kind = kind});
    EXPECT_EQ(two.weights.n_entries(), 2U);
    EXPECT_EQ(two.n_components, 1U);
    const Graph three = graph_of(gaussian_points(3, 3), 2, {.kind = kind});
    EXPECT_EQ(three.weights.n_entries(), 6U);
  }
}

TEST(KernelSupport, IsFullForASmallDecayAndBoundedWhereMemoryIs) {
  const Matrix<double> points = gaussian_points(400, 3);
  const AffinityOptions wide{.decay = 2};
  const NeighborOptions options{.knn = 10, .reach = reach_of(wide)};
  const auto find = [&](const NeighborOptions& o) { return find_neighbors(points, o); };
  const NeighborLists full = detail::lists_within_reach(options, 400, find);
  EXPECT_EQ(full.truncated_share, 0);
  for (std::size_t i = 0; i < 400; ++i) {
    std::size_t n_within = 0;
    for (std::size_t j = 0; j < 400; ++j) {
      const double length =
          testing::plain_distance<double>(points.row(i), points.row(j), Metric::euclidean);
      n_within += j != i && length <= options.reach * full.lengths(i)[9] ? 1 : 0;
    }
    EXPECT_EQ(full.neighbors(i).size(), n_within);
  }
  EXPECT_EQ(build_graph(full, wide).truncated_share, 0);
  // 50 entries per point: what lies farther is cut, and counted.
  const NeighborLists cut = detail::lists_within_reach(options, 400, find, 20000);
  std::size_t n_cut = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_LE(cut.neighbors(i).size(), 50U);
    n_cut += full.neighbors(i).size() > 50 ? 1 : 0;
  }
  EXPECT_GT(n_cut, 0U);
  EXPECT_GE(cut.truncated_share * 400, static_cast<double>(n_cut) - 0.5);
  EXPECT_EQ(cut.knn, 10U);
}

TEST(BuildGraph, CountsWhereTheListsEndBeforeTheKernel) {
  const Matrix<double> points = gaussian_points(300, 3);
  const NeighborLists short_lists = find_neighbors(points, {.knn = 10});
  EXPECT_EQ(build_graph(short_lists, {}).truncated_share, 1);
  // The kernels of the knn edges need no more.
  EXPECT_EQ(build_graph(short_lists, {.kind = Affinity::knn}).truncated_share, 0);
  // Lists that hold all points cannot end too early.
  const Matrix<double> few = gaussian_points(9, 3);
  EXPECT_EQ(build_graph(find_neighbors(few, {.knn = 8}), {}).truncated_share, 0);
  NeighborLists given = find_neighbors(points, {.knn = 10, .reach = reach_of({})});
  given.truncated_share = 0.25;
  EXPECT_EQ(build_graph(given, {}).truncated_share, 0.25);
}

TEST(BuildGraph, RefusesListsThatNobodyFound) {
  const NeighborLists good = find_neighbors(gaussian_points(20, 3), {.knn = 4});
  NeighborLists bad = good;
  bad.knn = 5;
  EXPECT_THROW(build_graph(bad), InvalidArgument);
  bad = good;
  bad.indices[3] = 20;
  EXPECT_THROW(build_graph(bad), InvalidArgument);
  bad = good;
  bad.distances[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(build_graph(bad), InvalidArgument);
  bad = good;
  bad.distances.pop_back();
  EXPECT_THROW(build_graph(bad), InvalidArgument);
  EXPECT_THROW(build_graph(NeighborLists{}), InvalidArgument);
}

TEST(AffinityOptions, OfTheirDefaultsAreValidAndEveryBadFieldIsNamed) {
  EXPECT_TRUE(issues_with(AffinityOptions{}).empty());
  const auto issues = issues_with(AffinityOptions{.decay = 0, .threshold = 1, .anisotropy = -0.5});
  ASSERT_EQ(issues.size(), 3U);
  EXPECT_EQ(issues[0].rfind("decay = 0", 0), 0U);
  EXPECT_EQ(issues[1].rfind("threshold = 1", 0), 0U);
  EXPECT_EQ(issues[2].rfind("anisotropy = -0.5", 0), 0U);
  const NeighborLists lists = find_neighbors(gaussian_points(20, 3), {.knn = 4});
  EXPECT_THROW(build_graph(lists, {.decay = -1}), InvalidArgument);
}

TEST(AffinityOptions, HaveNamesAndAReach) {
  for (const Affinity kind : all_kinds) EXPECT_EQ(affinity_named(to_string(kind)), kind);
  EXPECT_EQ(to_string(Affinity::alpha_decay), "alpha-decay");
  EXPECT_EQ(to_string(Affinity::fuzzy_union), "umap");
  EXPECT_EQ(affinity_named("gauss"), std::nullopt);
  EXPECT_NEAR(reach_of({}), 1.0571, 1e-4);
  EXPECT_NEAR(reach_of({.decay = 2}), std::sqrt(-std::log(1e-4)), 1e-9);
  EXPECT_EQ(reach_of({.threshold = 0.9}), 1);
  EXPECT_EQ(reach_of({.kind = Affinity::gaussian}), 1);
}

}  // namespace
}  // namespace geotherm
