// The one way a map lies on the page, and the way one map is laid over another.
#include <gtest/gtest.h>

#include "embedding/maps_for_tests.hpp"

namespace geotherm {
namespace {

using namespace testing;

Matrix<double> moved(const Matrix<double>& points, double angle, bool is_mirrored, double scale,
                     double shift) {
  Matrix<double> result(points.rows(), 2);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double x = points(i, 0), y = is_mirrored ? -points(i, 1) : points(i, 1);
    result(i, 0) = scale * (std::cos(angle) * x - std::sin(angle) * y) + shift;
    result(i, 1) = scale * (std::sin(angle) * x + std::cos(angle) * y) - 2 * shift;
  }
  return result;
}

TEST(Orient, CentresAndOrdersTheAxesAndFixesTheirSigns) {
  for (const double scale : {1.0, 1e-150, 1e150}) {
    Matrix<double> y = random_points(80, 3, 1);
    for (std::size_t i = 0; i < 80; ++i) {
      y(i, 0) = scale * (y(i, 0) + y(i, 2));
      y(i, 1) *= 3 * scale;
      y(i, 2) *= 2 * scale;
    }
    const Matrix<double> before = y;
    y = oriented(std::move(y));
    double variance[3] = {}, largest[3] = {};
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        double sum = 0, mean = 0;
        for (std::size_t i = 0; i < 80; ++i) {
          sum += (y(i, a) / scale) * (y(i, b) / scale);
          mean += y(i, a) / scale;
        }
        EXPECT_NEAR(mean, 0, 1e-11);
        if (a == b) variance[a] = sum;
        if (a != b) {
          EXPECT_NEAR(sum, 0, 1e-10);
        }
      }
      for (std::size_t i = 0; i < 80; ++i) {
        if (std::abs(y(i, a)) > std::abs(largest[a])) largest[a] = y(i, a);
      }
      EXPECT_GT(largest[a], 0);
    }
    EXPECT_GT(variance[0], variance[1]);
    EXPECT_GT(variance[1], variance[2]);
    for (std::size_t i = 1; i < 80; ++i) {
      EXPECT_NEAR(distance(y, 0, i) / distance(before, 0, i), 1, 1e-12);
    }
  }
}

TEST(Orient, BringsTurnedMirroredAndShiftedMapsToTheSamePlace) {
  Matrix<double> points = random_points(60, 2, 2);
  for (std::size_t i = 0; i < 60; ++i) points(i, 0) *= 2;
  Matrix<double> expected = points;
  expected = oriented(std::move(expected));
  for (const double angle : {0.3, 1.7, 4.0}) {
    for (const bool is_mirrored : {false, true}) {
      Matrix<double> y = moved(points, angle, is_mirrored, 1, 5);
      y = oriented(std::move(y));
      for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(y.data()[i], expected.data()[i], 1e-12);
      }
    }
  }
}

TEST(Orient, TakesSinglePointsAndPointsInOnePlace) {
  Matrix<double> none(0, 2), one(1, 2, 3.0), same(5, 2, 7.5);
  none = oriented(std::move(none));
  one = oriented(std::move(one));
  same = oriented(std::move(same));
  EXPECT_EQ(one(0, 0), 0);
  for (std::size_t i = 0; i < same.size(); ++i) EXPECT_EQ(same.data()[i], 0);
}

TEST(Procrustes, UndoesRotationReflectionScaleAndShift) {
  const Matrix<double> reference = random_points(40, 2, 3);
  for (const double scale : {1.0, 1e-150, 1e150}) {
    const Procrustes p = procrustes(reference, moved(reference, 2.1, true, 3 * scale, scale));
    EXPECT_LT(p.disparity, 1e-26);
    EXPECT_NEAR(p.scale * 3 * scale, 1, 1e-12);
    for (std::size_t i = 0; i < reference.size(); ++i) {
      EXPECT_NEAR(p.aligned.data()[i], reference.data()[i], 1e-12);
    }
  }
}

TEST(Procrustes, LeavesTheLeastResidualOfAnySimilarity) {
  const Matrix<double> reference = random_points(30, 2, 4), moving = random_points(30, 2, 5);
  const Procrustes p = procrustes(reference, moving);
  EXPECT_GT(p.disparity, 0.1);
  EXPECT_LE(p.disparity, 1);
  double squares = 0, residual = 0, mean[2] = {};
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t k = 0; k < 2; ++k) mean[k] += reference(i, k) / 30;
  }
  const auto misfit = [&](const Matrix<double>& y) {
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      sum += std::pow(y.data()[i] - reference.data()[i], 2);
    }
    return sum;
  };
  residual = misfit(p.aligned);
  for (std::size_t i = 0; i < 30; ++i) {
    for (std::size_t k = 0; k < 2; ++k) squares += std::pow(reference(i, k) - mean[k], 2);
  }
  EXPECT_NEAR(p.disparity, residual / squares, 1e-14);
  for (const double angle : {-0.05, 0.0, 0.05}) {
    for (const double scale : {0.95, 1.0, 1.05}) {
      for (const double shift : {-0.02, 0.0, 0.02}) {
        EXPECT_GE(misfit(moved(p.aligned, angle, false, scale, shift)), residual * (1 - 1e-12));
      }
    }
  }
}

TEST(Procrustes, TakesPointsInOnePlace) {
  const Matrix<double> points = random_points(6, 2, 1), same(6, 2, 2.0);
  EXPECT_NEAR(procrustes(points, same).disparity, 1, 1e-14);
  EXPECT_TRUE(all_finite(procrustes(points, same).aligned));
  EXPECT_EQ(procrustes(same, points).disparity, 0);
  EXPECT_EQ(procrustes(same, same).aligned(3, 1), 2.0);
}

TEST(Procrustes, RefusesMapsThatDoNotMatch) {
  EXPECT_NE(complaint_of([] {
              (void)procrustes(random_points(5, 2, 1), random_points(4, 2, 1));
            }).find("moving is 4 x 2"),
            std::string::npos);
  EXPECT_NE(complaint_of([] {
              (void)procrustes(random_points(5, 2, 1), Matrix<double>(5, 2, std::nan("")));
            }).find("moving"),
            std::string::npos);
}

}  // namespace
}  // namespace geotherm
