// What all heat kernels promise: checked options, the laws of heat, the same bits for any number of
// threads, and answers on awkward graphs.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>

#include "heat/test_graphs.hpp"

namespace geotherm {
namespace {

using namespace testing;

/// Absolute accuracy of the methods as they are run here (Chebyshev at tolerance 1e-14).
constexpr double absolute = 1e-12;

std::unique_ptr<DiffusionKernel> kernel_of(const Laplacian& laplacian, KernelMethod method,
                                           double time) {
  return heat_kernel(laplacian, {.time = time, .method = method, .tolerance = 1e-14});
}

TEST(HeatKernelOptions, DefaultsAreValidAndEveryBadFieldIsNamedAtOnce) {
  EXPECT_TRUE(issues_with(HeatKernelOptions{}).empty());
  const auto issues = issues_with(HeatKernelOptions{
      .time = -1, .method = KernelMethod::walk_power, .tolerance = 2, .order = 0});
  ASSERT_EQ(issues.size(), 4U);
  EXPECT_EQ(issues[0].rfind("time is -1", 0), 0U);
  EXPECT_EQ(issues[1].rfind("tolerance is 2", 0), 0U);
  EXPECT_EQ(issues[2].rfind("order is 0", 0), 0U);
  EXPECT_EQ(issues[3].rfind("method is walk-power", 0), 0U);
  for (const double time : {0.0, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(issues_with(HeatKernelOptions{.time = time}).size(), 1U);
    EXPECT_THROW(heat_kernel(build_laplacian(path_graph(3)), {.time = time}), InvalidArgument);
  }
}

TEST(KernelMethod, NamesGoThereAndBack) {
  for (const auto method :
       {KernelMethod::automatic, KernelMethod::uniformization, KernelMethod::exact,
        KernelMethod::chebyshev, KernelMethod::euler, KernelMethod::walk_power}) {
    EXPECT_EQ(kernel_method_named(to_string(method)), method);
  }
  EXPECT_FALSE(kernel_method_named("krylov").has_value());
}

TEST(HeatKernel, AutomaticIsPoissonAndTheReportSaysWhatRuns) {
  const Laplacian laplacian = build_laplacian(path_graph(20));
  const auto kernel = heat_kernel(laplacian, {.time = 2});
  EXPECT_EQ(kernel->report().method, KernelMethod::uniformization);
  EXPECT_EQ(kernel->report().time, 2);
  EXPECT_GT(kernel->report().order, 19);
  EXPECT_EQ(kernel->report().resolution, 0);
  EXPECT_EQ(heat_kernel(laplacian, {.method = KernelMethod::euler})->report().order, 30);
  EXPECT_EQ(heat_kernel(laplacian, {.method = KernelMethod::euler, .order = 7})->report().order, 7);
  EXPECT_EQ(heat_kernel(laplacian, {.method = KernelMethod::chebyshev, .order = 9})->report().order,
            9);
  EXPECT_EQ(heat_kernel(laplacian, {.method = KernelMethod::exact})->report().resolution, 1e-15);
}

TEST(HeatKernel, KeepsConstantsOrRootsOfDegreesAndIsSymmetric) {
  for (const Graph& graph : {strip_graph(70, 6, 0.9), scattered_graph()}) {
    for (const auto kind : all_kinds) {
      const Laplacian laplacian = build_laplacian(graph, kind);
      for (const auto method : all_methods) {
        for (const double time : {0.01, 1.0, 40.0}) {
          const auto kernel = kernel_of(laplacian, method, time);
          ASSERT_EQ(kernel->is_symmetric(), laplacian.is_symmetric());
          const Matrix<double> heat = kernel->dense();
          for (std::size_t i = 0; i < heat.rows(); ++i) {
            double sum = 0;
            double expected = 1;
            for (std::size_t j = 0; j < heat.cols(); ++j) {
              const bool is_normalized = kind == LaplacianKind::normalized;
              sum += heat(i, j) * (is_normalized ? std::sqrt(laplacian.degree[j]) : 1.0);
              if (is_normalized) expected = std::sqrt(laplacian.degree[i]);
              if (kernel->is_symmetric()) {
                ASSERT_EQ(heat(i, j), heat(j, i));
              } else if (laplacian.degree[i] > 0 && laplacian.degree[j] > 0) {
                // Detailed balance.
                ASSERT_NEAR(heat(i, j) * laplacian.degree[i], heat(j, i) * laplacian.degree[j],
                            absolute);
              }
            }
            EXPECT_NEAR(sum, expected, absolute) << to_string(kind) << " " << to_string(method);
          }
        }
      }
    }
  }
}

TEST(HeatKernel, IsASemigroup) {
  const Graph graph = strip_graph(60, 5, 0.9);
  for (const auto kind : all_kinds) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    for (const auto method :
         {KernelMethod::uniformization, KernelMethod::exact, KernelMethod::chebyshev}) {
      const Matrix<double> a = kernel_of(laplacian, method, 0.7)->dense();
      const Matrix<double> b = kernel_of(laplacian, method, 2.6)->dense();
      const Matrix<double> both = kernel_of(laplacian, method, 3.3)->dense();
      EXPECT_LT(largest_difference(product(a, b), both), absolute);
    }
    // Entrywise for the kernel that promises it: no subtraction on either side.
    const Matrix<double> a = kernel_of(laplacian, KernelMethod::uniformization, 0.7)->dense();
    const Matrix<double> b = kernel_of(laplacian, KernelMethod::uniformization, 2.6)->dense();
    const Matrix<double> both = kernel_of(laplacian, KernelMethod::uniformization, 3.3)->dense();
    EXPECT_LT(largest_relative_difference(product(a, b), both), 1e-13);
  }
}

TEST(HeatKernel, AllMethodsButEulerAgree) {
  for (const Graph& graph : {strip_graph(300, 20, 0.9), scattered_graph()}) {
    for (const auto kind : all_kinds) {
      const Laplacian laplacian = build_laplacian(graph, kind);
      for (const double time : {1e-8, 0.5, 20.0, 500.0}) {
        const Matrix<double> exact = kernel_of(laplacian, KernelMethod::exact, time)->dense();
        for (const auto method : {KernelMethod::uniformization, KernelMethod::chebyshev}) {
          const Matrix<double> heat = kernel_of(laplacian, method, time)->dense();
          EXPECT_LT(largest_difference(heat, exact), absolute)
              << to_string(kind) << " " << to_string(method) << " " << time;
        }
      }
    }
  }
}

TEST(HeatKernel, ApplyRowsDenseAndDiagonalTellTheSameStory) {
  const Graph graph = strip_graph(75, 7, 0.9);
  Matrix<double> block(75, 41);  // one wide block and the rest
  Rng rng(4, "block");
  for (std::size_t k = 0; k < block.size(); ++k) block.data()[k] = rng.uniform();
  const std::vector<Index> points = {74, 0, 13, 13, 40};
  for (const auto kind : all_kinds) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    for (const auto method : all_methods) {
      const auto kernel = kernel_of(laplacian, method, 1.5);
      const Matrix<double> heat = kernel->dense();
      EXPECT_LT(largest_difference(kernel->apply(block), product(heat, block)), absolute);
      const Matrix<double> rows = kernel->rows(points);
      const Matrix<double> general_rows = kernel->DiffusionKernel::rows(points);
      for (std::size_t r = 0; r < points.size(); ++r) {
        for (std::size_t j = 0; j < 75; ++j) {
          EXPECT_NEAR(rows(r, j), heat(static_cast<std::size_t>(points[r]), j), absolute);
          EXPECT_NEAR(general_rows(r, j), rows(r, j), absolute);
        }
      }
      const std::vector<double> diagonal = kernel->diagonal();
      const std::vector<double> general_diagonal = kernel->DiffusionKernel::diagonal();
      for (std::size_t i = 0; i < 75; ++i) {
        EXPECT_NEAR(diagonal[i], heat(i, i), absolute);
        EXPECT_NEAR(general_diagonal[i], heat(i, i), absolute);
      }
      EXPECT_LT(largest_difference(kernel->DiffusionKernel::dense(), heat), absolute);
    }
  }
}

TEST(HeatKernel, HasTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = strip_graph(330, 20, 0.9);
  const Matrix<double> block(330, 70, 0.25);
  const std::vector<Index> points = {5, 300, 17};
  const std::vector<double> times = {0.5, 4.0};
  for (const auto kind : {LaplacianKind::combinatorial, LaplacianKind::random_walk}) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    for (const auto method : all_methods) {
      const auto kernel = kernel_of(laplacian, method, 30.0);
      const Matrix<double> dense = kernel->dense(), applied = kernel->apply(block),
                           rows = kernel->rows(points);
      const std::vector<double> diagonal = kernel->diagonal();
      for (const std::size_t n_threads : {2, 8}) {
        ThreadPool pool(n_threads);
        Context context;
        context.executor = &pool;
        EXPECT_TRUE(same_bits(kernel->dense(context), dense)) << to_string(method);
        EXPECT_TRUE(same_bits(kernel->apply(block, context), applied)) << to_string(method);
        EXPECT_TRUE(same_bits(kernel->rows(points, context), rows)) << to_string(method);
        EXPECT_EQ(kernel->diagonal(context), diagonal) << to_string(method);
      }
    }
  }
}

