// The parts under the kernels: numbering, products on blocks, tiles of symmetric matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heat/block_operator.hpp"
#include "heat/node_order.hpp"
#include "heat/symmetric_form.hpp"
#include "heat/symmetric_tiles.hpp"
#include "heat/test_graphs.hpp"

namespace geotherm::detail {
namespace {

using namespace testing;

TEST(NodeOrder, IsAPermutationWithComponentsInOnePiece) {
  const Graph graph = scattered_graph();
  const NodeOrder order = breadth_first_order(graph.weights);
  std::vector<Index> sorted = order.node;
  std::sort(sorted.begin(), sorted.end());
  for (Index i = 0; i < 30; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(order.n_components(), 2U + 1U + 8U);
  for (std::size_t c = 0; c < order.n_components(); ++c) {
    const auto centre = static_cast<std::size_t>(order.centre[c]);
    EXPECT_GE(centre, order.component_begin[c]);
    EXPECT_LT(centre, order.component_begin[c + 1]);
    for (std::size_t p = order.component_begin[c]; p < order.component_begin[c + 1]; ++p) {
      for (const Index j : graph.weights.row_indices(static_cast<std::size_t>(order.node[p]))) {
        const auto q = static_cast<std::size_t>(order.position[static_cast<std::size_t>(j)]);
        EXPECT_GE(q, order.component_begin[c]);
        EXPECT_LT(q, order.component_begin[c + 1]);
      }
    }
  }
}

TEST(NodeOrder, WalksAPathEndToEndAndFindsItsMiddle) {
  // A path whose points are numbered at random.
  std::vector<Index> name(41);
  std::iota(name.begin(), name.end(), 0);
  Rng rng(1, "names");
  rng.shuffle(std::span(name));
  std::vector<Triplet> edges;
  for (std::size_t i = 1; i < 41; ++i) edges.push_back({name[i - 1], name[i], 1.0});
  const NodeOrder order = breadth_first_order(graph_of(41, edges).weights);
  EXPECT_EQ(order.centre[0], 20);
  const bool forwards = order.node[0] == name[0];
  for (std::size_t p = 0; p < 41; ++p) EXPECT_EQ(order.node[p], name[forwards ? p : 40 - p]);
}

TEST(BlockOperator, MultipliesAndRecursLikeNaiveLoops) {
  const SparseMatrix a = build_laplacian(strip_graph(50, 4, 0.9)).matrix;
  const Matrix<double> dense = to_dense(a);
  const BlockOperator op(a);
  for (const std::size_t width : {narrow_block, wide_block}) {
    Block x(50, width), y(50, width), sum(50, width);
    Rng rng(3, "blocks");
    for (std::size_t k = 0; k < x.size(); ++k) {
      x.data()[k] = rng.normal();
      y.data()[k] = rng.normal();
      sum.data()[k] = rng.normal();
    }
    Matrix<double> old_y(50, width), old_sum(50, width), ax(50, width);
    for (std::size_t i = 0; i < 50; ++i) {
      for (std::size_t c = 0; c < width; ++c) {
        old_y(i, c) = y.row(i)[c];
        old_sum(i, c) = sum.row(i)[c];
        for (std::size_t j = 0; j < 50; ++j) ax(i, c) += dense(i, j) * x.row(j)[c];
      }
    }
    op.recur({0, 50}, x, y, 0.3, sum);
    for (std::size_t i = 0; i < 50; ++i) {
      for (std::size_t c = 0; c < width; ++c) {
        EXPECT_NEAR(y.row(i)[c], ax(i, c) - old_y(i, c), 1e-12);
        EXPECT_NEAR(sum.row(i)[c], old_sum(i, c) + 0.3 * (ax(i, c) - old_y(i, c)), 1e-12);
      }
    }
    op.multiply({10, 20}, x, y, -2.0, sum);
    for (std::size_t i = 10; i < 20; ++i) {
      for (std::size_t c = 0; c < width; ++c) EXPECT_NEAR(y.row(i)[c], ax(i, c), 1e-12);
    }
    EXPECT_NEAR(y.row(20)[0], ax(20, 0) - old_y(20, 0), 1e-12) << "rows outside were touched";
  }
}

TEST(BlockOperator, WindowsCoverWhateverAProductReaches) {
  const Graph graph = strip_graph(200, 20, 0.9);
  const SymmetricForm form = symmetric_form(build_laplacian(graph));
  const BlockOperator op(form.matrix);
  for (const std::size_t start : {0, 57, 199}) {
    Block x(200, narrow_block), y(200, narrow_block), unused(200, narrow_block);
    x.row(start)[3] = 1;
    Window rows = nonzero_rows(x);
    EXPECT_EQ(rows.begin, start);
    EXPECT_EQ(rows.end, start + 1);
    for (int k = 0; k < 6; ++k) {
      op.multiply({0, 200}, x, y, 0.0, unused);
      std::swap(x, y);
      rows = op.widened(rows);
      const Window reached = nonzero_rows(x);
      EXPECT_LE(rows.begin, reached.begin);
      EXPECT_GE(rows.end, reached.end);
    }
    EXPECT_LT(rows.end - rows.begin, 190U) << "the order does not keep neighbours together";
  }
}

TEST(GrowthRatios, AreInfiniteWhereSomethingNewIsReached) {
  Block x(2, narrow_block), y(2, narrow_block), z(2, narrow_block), sum(2, narrow_block);
  x.row(0)[0] = 1;
  y.row(0)[0] = 1;
  z.row(0)[0] = 3;
  sum.row(0)[0] = 8;
  GrowthRatios ratios = growth_ratios({0, 2}, x, y, z, sum);
  EXPECT_EQ(ratios.step, 2.0);
  EXPECT_EQ(ratios.against_sum, 0.5);
  z.row(1)[2] = 1e-10;
  ratios = growth_ratios({0, 2}, x, y, z, sum);
  EXPECT_GT(ratios.step, 1e290);
}

TEST(SymmetricTiles, SquareLikeANaiveProductAndComeBackInAnyOrder) {
  for (const std::size_t n : {1, 31, 300, 600}) {
    Rng rng(n, "tiles");
    Matrix<double> full(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        // A zero tile in the corner, as between components.
        full(i, j) = i > n / 2 && j < n / 2 ? 0.0 : rng.uniform();
        full(j, i) = full(i, j);
      }
    }
    SymmetricTiles tiles(n), squared(n);
    for (std::size_t first = 0; first < n; first += wide_block) {
      Block block(n, wide_block);
      const std::size_t n_columns = std::min(wide_block, n - first);
      for (std::size_t i = 0; i < n; ++i) {
        std::copy_n(&full(i, first), n_columns, block.row(i));
      }
      tiles.put_columns(first, n_columns, block);
    }
    tiles.note_zeros({});
    for (std::size_t t = 0; t < tiles.n_tiles(); ++t) tiles.multiply_tile(t, tiles, squared);
    std::vector<Index> node(n);
    for (std::size_t i = 0; i < n; ++i) node[i] = static_cast<Index>(n - 1 - i);
    Matrix<double> out(n, n, -1.0);
    for (std::size_t t = 0; t < tiles.n_tiles(); ++t) squared.copy_tile(t, node, 0.0, out);
    const Matrix<double> expected = product(full, full);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        ASSERT_NEAR(out(n - 1 - i, n - 1 - j), expected(i, j), 1e-12 * static_cast<double>(n));
        ASSERT_EQ(out(i, j), out(j, i));
      }
    }
  }
}

}  // namespace
}  // namespace geotherm::detail
