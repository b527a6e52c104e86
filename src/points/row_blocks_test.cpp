// PCA of a table that comes in blocks of rows, or in float32: the same as of the whole in double.
#include <gtest/gtest.h>

#include "geotherm/points.hpp"
#include "points/points_testing.hpp"

namespace geotherm {
namespace {

using testing::BlocksOf;
using testing::gaussian_table;
using testing::same_bits;

/// Values that float32 holds.
Matrix<double> single_table(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix<double> table = gaussian_table(rows, cols, seed);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) {
      table(i, j) = static_cast<float>(3 + table(i, j) / static_cast<double>(1 + j % 7));
    }
  }
  return table;
}

void expect_same(const Pca& a, const Pca& b) {
  EXPECT_TRUE(same_bits(a.scores, b.scores));
  EXPECT_TRUE(same_bits(a.components, b.components));
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.singular_values, b.singular_values);
}

TEST(PcaOfBlocks, HasTheBitsOfTheWholeTableForAnyShapeAndThreads) {
  // 4,194,304 numbers make a slab: the first table has several of them, in which blocks of every
  // pass end in other places; the second one group of products and more rows than a chunk; the
  // third many groups.
  for (const auto& [rows, cols] :
       {std::pair<std::size_t, std::size_t>{9001, 700}, {2500, 30}, {200001, 25}}) {
    const Matrix<double> table = single_table(rows, cols, rows);
    Matrix<float> narrow(rows, cols);
    std::copy(table.data(), table.data() + table.size(), narrow.data());
    const Pca whole = pca(table, {.rank = 6});
    expect_same(pca(narrow.view(), {.rank = 6}), whole);
    testing::with_threads(0, [&](const Context& context) {
      BlocksOf blocks(table);
      expect_same(pca(blocks, {.rank = 6}, context), whole);
      EXPECT_EQ(blocks.n_passes, 4);
    });
  }
}

TEST(PcaOfBlocks, ChoosesTheRankAsTheWholeTableDoes) {
  Matrix<double> table = gaussian_table(3000, 20, 4);
  for (std::size_t i = 0; i < table.rows(); ++i) table(i, 3) *= 50;
  BlocksOf blocks(table);
  const Pca found = pca(blocks);
  expect_same(found, pca(table));
  EXPECT_EQ(found.components.rows(), 1u);
}

TEST(PcaOfBlocks, FewerRowsThanColumnsAgreeToRounding) {
  const Matrix<double> table = gaussian_table(40, 90, 4);
  BlocksOf blocks(table);
  // 1e-9: the Gram matrix on one side and the covariance matrix on the other, both in double.
  EXPECT_LT(
      testing::largest_difference(pca(blocks, {.rank = 5}).scores, pca(table, {.rank = 5}).scores),
      1e-9);
}

TEST(PcaOfBlocks, AgreesAtBothEndsOfTheRangeOfNumbers) {
  for (const double scale : {1e-200, 1e200}) {
    Matrix<double> table = gaussian_table(300, 8, 4);
    for (std::size_t k = 0; k < table.size(); ++k) table.data()[k] *= scale;
    BlocksOf blocks(table);
    expect_same(pca(blocks, {.rank = 3}), pca(table, {.rank = 3}));
  }
}

TEST(PcaOfBlocks, NamesTheRowOfANaN) {
  Matrix<double> table = gaussian_table(9001, 700, 4);
  table(8990, 41) = NAN;
  BlocksOf blocks(table);
  try {
    pca(blocks, {.rank = 3});
    FAIL() << "nothing was thrown";
  } catch (const InvalidData& error) {
    EXPECT_NE(std::string(error.what()).find("row 8990, column 41 is NaN"), std::string::npos);
  }
}

TEST(PcaOfBlocks, RefusesWhatItCannotDo) {
  const Matrix<double> table = gaussian_table(50, 8, 4);
  BlocksOf blocks(table);
  EXPECT_THROW(pca(blocks, {.rank = 9}), InvalidArgument);
  const Matrix<double> wide(2, 3001);
  BlocksOf of_wide(wide);
  EXPECT_THROW(pca(of_wide, {.rank = 1}), InvalidArgument);
  const Matrix<double> empty(0, 3);
  BlocksOf of_empty(empty);
  EXPECT_THROW(pca(of_empty, {.rank = 1}), InvalidArgument);
}

TEST(PcaOfBlocks, ATableThatLosesRowsWhileItIsReadIsRefused) {
  const Matrix<double> table = gaussian_table(50, 8, 4);
  BlocksOf blocks(table);
  blocks.n_rows = 49;
  EXPECT_THROW(pca(blocks, {.rank = 2}), IoError);
}

TEST(PcaOfBlocks, CanBeStoppedBetweenSlabs) {
  const Matrix<double> table = gaussian_table(50, 8, 4);
  BlocksOf blocks(table);
  Context context;
  context.on_progress = [](const Progress& progress) {
    return progress.stage == "reading rows" ? Next::stop_here : Next::go_on;
  };
  EXPECT_THROW(pca(blocks, {.rank = 2}, context), Stopped);
}

TEST(IsPrincipalComponents, SaysTheSameOfFloat32) {
  for (const bool is_reduced : {false, true}) {
    Matrix<double> table = gaussian_table(400, 6, 4);
    for (std::size_t i = 0; i < table.rows(); ++i) table(i, 1) += 2 * table(i, 0);
    if (is_reduced) table = pca(table, {.rank = 6}).scores;
    Matrix<float> narrow(table.rows(), table.cols());
    for (std::size_t k = 0; k < table.size(); ++k) {
      narrow.data()[k] = static_cast<float>(table.data()[k]);
    }
    EXPECT_EQ(is_principal_components(narrow.view()), is_reduced);
  }
}

}  // namespace
}  // namespace geotherm
