// Blobs: unit spread around centres that lie about ten apart, whatever the dimension.
#include <gtest/gtest.h>

#include <cmath>

#include "geotherm/points.hpp"

namespace geotherm {
namespace {

TEST(Blobs, HaveUnitSpreadAroundCentresTenApart) {
  for (const std::size_t dim : {2U, 10U, 60U}) {
    const std::size_t n_clusters = 40, size = 500;
    const Dataset blobs = synthesize(Shape::blobs, {.n = n_clusters * size,
                                                    .noise = 0,
                                                    .dim = dim,
                                                    .branches = n_clusters,
                                                    .geodesic_limit = 0});
    Matrix<double> centres(n_clusters, dim);
    for (std::size_t i = 0; i < blobs.X.rows(); ++i) {
      ASSERT_EQ(blobs.label[i], static_cast<Index>(i / size));
      for (std::size_t j = 0; j < dim; ++j) centres(i / size, j) += blobs.X(i, j) / size;
    }
    double within = 0, apart = 0;
    for (std::size_t i = 0; i < blobs.X.rows(); ++i) {
      for (std::size_t j = 0; j < dim; ++j) {
        within += std::pow(blobs.X(i, j) - centres(i / size, j), 2);
      }
    }
    const auto n_values = static_cast<double>(blobs.X.size());
    // A cluster's own mean takes one of its 500 degrees of freedom.
    EXPECT_NEAR(within / n_values, 1 - 1.0 / size, 5 * std::sqrt(2 / n_values));
    for (std::size_t a = 0; a < n_clusters; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        for (std::size_t j = 0; j < dim; ++j) {
          apart += std::pow(centres(a, j) - centres(b, j), 2) / (40 * 39 / 2);
        }
      }
    }
    // The mean squared distance is 100; its relative error is that of a variance from about
    // 39 x dim draws: four of them.
    EXPECT_NEAR(apart, 100, 100 * 4 * std::sqrt(2.0 / (39 * static_cast<double>(dim))));
  }
}

TEST(Blobs, MeasureStraightLinesBetweenPointsWithoutNoise) {
  const Dataset blobs = synthesize(Shape::blobs, {.n = 50, .noise = 3});
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < 10; ++j) {
        sum += std::pow(blobs.coordinates(i, j) - blobs.coordinates(k, j), 2);
      }
      EXPECT_NEAR(blobs.geodesic(i, k), std::sqrt(sum), 1e-13 * std::sqrt(sum));
    }
  }
}

}  // namespace
}  // namespace geotherm
