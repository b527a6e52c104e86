// The kernel by eigendecomposition: its limits; its values are checked with the other kernels.
#include <gtest/gtest.h>

#include "heat/high_precision.hpp"
#include "heat/test_graphs.hpp"

namespace geotherm {
namespace {

using namespace testing;

TEST(Exact, IsRightToItsResolution) {
  const Graph graph = strip_graph(24, 4, 1.0);
  for (const auto kind : all_kinds) {
    for (const double time : {0.1, 10.0}) {
      const auto kernel =
          heat_kernel(build_laplacian(graph, kind), {.time = time, .method = KernelMethod::exact});
      const Matrix<double> heat = kernel->dense();
      const Square expected = reference_heat(graph, kind, time);
      for (std::size_t i = 0; i < 24; ++i) {
        for (std::size_t j = 0; j < 24; ++j) {
          // A few times 1e-15: n roundings in eigenvectors and product.
          EXPECT_NEAR(heat(i, j), static_cast<double>(expected(i, j)),
                      4 * kernel->report().resolution);
        }
      }
    }
  }
}

TEST(Exact, RefusesMorePointsThanItCanDecomposeAndNamesTheRemedy) {
  Graph graph;
  graph.weights = sparse_from_triplets(20001, 20001, {});
  try {
    heat_kernel(build_laplacian(graph), {.method = KernelMethod::exact});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("20001 points"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("uniformization"), std::string::npos);
  }
}

}  // namespace
}  // namespace geotherm
