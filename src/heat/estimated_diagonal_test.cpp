// Estimated diagonals against those of the dense kernel.
#include "heat/estimated_diagonal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "heat/test_graphs.hpp"

namespace geotherm {
namespace {

/// Root mean square of the relative errors.
double error_of(std::span<const double> estimate, const Matrix<double>& kernel) {
  double sum = 0;
  for (std::size_t i = 0; i < estimate.size(); ++i) {
    sum += std::pow(estimate[i] / kernel(i, i) - 1, 2);
  }
  return std::sqrt(sum / static_cast<double>(estimate.size()));
}

TEST(EstimatedDiagonal, IsThatOfTheKernelToAFewPerCent) {
  const Laplacian laplacian = build_laplacian(testing::strip_graph(600, 12, 0.5));
  const double times[] = {2.0, 40.0};
  const Matrix<double> both = detail::estimated_diagonals(laplacian, times, 256, "test", {});
  for (std::size_t s = 0; s < 2; ++s) {
    const Matrix<double> kernel = heat_kernel(laplacian, {.time = times[s]})->dense({});
    // Hutchinson: sqrt(2 / 256) = 0.09 where rows are spread, less where they are not.
    EXPECT_LT(error_of(both.row(s), kernel), 0.1) << times[s];
    const auto half = heat_kernel(laplacian, {.time = times[s] / 2});
    std::vector<Index> points;
    for (Index p = 0; p < 600; p += 3) points.push_back(p);
    const Matrix<double> rows = heat_kernel(laplacian, {.time = times[s]})->rows(points);
    EXPECT_LT(error_of(detail::estimated_diagonal(rows, points, *half, {}), kernel), 0.06)
        << times[s];
  }
}

TEST(EstimatedDiagonal, HasTheSameBitsForAnyNumberOfThreads) {
  const Laplacian laplacian = build_laplacian(testing::strip_graph(200, 6, 0.5));
  const double times[] = {3.0};
  const Matrix<double> alone = detail::estimated_diagonals(laplacian, times, 40, "test", {});
  ThreadPool pool(4);
  const Matrix<double> together =
      detail::estimated_diagonals(laplacian, times, 40, "test", {.executor = &pool});
  EXPECT_TRUE(std::equal(alone.data(), alone.data() + alone.size(), together.data()));
}

}  // namespace
}  // namespace geotherm
