// Backward Euler against Gaussian elimination in 100 digits.
#include <gtest/gtest.h>

#include "heat/high_precision.hpp"
#include "heat/test_graphs.hpp"

namespace geotherm {
namespace {

using namespace testing;

TEST(Euler, IsRightInEveryEntryAsTheKernelItDefines) {
  for (const Graph& graph : {strip_graph(18, 6, 1.2), path_graph(18)}) {
    for (const auto kind : all_kinds) {
      for (const double time : {0.01, 1.0, 50.0}) {
        for (const int order : {1, 7, 30}) {
          const auto kernel =
              heat_kernel(build_laplacian(graph, kind),
                          {.time = time, .method = KernelMethod::euler, .order = order});
          // A pivot near 1 is the difference of numbers near 1 + time / order x degree: at most 300
          // here, so 1e-13 a step.
          EXPECT_LT(
              worst_relative_error(kernel->dense(), reference_euler(graph, kind, time, order)),
              1e-12 * order);
          EXPECT_EQ(kernel->report().resolution, 0);
        }
      }
    }
  }
}

TEST(Euler, TendsToTheHeatKernelAsStepsShorten) {
  const Laplacian laplacian = build_laplacian(strip_graph(40, 3, 0.9));
  const Matrix<double> heat = heat_kernel(laplacian, {.time = 2})->dense();
  double last = 1;
  for (const int order : {10, 100, 1000}) {
    const auto kernel =
        heat_kernel(laplacian, {.time = 2, .method = KernelMethod::euler, .order = order});
    const double error = largest_difference(kernel->dense(), heat);
    EXPECT_LT(error, 0.2 * last);  // first order: a tenth
    last = error;
  }
}

}  // namespace
}  // namespace geotherm
