// Uniformization: a small relative error in every entry, against high-precision references.
#include <gtest/gtest.h>

#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

#include "heat/high_precision.hpp"
#include "heat/test_graphs.hpp"
#include "test_data.hpp"

namespace geotherm {
namespace {

using namespace testing;

Matrix<double> all_rows(const DiffusionKernel& kernel) {
  std::vector<Index> points(kernel.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<Index>(i);
  return kernel.rows(points);
}

TEST(Poisson, MatchesTheStoredLogHeatOfAPath) {
  std::ifstream file(golden_dir() + "/path51_log_heat.csv");
  ASSERT_TRUE(file.is_open());
  const Laplacian laplacian = build_laplacian(path_graph(51));
  std::string line;
  std::getline(file, line);
  double time = 0;
  Matrix<double> dense, rows;
  int n_compared = 0;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    double t = 0, log_h = 0;
    std::size_t i = 0, j = 0;
    char comma = 0;
    fields >> t >> comma >> i >> comma >> j >> comma >> log_h;
    if (t != time) {
      time = t;
      const auto kernel = heat_kernel(laplacian, {.time = time});
      dense = kernel->dense();
      rows = all_rows(*kernel);
    }
    // 1e-13 of log h: far below the 1e-9 that is promised.
    EXPECT_NEAR(std::log(dense(i, j)) / log_h, 1.0, 1e-13) << line;
    EXPECT_NEAR(std::log(rows(i, j)) / log_h, 1.0, 1e-13) << line;
    ++n_compared;
  }
  EXPECT_EQ(n_compared, 4 * 2 * 51);
}

TEST(Poisson, IsRightInEveryEntryForAllLaplacians) {
  // Weights over three orders of magnitude, entries down to 1e-100 at the short times.
  const Graph graph = strip_graph(24, 8, 1.2);
  for (const auto kind : all_kinds) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    for (const double time : {1e-8, 1e-3, 0.1, 1.0, 30.0, 1000.0}) {
      const Square expected = reference_heat(graph, kind, time);
      const auto kernel = heat_kernel(laplacian, {.time = time});
      // Each of about (time x rate) products rounds: 1e-15 apiece, but their errors average out.
      const double tolerance = 1e-14 * (10 + time * laplacian.largest_diagonal);
      EXPECT_LT(worst_relative_error(kernel->dense(), expected), tolerance) << time;
      EXPECT_LT(worst_relative_error(all_rows(*kernel), expected), tolerance) << time;
      Matrix<double> one(graph.n_points(), 1);
      one(3, 0) = 2;
      const Matrix<double> column = kernel->apply(one);
      for (std::size_t i = 0; i < graph.n_points(); ++i) {
        const double exact = static_cast<double>(expected(i, 3));
        if (exact > 1e-290) {
          EXPECT_NEAR(column(i, 0) / (2 * exact), 1.0, tolerance);
        }
      }
      const std::vector<double> diagonal = kernel->diagonal();
      for (std::size_t i = 0; i < graph.n_points(); ++i) {
        EXPECT_NEAR(diagonal[i] / static_cast<double>(expected(i, i)), 1.0, tolerance);
      }
    }
  }
}

TEST(Poisson, ReachesEveryPairOfALongPathWithAndWithoutSquaring) {
  // The path's heat by mirror images, h(i, j) = sum_m g(i - j + 2mn) + g(i + j + 1 + 2mn) with
  // g(k) = e^-2t I_k(2t): positive terms only, so the formula is right in every entry too. 160
  // hops, entries down to 1e-170.
  const std::size_t n = 161;
  const Laplacian laplacian = build_laplacian(path_graph(n));
  for (const double time : {5.0, 60.0, 250.0}) {
    const auto kernel = heat_kernel(laplacian, {.time = time});
    const Matrix<double> dense = kernel->dense(), rows = all_rows(*kernel);
    if (time > 100) {
      EXPECT_GT(kernel->report().squarings, 0);
    }
    std::vector<double> g(6 * n);
    for (std::size_t k = 0; k < g.size(); ++k) {
      g[k] = std::exp(-2 * time) * boost::math::cyl_bessel_i(static_cast<double>(k), 2 * time);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double expected = 0;
        for (int m = -2; m <= 2; ++m) {
          const int shift = 2 * m * static_cast<int>(n);
          const int direct = static_cast<int>(i) - static_cast<int>(j) + shift;
          const int mirrored = static_cast<int>(i + j + 1) + shift;
          expected += g[static_cast<std::size_t>(std::abs(direct))];
          expected += g[static_cast<std::size_t>(std::abs(mirrored))];
        }
        // 1e-11: the error of e^-2t and of the Bessel function.
        ASSERT_NEAR(dense(i, j) / expected, 1.0, 1e-11) << i << " " << j;
        ASSERT_NEAR(rows(i, j) / expected, 1.0, 1e-11) << i << " " << j;
      }
    }
  }
}