TEST(HeatKernel, AnswersOnOneTwoAndNoPointsAndWithoutEdges) {
  for (const auto kind : all_kinds) {
    for (const auto method : all_methods) {
      for (const std::size_t n : {0, 1, 3}) {
        const auto kernel = kernel_of(build_laplacian(graph_of(n, {}), kind), method, 2.0);
        const Matrix<double> heat = kernel->dense();
        ASSERT_EQ(heat.rows(), n);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(heat(i, j), i == j ? 1 : 0, absolute);
        }
        EXPECT_EQ(kernel->diagonal().size(), n);
        EXPECT_EQ(kernel->rows({}).rows(), 0U);
      }
      if (method == KernelMethod::euler) continue;
      // Two points, weight 0.7: h = (1 + e^-2wt) / 2 on the diagonal; w = 1 for the normalised.
      const double weight = kind == LaplacianKind::combinatorial ? 0.7 : 1.0;
      for (const double time : {1e-8, 1.0, 1e5}) {
        const Matrix<double> heat =
            kernel_of(build_laplacian(graph_of(2, {{0, 1, 0.7}}), kind), method, time)->dense();
        // At 1e5 some 1e5 jumps each round at 1e-16.
        EXPECT_NEAR(heat(0, 0), 0.5 + 0.5 * std::exp(-2 * weight * time), 1e-11);
        EXPECT_NEAR(heat(1, 0), -0.5 * std::expm1(-2 * weight * time), 1e-11);
      }
    }
  }
}

