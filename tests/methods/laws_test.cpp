// Laws that hold across modules, whatever the data: each ties what two or more public functions
// return.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm {
namespace {

using Kernels = std::vector<KernelMethod>;
const Kernels every_heat_kernel = {KernelMethod::uniformization, KernelMethod::exact,
                                   KernelMethod::chebyshev, KernelMethod::euler};

Matrix<double> roll(std::size_t n, std::uint64_t seed = 1) {
  return synthesize(Shape::swiss_roll, {.n = n}, {.seed = seed}).X;
}

Graph alpha_graph(const Matrix<double>& points, std::size_t knn) {
  const AffinityOptions affinity = {};
  const NeighborLists lists =
      find_neighbors(points.view(), {.knn = knn, .reach = reach_of(affinity)});
  return connect_components(build_graph(lists, affinity), ComponentPolicy::bridge, points.view());
}

SparseMatrix ring(std::size_t n, bool closed) {
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i + 1 < n || (closed && i < n); ++i) {
    const auto a = static_cast<Index>(i);
    const auto b = static_cast<Index>((i + 1) % n);
    entries.push_back({a, b, 1.0});
    entries.push_back({b, a, 1.0});
  }
  return sparse_from_triplets(n, n, std::move(entries));
}

Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> c(a.rows(), b.cols());
  for (std::size_t i = 0; i < a.rows(); ++i) {
    for (std::size_t k = 0; k < a.cols(); ++k) {
      for (std::size_t j = 0; j < b.cols(); ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

/// Every pair of entries agrees in the logarithm to 1e-9 relative: what "right in every entry"
/// means.
void expect_same_logs(const Matrix<double>& ours, const Matrix<double>& expected,
                      const std::string& what) {
  ASSERT_EQ(ours.rows(), expected.rows());
  ASSERT_EQ(ours.cols(), expected.cols());
  double worst = 0;
  for (std::size_t i = 0; i < ours.rows(); ++i) {
    for (std::size_t j = 0; j < ours.cols(); ++j) {
      const double log_expected = std::log(expected(i, j));
      const double gap =
          std::abs(std::log(ours(i, j)) - log_expected) / std::max(1.0, std::abs(log_expected));
      worst = std::isnan(gap) ? INFINITY : std::max(worst, gap);
    }
  }
  EXPECT_LE(worst, 1e-9) << what;
}

// ---------------------------------------------------------------------------------------------
// The heat kernel.

TEST(HeatLaws, RowsOfHeatSumToOneForLaplaciansThatKillConstants) {
  const Graph graph = alpha_graph(roll(200), 8);
  for (const LaplacianKind kind : {LaplacianKind::combinatorial, LaplacianKind::random_walk}) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    for (const KernelMethod method : every_heat_kernel) {
      // An eigendecomposition of the random walk goes through its symmetric form.
      const auto kernel = heat_kernel(laplacian, {.time = 3.0, .method = method});
      const Matrix<double> heat = kernel->dense();
      for (std::size_t i = 0; i < heat.rows(); ++i) {
        double sum = 0;
        for (const double h : heat.row(i)) sum += h;
        // 1e-10: 200 entries, each within the kernel's 1e-12.
        EXPECT_NEAR(sum, 1.0, 1e-10) << to_string(kind) << ", " << to_string(method);
      }
    }
  }
}

TEST(HeatLaws, NormalisedHeatLeavesTheRootOfTheDegreeAlone) {
  const Laplacian laplacian = build_laplacian(alpha_graph(roll(200), 8), LaplacianKind::normalized);
  const std::size_t n = laplacian.size();
  Matrix<double> root(n, 1);
  for (std::size_t i = 0; i < n; ++i) root(i, 0) = std::sqrt(laplacian.degree[i]);
  for (const KernelMethod method : every_heat_kernel) {
    const Matrix<double> after =
        heat_kernel(laplacian, {.time = 3.0, .method = method})->apply(root.view());
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(after(i, 0), root(i, 0), 1e-9) << to_string(method);
    }
  }
}

TEST(HeatLaws, HeatForTwoTimesIsHeatForTheirSumInEveryEntry) {
  const Graph graph = alpha_graph(roll(150), 6);
  for (const LaplacianKind kind :
       {LaplacianKind::combinatorial, LaplacianKind::normalized, LaplacianKind::random_walk}) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    const auto at = [&](double time) { return heat_kernel(laplacian, {.time = time})->dense(); };
    expect_same_logs(product(at(0.4), at(1.1)), at(1.5), std::string(to_string(kind)));
  }
}

