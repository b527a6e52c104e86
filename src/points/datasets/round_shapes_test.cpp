// Circle, sphere, torus and path: on the shape, uniform on it, and distances that can be checked
// in closed form or bounded by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geotherm/points.hpp"
#include "points/datasets/sample.hpp"

namespace geotherm {
namespace {

constexpr double pi = std::numbers::pi;

TEST(Circle, MeasuresArcs) {
  const Dataset circle = synthesize(Shape::circle, {.n = 400, .noise = 0});
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_NEAR(std::hypot(circle.X(i, 0), circle.X(i, 1)), 1, 1e-15);
    for (std::size_t j = 0; j < i; ++j) {
      const double cross = circle.X(i, 0) * circle.X(j, 1) - circle.X(i, 1) * circle.X(j, 0);
      const double dot = circle.X(i, 0) * circle.X(j, 0) + circle.X(i, 1) * circle.X(j, 1);
      // Angles near 2 pi are held to 1e-15, and so are their differences.
      EXPECT_NEAR(circle.geodesic(i, j), std::atan2(std::abs(cross), dot), 4e-15);
      EXPECT_LE(circle.geodesic(i, j), pi);
    }
  }
}

TEST(Sphere, IsUniformByArea) {
  const std::size_t n = 30000;
  const Dataset sphere = synthesize(Shape::sphere, {.n = n, .noise = 0, .geodesic_limit = 0});
  double moments[3][3] = {};
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(std::hypot(sphere.X(i, 0), sphere.X(i, 1), sphere.X(i, 2)), 1, 1e-15);
    EXPECT_NEAR(std::cos(sphere.t[i]), sphere.X(i, 2), 1e-15);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) moments[a][b] += sphere.X(i, a) * sphere.X(i, b) / n;
    }
  }
  // Second moments are 1/3 on the diagonal; var(x^2) = 4/45, var(xy) = 1/15; five standard errors.
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      EXPECT_NEAR(moments[a][b], a == b ? 1.0 / 3 : 0.0, 5 * std::sqrt(4.0 / 45 / n));
    }
  }
}

TEST(Sphere, MeasuresTinyAndNearlyOppositeAnglesToTheLastDigits) {
  for (const double angle : {1e-12, 1e-6, 0.3, pi / 2, 3.0, pi - 1e-6}) {
    detail::Sample sample;
    sample.coordinates = Matrix<double>(2, 3);
    sample.coordinates(0, 0) = 1;
    sample.coordinates(1, 0) = std::cos(angle);
    sample.coordinates(1, 1) = std::sin(angle);
    const Matrix<double> d = detail::sphere_distances(sample, {});
    EXPECT_NEAR(d(0, 1), angle, 1e-15 * angle);
    EXPECT_EQ(d(0, 0), 0);
  }
}

TEST(Torus, IsUniformByAreaAndOnTheSurface) {
  const std::size_t n = 30000;
  const Dataset torus = synthesize(Shape::torus, {.n = n, .noise = 0, .geodesic_limit = 0});
  double mean_cos = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double from_axis = std::hypot(torus.X(i, 0), torus.X(i, 1));
    EXPECT_NEAR(std::hypot(from_axis - 3, torus.X(i, 2)), 1, 1e-14);
    EXPECT_NEAR(from_axis, 3 + std::cos(torus.coordinates(i, 1)), 1e-14);
    mean_cos += std::cos(torus.coordinates(i, 1)) / n;
  }
  // The density in the small angle is (3 + cos) / 6 pi, so the mean of its cosine is 1/6.
  EXPECT_NEAR(mean_cos, 1.0 / 6, 5 * std::sqrt(0.5 / n));
}

TEST(Torus, HasDistancesNoShorterThanTheSurfaceAllows) {
  const Dataset torus = synthesize(Shape::torus, {.n = 1000, .noise = 0});
  double longest = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto turn = [&](std::size_t which) {
        const double between = std::abs(torus.coordinates(i, which) - torus.coordinates(j, which));
        return std::min(between, 2 * pi - between);
      };
      // Every metre around costs at least the inner radius 2, every one across the radius 1. Edges
      // are chords, shorter than their arcs by less than 15 % at this spacing.
      const double bound = std::max(2 * turn(0), turn(1));
      EXPECT_GE(torus.geodesic(i, j), 0.85 * bound);
      longest = std::max(longest, torus.geodesic(i, j));
    }
  }
  // Half way around the axis is 2 pi on the inside; half way across adds at most pi, and zigzag
  // along neighbours a fifth.
  EXPECT_LT(longest, 1.2 * (2 * pi + pi));
  EXPECT_GT(longest, 2 * pi);
}

TEST(Path, HasPointsOneApart) {
  const Dataset path = synthesize(Shape::path, {.n = 30, .noise = 0});
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(path.X(i, 0), static_cast<double>(i));
    for (std::size_t j = 0; j < 30; ++j) {
      EXPECT_EQ(path.geodesic(i, j), std::abs(static_cast<double>(i) - static_cast<double>(j)));
    }
  }
}

}  // namespace
}  // namespace geotherm