TEST(Poisson, SeesThroughTwoColouredGraphs) {
  // Single powers of the normalised form of a path vanish on every other point; the stopping rule
  // must not take that for an end.
  const Graph graph = path_graph(24);
  for (const double time : {0.2, 6.0, 90.0}) {
    const auto kernel =
        heat_kernel(build_laplacian(graph, LaplacianKind::normalized), {.time = time});
    const Square expected = reference_heat(graph, LaplacianKind::normalized, time);
    EXPECT_LT(worst_relative_error(kernel->dense(), expected), 1e-13);
    EXPECT_LT(worst_relative_error(all_rows(*kernel), expected), 1e-13);
  }
}

TEST(Poisson, WeakLinksDoNotEndTheSeriesEarly) {
  // Two tight groups joined by a weight of 1e-12 directly and by a longer, stronger way around.
  std::vector<Triplet> edges;
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < i; ++j) {
      edges.push_back({i, j, 1.0});
      edges.push_back({static_cast<Index>(i + 6), static_cast<Index>(j + 6), 1.0});
    }
  }
  edges.push_back({0, 6, 1e-12});
  for (Index k = 0; k < 8; ++k) {
    const Index from = k == 0 ? 3 : 11 + k;
    edges.push_back({from, static_cast<Index>(12 + k), 0.02});
  }
  edges.push_back({19, 9, 0.02});
  const Graph graph = graph_of(20, edges);
  for (const double time : {0.01, 1.0, 100.0}) {
    const auto kernel = heat_kernel(build_laplacian(graph), {.time = time});
    const Square expected = reference_heat(graph, LaplacianKind::combinatorial, time);
    EXPECT_LT(worst_relative_error(kernel->dense(), expected), 1e-12) << time;
    EXPECT_LT(worst_relative_error(all_rows(*kernel), expected), 1e-12) << time;
  }
}

TEST(Poisson, ReturnsZeroOnlyBelowWhatDoublesCanHold) {
  const auto kernel = heat_kernel(build_laplacian(path_graph(400)), {.time = 0.5});
  const Matrix<double> heat = kernel->dense();
  std::size_t n_zeros = 0;
  for (std::size_t j = 1; j < 400; ++j) {
    EXPECT_TRUE(heat(0, j) == 0 || heat(0, j) >= 1e-290);
    // h(0, j) is close to t^j / j! for j far beyond t.
    const double log_h =
        static_cast<double>(j) * std::log(0.5) - std::lgamma(static_cast<double>(j) + 1);
    if (log_h > std::log(1e-285)) {
      EXPECT_GT(heat(0, j), 0.0) << j;
    }
    if (heat(0, j) == 0) ++n_zeros;
  }
  EXPECT_GT(n_zeros, 200U);
}

TEST(Poisson, TreatsSignedBlocksToAbsoluteAccuracy) {
  const Graph graph = strip_graph(40, 5, 1.0);
  const Laplacian laplacian = build_laplacian(graph);
  const auto kernel = heat_kernel(laplacian, {.time = 3});
  const Matrix<double> heat = kernel->dense();
  Matrix<double> block(40, 3);
  Rng rng(1, "signed");
  for (std::size_t k = 0; k < block.size(); ++k) block.data()[k] = rng.normal();
  EXPECT_LT(largest_difference(kernel->apply(block), product(heat, block)), 1e-13);
}

TEST(Poisson, RefusesTimesBeyondItsReachAndSaysWhatToDo) {
  try {
    heat_kernel(build_laplacian(path_graph(4)), {.time = 1e12});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("time is 1e+12"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("chebyshev"), std::string::npos);
  }
}

}  // namespace
}  // namespace geotherm