// H_t of the random-walk Laplacian is the Poisson mixture of the powers of P = Q^-1 W.
TEST(HeatLaws, RandomWalkHeatIsThePoissonMixtureOfWalks) {
  const Graph graph = alpha_graph(roll(80), 6);
  const Laplacian laplacian = build_laplacian(graph, LaplacianKind::random_walk);
  const std::size_t n = laplacian.size();
  Matrix<double> walk = to_dense(graph.weights);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& p : walk.row(i)) p /= laplacian.degree[i];
  }
  const double time = 3.0;
  Matrix<double> term(n, n);
  for (std::size_t i = 0; i < n; ++i) term(i, i) = std::exp(-time);
  Matrix<double> mixture = term;
  // Past 200 steps the mass left is 3^200 / 200! < 1e-270; every pair is reached long before.
  for (int k = 1; k <= 200; ++k) {
    term = product(term, walk);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        term(i, j) *= time / k;
        mixture(i, j) += term(i, j);
      }
    }
  }
  expect_same_logs(heat_kernel(laplacian, {.time = time})->dense(), mixture, "Poisson mixture");
}

// |delta_i H_t - delta_j H_t|^2 = sum_k exp(-2 t lambda_k) (psi_k(i) - psi_k(j))^2: the coordinates
// carry exp(-t lambda), not exp(-2 t lambda).
TEST(HeatLaws, EigenmapsScaledByTheirDecayKeepTheDiffusionDistance) {
  const std::size_t n = 30;
  const double time = 0.5;
  const Laplacian path = build_laplacian(graph_from_affinities(ring(n, false)));
  const Matrix<double> rows_apart =
      pairwise_distances(heat_kernel(path, {.time = time})->dense().view());
  // The path's spectrum is known in closed form: lambda_k = 2 - 2 cos(pi k / n).
  const auto eigenmaps = [&](double decay) {
    Matrix<double> y(n, n - 1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 1; k < n; ++k) {
        const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
        const double psi = std::sqrt(2.0 / static_cast<double>(n)) *
                           std::cos(angle * (static_cast<double>(i) + 0.5));
        y(i, k - 1) = std::exp(-decay * (2.0 - 2.0 * std::cos(angle))) * psi;
      }
    }
    return pairwise_distances(y.view());
  };
  const Matrix<double> right = eigenmaps(time);
  const Matrix<double> printed = eigenmaps(2.0 * time);
  double largest_printed_error = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      // 1e-7: pairwise distances may lose half the digits where two rows nearly coincide.
      EXPECT_NEAR(rows_apart(i, j), right(i, j), 1e-7);
      largest_printed_error =
          std::max(largest_printed_error, std::abs(rows_apart(i, j) - printed(i, j)));
    }
  }
  EXPECT_GT(largest_printed_error, 0.1);
}

TEST(HeatLaws, EigenmapsLemmaHoldsOnAnAlphaGraphToo) {
  const Laplacian laplacian = build_laplacian(alpha_graph(roll(100), 6));
  const double time = 0.3;
  const Matrix<double> rows_apart =
      pairwise_distances(heat_kernel(laplacian, {.time = time})->dense().view());
  const auto eigen = detail::symmetric_eigen(to_dense(laplacian.matrix).view());
  const std::size_t n = laplacian.size();
  Matrix<double> y(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      y(i, k) = std::exp(-time * eigen.values[k]) * eigen.vectors(i, k);
    }
  }
  const Matrix<double> expected = pairwise_distances(y.view());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(rows_apart(i, j), expected(i, j), 1e-7);
  }
}

// ---------------------------------------------------------------------------------------------
// The dissimilarity.

