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
  std::vector<Moments> parts;
  for (std::size_t k = 0; k < 701; k += 100) {
    parts.push_back(moments_of(rows_of(table, k, std::min<std::size_t>(701, k + 100))));
  }
  const Moments sum = merged(std::vector<MomentsView>(parts.begin(), parts.end()));
  EXPECT_EQ(sum.n_rows, 701);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(sum.mean[i], whole.mean[i], 1e-12 * (1 + std::abs(whole.mean[i])));
    for (std::size_t j = 0; j < 6; ++j) {
      // The mean of 1e6 has an error of 1e-10, which enters squared and times the rows.
      EXPECT_NEAR(sum.scatter(i, j), whole.scatter(i, j), 1e-6);
    }
  }
  const Moments narrow = moments_of(gaussian_table(5, 3, 1).view());
  EXPECT_THROW(merged(std::vector<MomentsView>{sum, narrow}), InvalidArgument);
}

TEST(Moments, GiveThePcaOfTheTable) {
  const Dataset roll =
      synthesize(Shape::swiss_roll, {.n = 900, .noise = 0.3, .dim = 20, .geodesic_limit = 0});
  const Pca expected = pca(roll.X);
  const Moments first = moments_of(rows_of(roll.X, 0, 400));
  const Moments second = moments_of(rows_of(roll.X, 400, 900));
  const Pca found = pca(merged(std::vector<MomentsView>{first, second}));
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

TEST(Moments, SayWhetherColumnsArePrincipalComponents) {
  Matrix<double> table = gaussian_table(400, 12, 5);
  for (std::size_t j = 0; j < 12; ++j) {
    for (std::size_t i = 0; i < 400; ++i) table(i, j) *= 12.0 - static_cast<double>(j);
  }
  EXPECT_FALSE(is_principal_components(moments_of(table.view())));
  const Matrix<double> scores = pca(table, {.rank = 8}).scores;
  EXPECT_TRUE(is_principal_components(moments_of(scores.view())));
  EXPECT_TRUE(is_principal_components(scores));
}

TEST(Moments, OfManyColumnsAreThoseOfFewSlabs) {
  // Wide tables are taken in fewer slabs, so that scatter matrices do not pile up: the same sums.
  const Matrix<double> wide = gaussian_table(64, 1500, 4);
  const Moments all = moments_of(wide.view());
  for (const std::size_t j : {0U, 700U, 1499U}) {
    double sum = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      sum += (wide(i, j) - all.mean[j]) * (wide(i, 3) - all.mean[3]);
    }
    EXPECT_NEAR(all.scatter(j, 3), sum, 1e-10);
  }
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
