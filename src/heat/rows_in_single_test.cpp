// Rows by the short series against those of the exact kernel.
#include "heat/rows_in_single.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heat/test_graphs.hpp"

namespace geotherm {
namespace {

/// The largest relative error of the rows of every tenth point.
double largest_error(const Graph& graph, std::vector<Index> component, double time) {
  const Laplacian laplacian = build_laplacian(graph);
  const auto kernel = heat_kernel(laplacian, {.time = time});
  std::vector<Index> points;
  for (std::size_t i = 0; i < laplacian.size(); i += 10) points.push_back(static_cast<Index>(i));
  const Matrix<double> exact = kernel->rows(points);
  const Matrix<double> rows = detail::rows_in_single(*kernel, laplacian, component, points, {});
  double largest = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    if (exact.data()[k] == 0) {
      EXPECT_EQ(rows.data()[k], 0);
      continue;
    }
    largest = std::max(largest, std::abs(rows.data()[k] / exact.data()[k] - 1));
  }
  return largest;
}

TEST(RowsInSingle, AreRightInEveryEntryWhetherHeatIsEverywhereOrHardlyArrives) {
  const Graph strip = testing::strip_graph(600, 12, 0.5);
  for (const double time : {0.1, 2.0, 40.0}) {  // smallest entries from 1e-100 to 1e-4
    EXPECT_LT(largest_error(strip, std::vector<Index>(600, 0), time), 1e-6) << time;
  }
}

TEST(RowsInSingle, AreZeroAcrossComponents) {
  std::vector<Triplet> edges;
  std::vector<Index> component(80, 0);
  for (Index i = 1; i < 80; ++i) {
    if (i != 40) edges.push_back({i - 1, i, 1.0});
    if (i >= 40) component[static_cast<std::size_t>(i)] = 1;
  }
  EXPECT_LT(largest_error(testing::graph_of(80, edges), component, 400), 1e-6);
}

}  // namespace
}  // namespace geotherm