// PHATE's potential distance with H_t: PH^2 = (1/4t)^2 |d^2(i,.) - d^2(j,.)|^2 for sigma = 0. Our
// diagonal is 0 by contract, so the formula's own, -4t log H_ii, is put back first.
TEST(DissimilarityLaws, PotentialDistanceFollowsFromSquaredHeatGeodesics) {
  const Laplacian laplacian = build_laplacian(alpha_graph(roll(120), 6));
  const double time = 2.0;
  const auto kernel = heat_kernel(laplacian, {.time = time});
  const Matrix<double> heat = kernel->dense();
  const Matrix<double> d = heat_geodesic(*kernel, {.harnack = 0.0}).values;
  const std::size_t n = d.rows();
  const auto square = [&](std::size_t i, std::size_t k) {
    return i == k ? -4 * time * std::log(heat(i, i)) : d(i, k) * d(i, k);
  };
  double printed_error = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double potential = 0, from_squares = 0, from_distances = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double log_gap = std::log(heat(j, k)) - std::log(heat(i, k));
        const double gap = (square(i, k) - square(j, k)) / (4 * time);
        const double unsquared = (std::sqrt(square(i, k)) - std::sqrt(square(j, k))) / (4 * time);
        potential += log_gap * log_gap;
        from_squares += gap * gap;
        from_distances += unsquared * unsquared;
      }
      EXPECT_NEAR(from_squares, potential, 1e-9 * (1.0 + potential));
      printed_error = std::max(printed_error, std::abs(potential - from_distances));
    }
  }
  EXPECT_GT(printed_error, 1.0);  // with d in place of d^2 the relation is far off
}

// H_rw = Q^-1/2 H_norm Q^1/2: the factors cancel where d^2 is averaged over (i, j) and (j, i).
TEST(DissimilarityLaws, RandomWalkHeatAveragedOverBothWaysIsTheNormalisedResult) {
  const Graph graph = alpha_graph(roll(150), 6);
  for (const double harnack : {0.0, 1.0}) {
    const auto distances = [&](LaplacianKind kind) {
      return heat_geodesic(*heat_kernel(build_laplacian(graph, kind), {.time = 2.0}),
                           {.harnack = harnack})
          .values;
    };
    const Matrix<double> walk = distances(LaplacianKind::random_walk);
    const Matrix<double> normalized = distances(LaplacianKind::normalized);
    for (std::size_t i = 0; i < walk.rows(); ++i) {
      for (std::size_t j = 0; j < walk.cols(); ++j) {
        const double a = walk(i, j) * walk(i, j);
        const double b = normalized(i, j) * normalized(i, j);
        EXPECT_NEAR(a, b, 1e-9 * (1.0 + b)) << "harnack " << harnack;
      }
    }
  }
}

// On a cycle all points are alike and heat falls with every hop: order is kept exactly.
TEST(DissimilarityLaws, CycleKeepsTheOrderOfHopsExactly) {
  const std::size_t n = 40;
  const Laplacian cycle = build_laplacian(graph_from_affinities(ring(n, true)));
  for (const double time : {0.5, 5.0, 50.0}) {
    for (const double harnack : {0.0, 1.0}) {
      const Matrix<double> d =
          heat_geodesic(*heat_kernel(cycle, {.time = time}), {.harnack = harnack}).values;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t hop = 1; hop < n / 2; ++hop) {
          const double near = d(i, (i + hop) % n);
          const double far = d(i, (i + hop + 1) % n);
          const double mirrored = d(i, (i + n - hop) % n);
          EXPECT_LT(near, far) << "t " << time << ", harnack " << harnack << ", hop " << hop;
          EXPECT_NEAR(near, mirrored, 1e-9 * (1.0 + near));
        }
      }
    }
  }
}

// Random samples keep it nearly. Over 200 samples of 500 points at t = 1 a prototype in another
// language gave Spearman .994 on average and .977 at worst (circle, knn 20), .988 and .978 (sphere,
// knn 10): uneven samples are the bad ones. The bound lies below all of them. A circle at knn 10 is
// no test of this law: in 6 % of the samples a gap all but cuts it open (.73 to .76).
TEST(DissimilarityLaws, RandomCircleAndSphereSamplesKeepTheOrderNearly) {
  struct Row {
    Shape shape;
    const char* name;
    std::size_t knn;
  };
  for (const Row row : {Row{Shape::circle, "circle", 20}, Row{Shape::sphere, "sphere", 10}}) {
    for (const std::uint64_t seed : {3U, 4U}) {
      const Context context = {.seed = seed};
      const Dataset data = synthesize(row.shape, {.n = 500, .noise = 0.0}, context);
      ASSERT_EQ(data.geodesic.rows(), 500U) << row.name;
      const DistanceRun found = heat_geo_distances(
          data.X.view(),
          {.neighbors = {.knn = row.knn}, .heat = {.time = 1.0}, .time_choice = std::nullopt},
          context);
      const DistanceScores scores =
          score_distances(data.geodesic.view(), found.dissimilarity.values.view());
      EXPECT_GE(scores.spearman, 0.97) << row.name << ", seed " << seed;
    }
  }
}

