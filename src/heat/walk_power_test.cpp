// Powers of a random walk against naive products.
#include <gtest/gtest.h>

#include <cmath>

#include "heat/test_graphs.hpp"

namespace geotherm {
namespace {

using namespace testing;

/// Self-weight 1, rows normalised: not symmetric.
SparseMatrix walk_of(const Graph& graph) {
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < graph.n_points(); ++i) {
    double sum = 1;
    for (const double w : graph.weights.row_values(i)) sum += w;
    entries.push_back({static_cast<Index>(i), static_cast<Index>(i), 1 / sum});
    const auto columns = graph.weights.row_indices(i);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      entries.push_back({static_cast<Index>(i), columns[k], graph.weights.row_values(i)[k] / sum});
    }
  }
  return sparse_from_triplets(graph.n_points(), graph.n_points(), entries);
}

TEST(WalkPower, IsTheRepeatedProductInEveryForm) {
  const SparseMatrix walk = walk_of(strip_graph(70, 8, 0.9));
  const Matrix<double> one_step = to_dense(walk);
  Matrix<double> expected = one_step;
  int n_done = 1;
  for (const int steps : {1, 2, 3, 9}) {
    for (; n_done < steps; ++n_done) expected = product(expected, one_step);
    const auto kernel = walk_power(walk, steps);
    EXPECT_FALSE(kernel->is_symmetric());
    EXPECT_EQ(kernel->report().order, steps);
    EXPECT_EQ(kernel->report().method, KernelMethod::walk_power);
    const Matrix<double> power = kernel->dense();
    // Only non-negative numbers are added: each entry is right to its own size.
    EXPECT_LT(largest_relative_difference(power, expected), 1e-13);
    const std::vector<Index> points = {69, 3, 3};
    const Matrix<double> rows = kernel->rows(points);
    const Matrix<double> general_rows = kernel->DiffusionKernel::rows(points);
    for (std::size_t r = 0; r < points.size(); ++r) {
      for (std::size_t j = 0; j < 70; ++j) {
        const double value = power(static_cast<std::size_t>(points[r]), j);
        EXPECT_NEAR(rows(r, j), value, 1e-14 * value);
        EXPECT_NEAR(general_rows(r, j), value, 1e-14 * value);
      }
    }
    const std::vector<double> diagonal = kernel->diagonal();
    for (std::size_t i = 0; i < 70; ++i) EXPECT_NEAR(diagonal[i], power(i, i), 1e-15);
    Matrix<double> block(70, 5);
    Rng rng(1, "block");
    for (std::size_t k = 0; k < block.size(); ++k) block.data()[k] = rng.normal();
    EXPECT_LT(largest_difference(kernel->apply(block), product(power, block)), 1e-13);
  }
}

TEST(WalkPower, IsExactlyZeroBeyondItsSteps) {
  const Matrix<double> power = walk_power(walk_of(path_graph(40)), 7)->dense();
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      const std::size_t hops = i > j ? i - j : j - i;
      EXPECT_EQ(power(i, j) > 0, hops <= 7);
    }
  }
}

TEST(WalkPower, FollowsOneWayStreets) {
  // 0 -> 1 -> 2 -> 2: pattern not symmetric.
  const SparseMatrix walk = sparse_from_triplets(3, 3, {{0, 1, 1.0}, {1, 2, 1.0}, {2, 2, 1.0}});
  const Matrix<double> power = walk_power(walk, 2)->dense();
  EXPECT_EQ(power(0, 2), 1.0);
  EXPECT_EQ(power(0, 1), 0.0);
  EXPECT_EQ(power(2, 0), 0.0);
  Matrix<double> last(3, 1);
  last(2, 0) = 1;
  EXPECT_EQ(walk_power(walk, 2)->apply(last)(0, 0), 1.0);
}

TEST(WalkPower, HasTheSameBitsForAnyNumberOfThreads) {
  const SparseMatrix walk = walk_of(strip_graph(200, 12, 0.9));
  const auto kernel = walk_power(walk, 12);
  const Matrix<double> dense = kernel->dense();
  for (const std::size_t n_threads : {2, 8}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    EXPECT_TRUE(same_bits(kernel->dense(context), dense));
  }
}

TEST(WalkPower, RefusesWhatIsNoWalk) {
  const SparseMatrix walk = walk_of(path_graph(4));
  EXPECT_THROW(walk_power(walk, 0), InvalidArgument);
  EXPECT_THROW(walk_power(sparse_from_triplets(2, 2, {{0, 0, 1.0}, {1, 0, 0.5}}), 1),
               InvalidArgument);
  EXPECT_THROW(walk_power(sparse_from_triplets(2, 2, {{0, 0, 1.0}, {1, 0, 2.0}, {1, 1, -1.0}}), 1),
               InvalidArgument);
  EXPECT_THROW(walk_power(sparse_from_triplets(2, 3, {{0, 0, 1.0}, {1, 0, 1.0}}), 1),
               InvalidArgument);
  EXPECT_EQ(walk_power(sparse_from_triplets(1, 1, {{0, 0, 1.0}}), 5)->dense()(0, 0), 1.0);
}

}  // namespace
}  // namespace geotherm
