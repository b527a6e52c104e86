#include "collapsed.hpp"

#include <gtest/gtest.h>

namespace geotherm::cli {
namespace {

Matrix<double> cloud() {
  Rng rng(1, "collapsed");
  Matrix<double> map(100, 2);
  for (std::size_t k = 0; k < map.size(); ++k) map.data()[k] = rng.normal();
  return map;
}

TEST(Collapsed, IsAMapOfOnePlaceOrOfOnePlaceAndOutliers) {
  EXPECT_TRUE(is_collapsed(Matrix<double>(100, 2, 3.5)));
  Matrix<double> line = cloud();
  for (std::size_t i = 0; i < 100; ++i) line(i, 1) = 0;
  EXPECT_TRUE(is_collapsed(line));
  Matrix<double> outliers = cloud();
  for (std::size_t i = 0; i < 5; ++i) outliers(i, 0) = outliers(i, 1) = 1e6;
  EXPECT_TRUE(is_collapsed(outliers));
}

TEST(Collapsed, IsNoMapWithASpread) {
  EXPECT_FALSE(is_collapsed(cloud()));
  Matrix<double> clusters = cloud();  // half of the points far from the other half
  for (std::size_t i = 0; i < 50; ++i) clusters(i, 0) += 1e6;
  EXPECT_FALSE(is_collapsed(clusters));
  Matrix<double> tiny = cloud();
  for (std::size_t k = 0; k < tiny.size(); ++k) tiny.data()[k] *= 1e-200;
  EXPECT_FALSE(is_collapsed(tiny));
}

}  // namespace
}  // namespace geotherm::cli
