#include "geotherm/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "points/points_testing.hpp"

namespace geotherm {
namespace {

using testing::gaussian_table;
using testing::same_bits;

MatrixView<const double> rows_of(const Matrix<double>& table, std::size_t begin, std::size_t end) {
  return {table.row(begin).data(), end - begin, table.cols(), table.cols()};
}

TEST(Moments, OfBlocksAddUpToThoseOfTheTable) {
  Matrix<double> table = gaussian_table(701, 6, 3);
  for (std::size_t i = 0; i < table.rows(); ++i) table(i, 2) += 1e6;  // far from the origin
  const Moments whole = moments_of(table.view());
  Moments sum;
  for (std::size_t k = 0; k < 701; k += 100) {
    sum = merged(sum, moments_of(rows_of(table, k, std::min<std::size_t>(701, k + 100))));
  }
  EXPECT_EQ(sum.n_rows, 701);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(sum.mean[i], whole.mean[i], 1e-12 * (1 + std::abs(whole.mean[i])));
    for (std::size_t j = 0; j < 6; ++j) {
      // The mean of 1e6 has an error of 1e-10, which enters squared and times the rows.
      EXPECT_NEAR(sum.scatter(i, j), whole.scatter(i, j), 1e-6);
    }
  }
  EXPECT_THROW(merged(sum, moments_of(gaussian_table(5, 3, 1).view())), InvalidArgument);
}

TEST(Moments, GiveThePcaOfTheTable) {
  const Dataset roll =
      synthesize(Shape::swiss_roll, {.n = 900, .noise = 0.3, .dim = 20, .geodesic_limit = 0});
  const Pca expected = pca(roll.X);
  const Pca found = pca(merged(moments_of(rows_of(roll.X, 0, 400)),
                               moments_of(rows_of(roll.X, 400, 900))));
  ASSERT_EQ(found.components.rows(), 3U);
  ASSERT_EQ(expected.components.rows(), 3U);
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_NEAR(found.singular_values[r], expected.singular_values[r],
                1e-9 * expected.singular_values[0]);
    for (std::size_t j = 0; j < 20; ++j) {
      EXPECT_NEAR(found.components(r, j), expected.components(r, j), 1e-8);
    }
  }
  EXPECT_TRUE(found.scores.empty());
  EXPECT_EQ(pca(moments_of(roll.X.view()), {.rank = 5}).components.rows(), 5U);
  EXPECT_THROW(pca(moments_of(roll.X.view()), {.rank = 21}), InvalidArgument);
}

TEST(Moments, RefuseWhatIsNotFiniteAndHaveTheSameBitsOnAnyThreads) {
  Matrix<double> table = gaussian_table(5000, 4, 8);
  const Moments alone = moments_of(table.view());
  testing::with_threads(0, [&](const Context& context) {
    EXPECT_TRUE(same_bits(moments_of(table.view(), context).scatter, alone.scatter));
  });
  table(17, 2) = std::nan("");
  EXPECT_THROW(moments_of(table.view()), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