TEST(HeatKernel, KeepsComponentsApart) {
  const Graph graph = scattered_graph();
  for (const auto kind : all_kinds) {
    for (const auto method : all_methods) {
      const Matrix<double> heat = kernel_of(build_laplacian(graph, kind), method, 300.0)->dense();
      EXPECT_NEAR(heat(8, 8), 1.0, absolute);  // a point of its own
      EXPECT_NEAR(heat(0, 1), 0.0, absolute);  // two paths
      EXPECT_NEAR(heat(2, 5), 0.5, 1e-9);      // a pair
      if (method == KernelMethod::uniformization || method == KernelMethod::euler) {
        EXPECT_EQ(heat(0, 1), 0.0);
      }
    }
  }
}

TEST(HeatKernel, ApproachesTheStationaryStateAtHugeTimes) {
  const Graph graph = strip_graph(50, 3, 0.9);
  for (const auto kind : all_kinds) {
    const Laplacian laplacian = build_laplacian(graph, kind);
    double volume = 0;
    for (const double q : laplacian.degree) volume += q;
    for (const auto method : all_methods) {
      const Matrix<double> heat = kernel_of(laplacian, method, 1e5)->dense();
      const double qi = laplacian.degree[3], qj = laplacian.degree[40];
      const double expected = kind == LaplacianKind::combinatorial ? 1.0 / 50
                              : kind == LaplacianKind::normalized  ? std::sqrt(qi * qj) / volume
                                                                   : qj / volume;
      // 1e5 x degree jumps, 1e-16 apiece; Euler's pivots lose as many digits.
      EXPECT_NEAR(heat(3, 40) / expected, 1.0, 1e-9) << to_string(kind) << to_string(method);
    }
  }
}

