#include "heat/row_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace geotherm::detail {
namespace {

/// side x side points, each joined to itself and to the four beside it.
SparseMatrix grid(std::size_t side) {
  SparseMatrix a;
  a.rows = a.cols = side * side;
  a.offsets.assign(1, 0);
  for (std::size_t i = 0; i < a.rows; ++i) {
    const std::size_t x = i % side, y = i / side;
    const auto add = [&](std::size_t j) {
      a.indices.push_back(static_cast<Index>(j));
      a.values.push_back(1 + std::sin(static_cast<double>(i + j)));
    };
    if (y > 0) add(i - side);
    if (x > 0) add(i - 1);
    add(i);
    if (x + 1 < side) add(i + 1);
    if (y + 1 < side) add(i + side);
    a.offsets.push_back(a.indices.size());
  }
  return a;
}

/// A x as the tiles have it; rows without tiles as A has them.
std::vector<double> product(const SparseMatrix& a, const RowTiles& tiles,
                            const std::vector<double>& x) {
  std::vector<double> y(a.rows, NAN);
  for (const RowTiles::Group& g : tiles.groups) {
    for (std::size_t s = g.first_strip; s < g.first_strip + g.n_strips; ++s) {
      for (std::size_t r = 0; r < tiles.strip_rows; ++r) {
        const Index i = tiles.rows[s * tiles.strip_rows + r];
        if (i == RowTiles::none) continue;
        double sum = 0;
        if (g.n_columns == 0) {
          const auto columns = a.row_indices(static_cast<std::size_t>(i));
          const auto values = a.row_values(static_cast<std::size_t>(i));
          for (std::size_t e = 0; e < columns.size(); ++e) {
            sum += values[e] * x[static_cast<std::size_t>(columns[e])];
          }
        }
        const RowTiles::Strip& strip = tiles.strips[s];
        for (std::size_t k = strip.first_step; k < strip.first_step + strip.n_steps; ++k) {
          for (std::size_t c = 0; c < n_column_classes; ++c) {
            const std::size_t place = tiles.places[n_column_classes * k + c];
            EXPECT_EQ(place % n_column_classes, c);
            EXPECT_LT(place, g.n_columns);
            const Index column = tiles.columns[g.first_column + place];
            sum += tiles.weights[(k * tiles.strip_rows + r) * n_column_classes + c] *
                   x[static_cast<std::size_t>(column)];
          }
        }
        y[static_cast<std::size_t>(i)] = sum;
      }
    }
  }
  return y;
}

void expect_whole(const SparseMatrix& a, const TileLimits& limits) {
  const RowTiles tiles = tiles_of(a, limits);
  std::vector<Index> rows;
  for (const Index i : tiles.rows) {
    if (i != RowTiles::none) rows.push_back(i);
  }
  std::ranges::sort(rows);
  ASSERT_EQ(rows.size(), a.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(rows[i]), i);
  for (const RowTiles::Group& g : tiles.groups) {
    EXPECT_LE(g.n_columns * limits.column_room + g.n_paid * limits.step_room, limits.room);
    std::size_t n_paid = 0;
    for (std::size_t s = g.first_strip; s < g.first_strip + g.n_strips; ++s) {
      EXPECT_EQ(tiles.strips[s].first_paid, n_paid);
      const std::size_t n_steps = tiles.strips[s].n_steps;
      n_paid += n_steps - std::min(n_steps, limits.free_steps);
    }
    EXPECT_EQ(g.n_paid, n_paid);
    EXPECT_LE(g.n_strips * limits.strip, limits.rows);
    for (std::size_t s = g.first_strip; s < g.first_strip + g.n_strips; ++s) {
      EXPECT_EQ(tiles.strips[s].n_steps % limits.at_once, 0U);
    }
  }
  std::vector<double> x(a.cols);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::cos(3.0 * static_cast<double>(i));
  const std::vector<double> found = product(a, tiles, x);
  for (std::size_t i = 0; i < a.rows; ++i) {
    double expected = 0;
    for (std::size_t e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
      expected += a.values[e] * x[static_cast<std::size_t>(a.indices[e])];
    }
    EXPECT_NEAR(found[i], expected, 1e-13);
  }
}

TEST(RowTiles, MultiplyAsTheMatrixDoes) {
  for (const std::size_t side : {1U, 2U, 9U, 40U}) {
    expect_whole(grid(side), {});
    expect_whole(grid(side), {.rows = 32,
                              .strip = 8,
                              .room = 110,
                              .step_room = 2,
                              .free_steps = 3,
                              .at_once = 2});
    expect_whole(grid(side), {.rows = 64, .strip = 16, .room = 33, .step_room = 1});
    expect_whole(grid(side), {.rows = 16, .strip = 16, .room = 4});  // most stand alone
  }
}

TEST(RowTiles, AreCompact) {
  // A square of 8 x 8 reads 64 + 32 others, 1.5 a row; one of 4 x 4 reads 32, so 8 steps.
  const SparseMatrix a = grid(80);
  const RowTiles tiles = tiles_of(a, {});
  EXPECT_LT(static_cast<double>(tiles.columns.size()), 1.75 * static_cast<double>(a.rows));
  EXPECT_LT(static_cast<double>(tiles.places.size() / n_column_classes),
            10.0 * static_cast<double>(tiles.strips.size()));
}

TEST(RowTiles, TakeRowsWithoutEntriesAndNone) {
  SparseMatrix a;
  a.rows = a.cols = 5;
  a.offsets.assign(6, 0);
  expect_whole(a, {});
  // Empty ones beside others.
  a = grid(7);
  a.rows = a.cols = 60;
  a.offsets.resize(61, a.indices.size());
  expect_whole(a, {});
  a = SparseMatrix{};
  EXPECT_TRUE(tiles_of(a, {}).groups.empty());
}

TEST(RowTiles, RefuseStripsThatDoNotFit) {
  EXPECT_THROW(tiles_of(grid(3), {.rows = 40, .strip = 16}), std::invalid_argument);
  EXPECT_THROW(tiles_of(grid(3), {.rows = 64, .strip = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace geotherm::detail