// ---------------------------------------------------------------------------------------------
// The method.

MethodOptions plain(double time) {
  return {.neighbors = {.knn = 8}, .heat = {.time = time}, .time_choice = std::nullopt};
}

TEST(MethodLaws, EveryKernelGivesTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> points = roll(300);
  for (const KernelMethod method : every_heat_kernel) {
    MethodOptions options = plain(5.0);
    options.heat.method = method;
    EmbeddingRun first;
    for (const std::size_t n_threads : {1U, 2U, 8U}) {
      ThreadPool pool(n_threads);
      EmbeddingRun result = heat_geo(points.view(), options, {.executor = &pool, .seed = 9});
      if (n_threads == 1) {
        first = std::move(result);
        continue;
      }
      const auto& a = first.distances.dissimilarity.values;
      const auto& b = result.distances.dissimilarity.values;
      ASSERT_EQ(a.size(), b.size());
      EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data()))
          << to_string(method) << ", " << n_threads << " threads: distances";
      const auto& y = first.embedding.coordinates;
      const auto& z = result.embedding.coordinates;
      ASSERT_EQ(y.size(), z.size());
      EXPECT_TRUE(std::equal(y.data(), y.data() + y.size(), z.data()))
          << to_string(method) << ", " << n_threads << " threads: map";
    }
  }
}

// The graph sees ratios of distances alone, and distances come in the units of the data.
TEST(MethodLaws, DistancesFollowTheUnitOfTheData) {
  const Matrix<double> points = roll(250);
  const Matrix<double> expected =
      heat_geo_distances(points.view(), plain(5.0)).dissimilarity.values;
  for (const double unit : {0x1p-40, 0x1p+40}) {
    Matrix<double> scaled = points;
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled.data()[i] *= unit;
    const Matrix<double> d = heat_geo_distances(scaled.view(), plain(5.0)).dissimilarity.values;
    for (std::size_t i = 0; i < d.rows(); ++i) {
      for (std::size_t j = 0; j < d.cols(); ++j) {
        EXPECT_NEAR(d(i, j) / unit, expected(i, j), 1e-9 * (1.0 + expected(i, j)))
            << "unit " << unit;
      }
    }
  }
}

TEST(MethodLaws, OrderOfThePointsDoesNotMatter) {
  const Matrix<double> points = roll(250);
  const std::size_t n = points.rows();
  std::vector<std::size_t> place(n);
  for (std::size_t i = 0; i < n; ++i) place[i] = i;
  Rng(5, "laws_test.order").shuffle(std::span(place));
  Matrix<double> moved(n, points.cols());
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(points.row(i).begin(), points.cols(), moved.row(place[i]).begin());
  }
  const Matrix<double> d = heat_geo_distances(points.view(), plain(5.0)).dissimilarity.values;
  const Matrix<double> e = heat_geo_distances(moved.view(), plain(5.0)).dissimilarity.values;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      // 1e-6: sums in another order, and a root where distances are small.
      EXPECT_NEAR(e(place[i], place[j]), d(i, j), 1e-6);
    }
  }
}

// Rows equal to the bit are one point: k counts distinct points, and copies lie at distance 0.
TEST(MethodLaws, CopiesOfAPointShareItsPlace) {
  const Matrix<double> points = roll(150);
  const std::size_t n = points.rows();
  const std::size_t n_copies = 60;  // more than knn copies of point 0, one of each of some others
  std::vector<std::size_t> original(n + n_copies);
  for (std::size_t i = 0; i < original.size(); ++i) {
    original[i] = i < n ? i : (i < n + 20 ? 0 : i - n);
  }
  Matrix<double> with_copies(original.size(), points.cols());
  for (std::size_t i = 0; i < original.size(); ++i) {
    std::copy_n(points.row(original[i]).begin(), points.cols(), with_copies.row(i).begin());
  }
  const Matrix<double> expected =
      heat_geo_distances(points.view(), plain(5.0)).dissimilarity.values;
  const Matrix<double> d = heat_geo_distances(with_copies.view(), plain(5.0)).dissimilarity.values;
  ASSERT_EQ(d.rows(), original.size());
  for (std::size_t i = 0; i < d.rows(); ++i) {
    for (std::size_t j = 0; j < d.cols(); ++j) {
      EXPECT_EQ(d(i, j), expected(original[i], original[j]));
    }
  }
}

}  // namespace
}  // namespace geotherm
