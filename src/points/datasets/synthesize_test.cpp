// What all shapes promise: valid options, sizes, distances that are distances, noise as asked,
// rotations that keep distances, and the same bits for the same seed.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "geotherm/points.hpp"
#include "points/datasets/sample.hpp"
#include "points/points_testing.hpp"

namespace geotherm {
namespace {

using testing::same_bits;

Context seeded(std::uint64_t seed) {
  Context context;
  context.seed = seed;
  return context;
}

struct Named {
  Shape shape;
  const char* name;
  std::size_t dim;
};
const std::vector<Named> shapes = {{Shape::swiss_roll, "swiss-roll", 3},
                                   {Shape::tree, "tree", 10},
                                   {Shape::blobs, "blobs", 10},
                                   {Shape::circle, "circle", 2},
                                   {Shape::sphere, "sphere", 3},
                                   {Shape::torus, "torus", 3},
                                   {Shape::path, "path", 1}};

double distance(const Matrix<double>& points, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t j = 0; j < points.cols(); ++j) sum += std::pow(points(a, j) - points(b, j), 2);
  return std::sqrt(sum);
}

TEST(Synthesize, KnowsItsShapesByName) {
  for (const auto& [shape, name, dim] : shapes) EXPECT_EQ(shape_named(name), shape);
  EXPECT_EQ(shape_named("swiss_roll"), Shape::swiss_roll);
  EXPECT_EQ(shape_named("moebius"), std::nullopt);
  EXPECT_EQ(shape_named(""), std::nullopt);
}

TEST(Synthesize, GivesTheShapesAskedFor) {
  for (const auto& [shape, name, dim] : shapes) {
    const Dataset data = synthesize(shape, {.n = 203, .branches = 4});
    EXPECT_EQ(data.X.rows(), 203U) << name;
    EXPECT_EQ(data.X.cols(), dim) << name;
    EXPECT_EQ(data.geodesic.rows(), 203U) << name;
    EXPECT_EQ(data.geodesic.cols(), 203U) << name;
    EXPECT_EQ(data.coordinates.rows(), 203U) << name;
    EXPECT_EQ(data.t.size(), shape == Shape::blobs ? 0U : 203U) << name;
    const bool has_labels =
        shape == Shape::swiss_roll || shape == Shape::tree || shape == Shape::blobs;
    EXPECT_EQ(data.label.size(), has_labels ? 203U : 0U) << name;
    const Dataset large =
        synthesize(shape, {.n = 203, .dim = 40, .branches = 4, .geodesic_limit = 202});
    EXPECT_EQ(large.X.cols(), 40U) << name;
    EXPECT_TRUE(large.geodesic.empty()) << name;
    EXPECT_EQ(large.coordinates.rows(), 203U) << name;
  }
}

TEST(Synthesize, GivesDistancesThatAreAMetricAndNoShorterThanStraightLines) {
  for (const auto& [shape, name, dim] : shapes) {
    const Dataset data = synthesize(shape, {.n = 120, .noise = 0, .branches = 3});
    const Matrix<double>& g = data.geodesic;
    for (std::size_t i = 0; i < 120; ++i) {
      EXPECT_EQ(g(i, i), 0) << name;
      for (std::size_t j = 0; j < 120; ++j) {
        EXPECT_EQ(g(i, j), g(j, i)) << name;
        EXPECT_TRUE(std::isfinite(g(i, j))) << name;
        EXPECT_GE(g(i, j), distance(data.X, i, j) * (1 - 1e-12) - 1e-12) << name;
        for (std::size_t k = 0; k < 120; k += 7) {
          EXPECT_LE(g(i, j), (g(i, k) + g(k, j)) * (1 + 1e-12) + 1e-12) << name;
        }
      }
    }
  }
}

TEST(Synthesize, TurnsIntoMoreDimensionsWithoutStretching) {
  for (const auto& [shape, name, dim] : shapes) {
    if (shape == Shape::tree || shape == Shape::blobs) continue;
    const Dataset own = synthesize(shape, {.n = 60, .noise = 0});
    const Dataset turned = synthesize(shape, {.n = 60, .noise = 0, .dim = 17});
    EXPECT_TRUE(same_bits(own.geodesic, turned.geodesic)) << name;
    for (std::size_t i = 0; i < 60; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double before = distance(own.X, i, j);
        EXPECT_NEAR(distance(turned.X, i, j), before, 1e-12 * (1 + before)) << name;
      }
    }
    // No coordinate of the turned shape is left empty.
    for (std::size_t j = 0; j < 17; ++j) EXPECT_NE(turned.X(5, j), 0) << name;
  }
}

// The first axis of a uniformly random rotation is uniform on the sphere: mean 0, variance 1/d.
TEST(Synthesize, TurnsByUniformlyRandomRotations) {
  const int n_seeds = 2000;
  double mean = 0, variance = 0;
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    Matrix<double> unit(1, 2);
    unit(0, 0) = 1;
    const double x = detail::into_ambient(std::move(unit), 5, seeded(seed))(0, 2);
    mean += x / n_seeds;
    variance += x * x / n_seeds;
  }
  // Five standard errors; the variance of x^2 on the sphere in 5-d is 8/175.
  EXPECT_NEAR(mean, 0, 5 * std::sqrt(0.2 / n_seeds));
  EXPECT_NEAR(variance, 0.2, 5 * std::sqrt(8.0 / 175 / n_seeds));
}

