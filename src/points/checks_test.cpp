// The first odd value is named by its place; what is finite passes.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "geotherm/points.hpp"

namespace geotherm {
namespace {

template <class T>
std::string complaint_about(const Matrix<T>& points) {
  try {
    require_finite(MatrixView<const T>(points));
  } catch (const InvalidArgument& e) {
    return e.what();
  }
  return "";
}

template <class T>
class Checks : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Checks, Floats);

TYPED_TEST(Checks, NameRowAndColumnOfTheFirstOddValue) {
  using Limits = std::numeric_limits<TypeParam>;
  Matrix<TypeParam> points(20, 7, TypeParam{1});
  EXPECT_EQ(complaint_about(points), "");
  points(18, 0) = Limits::infinity();
  points(17, 3) = Limits::quiet_NaN();
  EXPECT_EQ(complaint_about(points).rfind("row 17, column 3 is NaN: ", 0), 0U);
  points(17, 3) = 0;
  EXPECT_EQ(complaint_about(points).rfind("row 18, column 0 is infinite: ", 0), 0U);
  points(18, 0) = -Limits::infinity();
  EXPECT_EQ(complaint_about(points).rfind("row 18, column 0 is minus infinity: ", 0), 0U);
}

TYPED_TEST(Checks, LetEveryFiniteValuePass) {
  using Limits = std::numeric_limits<TypeParam>;
  Matrix<TypeParam> points(1, 5);
  points(0, 0) = Limits::max();
  points(0, 1) = Limits::lowest();
  points(0, 2) = Limits::denorm_min();
  points(0, 3) = -TypeParam{0};
  EXPECT_EQ(complaint_about(points), "");
}

TYPED_TEST(Checks, RefuseEmptyTablesAndSkipWhatLiesBetweenRows) {
  EXPECT_NE(complaint_about(Matrix<TypeParam>(0, 3)).find("0 rows"), std::string::npos);
  EXPECT_NE(complaint_about(Matrix<TypeParam>(3, 0)).find("0 columns"), std::string::npos);
  Matrix<TypeParam> wide(4, 5, TypeParam{1});
  for (std::size_t i = 0; i < 4; ++i) wide(i, 4) = std::numeric_limits<TypeParam>::quiet_NaN();
  EXPECT_NO_THROW(require_finite(MatrixView<const TypeParam>{wide.data(), 4, 4, 5}));
}

}  // namespace
}  // namespace geotherm
