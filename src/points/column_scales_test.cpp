#include <gtest/gtest.h>

#include <cmath>

#include "geotherm/columns.hpp"
#include "geotherm/points.hpp"

namespace geotherm {
namespace {

Matrix<double> table() {
  Matrix<double> rows(200, 3);
  Rng rng(1, "table");
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    rows(i, 0) = 5 + 0.01 * rng.normal();
    rows(i, 1) = 1e6 * rng.normal();
    rows(i, 2) = 7;  // constant
  }
  return rows;
}

MatrixView<double> all_of(Matrix<double>& rows) {
  return {rows.data(), rows.rows(), rows.cols(), rows.cols()};
}

TEST(ColumnScales, StandardisedColumnsAreThoseOfStandardize) {
  Matrix<double> rows = table();
  const Matrix<double> expected = standardize(rows.view());
  apply_scales(column_scales(rows.view(), ColumnScaling::standardise), all_of(rows));
  // 1e-9: a mean of 5 beside a deviation of 0.01 costs three digits of double.
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_NEAR(rows.data()[k], expected.data()[k], 1e-9);
  }
}

TEST(ColumnScales, RobustScalesIgnoreAFewOutliers) {
  Matrix<double> rows = table();
  const ColumnScales before = column_scales(rows.view(), ColumnScaling::robust);
  for (std::size_t i = 0; i < 10; ++i) rows(i, 1) = 1e12;
  const ColumnScales after = column_scales(rows.view(), ColumnScaling::robust);
  EXPECT_NEAR(after.scale[1] / before.scale[1], 1, 0.2);
  EXPECT_LT(column_scales(rows.view(), ColumnScaling::standardise).scale[1],
            1e-3 * before.scale[1]);
  EXPECT_EQ(after.scale[2], 1);
  EXPECT_EQ(after.shift[2], 7);
}

TEST(ColumnScales, DeviationsAreFoundWhateverTheUnit) {
  Matrix<double> rows(4, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    rows(i, 0) = (i % 2 == 0 ? 1e200 : -1e200);
    rows(i, 1) = 1e-200 * static_cast<double>(i % 2);
  }
  const std::vector<double> deviations = column_deviations(rows.view());
  EXPECT_NEAR(deviations[0] / 1e200, 1, 1e-12);
  EXPECT_NEAR(deviations[1] / 0.5e-200, 1, 1e-12);
  rows(0, 0) = std::nan("");
  EXPECT_THROW(column_scales(rows.view(), ColumnScaling::robust), InvalidArgument);
}

TEST(ColumnScales, NamesAreKnownInBothSpellings) {
  EXPECT_EQ(column_scaling_named("standardize"), ColumnScaling::standardise);
  EXPECT_EQ(column_scaling_named("robust"), ColumnScaling::robust);
  EXPECT_FALSE(column_scaling_named("much").has_value());
}

}  // namespace
}  // namespace geotherm