TEST(Synthesize, AddsNoiseOfTheDeviationAskedForAndNothingElse) {
  for (const auto& [shape, name, dim] : shapes) {
    const Dataset clean =
        synthesize(shape, {.n = 2000, .noise = 0, .dim = 10, .geodesic_limit = 0});
    const Dataset noisy =
        synthesize(shape, {.n = 2000, .noise = 0.7, .dim = 10, .geodesic_limit = 0});
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < 2000; ++i) {
      for (std::size_t j = 0; j < 10; ++j) {
        const double difference = noisy.X(i, j) - clean.X(i, j);
        mean += difference / 20000;
        variance += difference * difference / 20000;
      }
    }
    EXPECT_NEAR(mean, 0, 5 * 0.7 / std::sqrt(20000)) << name;
    EXPECT_NEAR(variance, 0.49, 5 * 0.49 * std::sqrt(2.0 / 20000)) << name;
    EXPECT_TRUE(same_bits(noisy.coordinates, clean.coordinates)) << name;
  }
}

TEST(Synthesize, GivesTheSameBitsForASeedOnAnyNumberOfThreads) {
  for (const auto& [shape, name, dim] : shapes) {
    const SynthOptions options{.n = 600, .dim = 12};
    const Dataset alone = synthesize(shape, options, seeded(42));
    testing::with_threads(42, [&, which = shape, called = name](const Context& context) {
      const Dataset other = synthesize(which, options, context);
      EXPECT_TRUE(same_bits(other.X, alone.X)) << called;
      EXPECT_TRUE(same_bits(other.geodesic, alone.geodesic)) << called;
      EXPECT_TRUE(same_bits(other.coordinates, alone.coordinates)) << called;
      EXPECT_EQ(other.t, alone.t) << called;
      EXPECT_EQ(other.label, alone.label) << called;
    });
    EXPECT_FALSE(same_bits(synthesize(shape, options, seeded(43)).X, alone.X)) << name;
  }
}

TEST(Synthesize, ManagesTheSmallestSizes) {
  for (const auto& [shape, name, dim] : shapes) {
    for (const std::size_t n : {2U, 3U}) {
      const Dataset data = synthesize(shape, {.n = n, .branches = 1});
      EXPECT_EQ(data.X.rows(), n) << name;
      EXPECT_GT(data.geodesic(0, 1), 0) << name;
    }
  }
}

TEST(Synthesize, NamesEveryInvalidField) {
  for (const auto& [shape, name, dim] : shapes) {
    EXPECT_TRUE(issues_with(shape, SynthOptions{}).empty()) << name;
  }
  const auto complaint = [](Shape shape, const SynthOptions& options) {
    const auto all = issues_with(shape, options);
    EXPECT_EQ(all.size(), 1U);
    EXPECT_THROW(synthesize(shape, options), InvalidArgument);
    return all.empty() ? "" : all[0].substr(0, all[0].find(':'));
  };
  EXPECT_EQ(complaint(Shape::path, {.n = 1}), "n is 1");
  EXPECT_EQ(complaint(Shape::circle, {.noise = -1}), "noise is -1.000000");
  EXPECT_EQ(complaint(Shape::circle, {.noise = NAN}), "noise is nan");
  EXPECT_EQ(complaint(Shape::circle, {.noise = INFINITY}), "noise is inf");
  EXPECT_EQ(complaint(Shape::swiss_roll, {.dim = 2}), "dim is 2");
  EXPECT_EQ(complaint(Shape::circle, {.dim = 1}), "dim is 1");
  EXPECT_EQ(complaint(Shape::tree, {.dim = 0}), "dim is 0");
  EXPECT_EQ(complaint(Shape::swiss_roll, {.width = 0}), "width is 0.000000");
  EXPECT_EQ(complaint(Shape::tree, {.branches = 0}), "branches is 0");
  EXPECT_EQ(complaint(Shape::blobs, {.n = 9, .branches = 5}), "branches is 5");
  // All at once; and fields that a shape does not use do not trouble it.
  EXPECT_EQ(issues_with(Shape::tree, {.n = 1, .noise = -1, .dim = 0, .branches = 0}).size(), 4U);
  EXPECT_TRUE(issues_with(Shape::circle, {.n = 5, .branches = 0, .width = -1}).empty());
}

TEST(Synthesize, StopsWhenAsked) {
  const std::atomic<bool> stop{true};
  Context context;
  context.stop = &stop;
  EXPECT_THROW(synthesize(Shape::tree, {.n = 100}, context), Stopped);
  Context other;
  other.on_progress = [](const Progress& p) {
    return p.stage == "true distances" && p.done > 0 ? Next::stop_here : Next::go_on;
  };
  EXPECT_THROW(synthesize(Shape::circle, {.n = 1000}, other), Stopped);
}

}  // namespace
}  // namespace geotherm