TEST(HeatKernel, ScalesWithTheGraph) {
  const std::vector<Triplet> edges = {{0, 1, 1.0}, {1, 2, 0.5}, {2, 3, 2.0}, {0, 3, 0.1}};
  std::vector<Triplet> huge = edges;
  for (Triplet& e : huge) e.value *= 1e120;
  for (const auto method : all_methods) {
    const Matrix<double> a = kernel_of(build_laplacian(graph_of(4, edges)), method, 2.0)->dense();
    const Matrix<double> b = kernel_of(build_laplacian(graph_of(4, huge)), method, 2e-120)->dense();
    EXPECT_LT(largest_difference(a, b), absolute);
  }
}

// What the documents call the condition: jumps and hops times the share by which weights are off.
TEST(HeatKernel, EntriesMoveNoMoreThanJumpsAndHopsTimesTheErrorOfTheWeights) {
  const std::size_t n = 60;
  const double share = 1e-6;
  Rng rng(3, "test.condition");
  Graph graph = strip_graph(n, 10, 1.2);
  Graph changed = graph;
  for (std::size_t i = 0; i < n; ++i) {
    const auto columns = changed.weights.row_indices(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (static_cast<std::size_t>(columns[k]) < i) continue;
      const double factor = 1 + share * (2 * rng.uniform() - 1);
      changed.weights.row_values(i)[k] *= factor;
      const auto other =
          changed.weights.find(static_cast<std::size_t>(columns[k]), static_cast<Index>(i));
      changed.weights.values[other] *= factor;
    }
  }
  for (const double time : {0.01, 1.0, 30.0}) {
    const Laplacian laplacian = build_laplacian(graph);
    const Matrix<double> before = heat_kernel(laplacian, {.time = time})->dense();
    const Matrix<double> after = heat_kernel(build_laplacian(changed), {.time = time})->dense();
    // On 60 points no two are more than 59 hops apart.
    const double most = share * (2 * time * laplacian.largest_diagonal + 59);
    const double found = largest_relative_difference(before, after);
    EXPECT_LT(found, most) << time;
    EXPECT_GT(found, share / 10) << time;  // it does move
  }
}

TEST(HeatKernel, RefusesBlocksPointsAndLaplaciansThatDoNotFit) {
  const Laplacian laplacian = build_laplacian(path_graph(5));
  const Matrix<double> short_block(4, 1);
  const std::vector<Index> outside = {0, 5};
  for (const auto method : all_methods) {
    const auto kernel = kernel_of(laplacian, method, 1.0);
    EXPECT_THROW(kernel->apply(short_block), InvalidArgument);
    EXPECT_THROW(kernel->rows(outside), InvalidArgument);
    Laplacian odd = laplacian;
    odd.matrix.values[odd.matrix.find(0, 1)] = 0.5;
    EXPECT_THROW(kernel_of(odd, method, 1.0), InvalidArgument);
  }
}

TEST(HeatKernel, StopsWhenAsked) {
  const auto kernel = heat_kernel(build_laplacian(strip_graph(100, 5, 0.9)), {.time = 5});
  std::atomic<bool> stop{true};
  Context context;
  context.stop = &stop;
  EXPECT_THROW(kernel->dense(context), Stopped);
  std::size_t n_reports = 0;
  Context watching;
  watching.on_progress = [&](const Progress& progress) {
    EXPECT_LE(progress.done, progress.total);
    ++n_reports;
    return Next::go_on;
  };
  kernel->dense(watching);
  EXPECT_GT(n_reports, 0U);
}

}  // namespace
}  // namespace geotherm
