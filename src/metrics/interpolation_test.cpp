// The interpolation score: a straight course is met exactly; order, units, refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "geotherm/metrics.hpp"
#include "metrics/test_points.hpp"

#define GEOTHERM_NEEDS_TRANSPORT() \
  if (!has_exact_transport()) GTEST_SKIP() << "SKIPPED: built without LEMON"

namespace geotherm {
namespace {

using namespace testing;

/// `n_times` copies of a cloud of n points, each moved on by (1, 2); times -1, 0, 1, ...
struct Course {
  Matrix<double> points;
  std::vector<double> times;
};
Course straight_course(std::size_t n, std::size_t n_times) {
  const auto cloud = random_points(n, 2, 1);
  Course course{Matrix<double>(n * n_times, 2), {}};
  for (std::size_t i = 0; i < n * n_times; ++i) {
    const auto time = static_cast<double>(i % n_times);
    course.points(i, 0) = cloud(i / n_times, 0) + time;
    course.points(i, 1) = cloud(i / n_times, 1) + 2 * time;
    course.times.push_back(time - 1);
  }
  return course;
}

TEST(Interpolation, OfACourseThatMovesStraightIsExact) {
  GEOTHERM_NEEDS_TRANSPORT();
  const auto course = straight_course(20, 5);
  const auto score = score_interpolation(course.points, course.times);
  EXPECT_EQ(score.times, (std::vector<double>{0, 1, 2}));
  ASSERT_EQ(score.distances.size(), 3U);
  for (const double distance : score.distances) EXPECT_NEAR(distance, 0.0, 1e-14);
}

TEST(Interpolation, MeasuresHowFarAHeldOutTimeLiesOffTheMiddle) {
  GEOTHERM_NEEDS_TRANSPORT();
  // One point a time on an axis: 0, 1, 4; mean 5/3, deviation sqrt(26)/3. The middle is 2, off
  // by 1.
  const auto points = matrix_of({{4.0}, {0.0}, {1.0}});
  const auto score = score_interpolation(points, std::vector<double>{30, 10, 20});
  EXPECT_NEAR(score.mean, 3 / std::sqrt(26.0), 1e-15);
  EXPECT_EQ(score.times, std::vector<double>{20});
}

TEST(Interpolation, DoesNotDependOnUnitsOfTheAxesAndSkipsConstantOnes) {
  GEOTHERM_NEEDS_TRANSPORT();
  const auto points = random_points(45, 2, 2);
  std::vector<double> times(45);
  for (std::size_t i = 0; i < 45; ++i) times[i] = static_cast<double>(i % 3);
  Matrix<double> other(45, 3, 7.25);
  for (std::size_t i = 0; i < 45; ++i) {
    other(i, 0) = points(i, 0) * 0x1p500;
    other(i, 1) = points(i, 1) * 0x1p-500;
  }
  EXPECT_EQ(score_interpolation(points, times).mean, score_interpolation(other, times).mean);
}

TEST(Interpolation, IsTheSameForAnyNumberOfThreads) {
  GEOTHERM_NEEDS_TRANSPORT();
  const auto points = random_points(211, 2, 3);
  std::vector<double> times(211);
  for (std::size_t i = 0; i < 211; ++i) times[i] = static_cast<double>((i * i) % 7);
  const auto alone = score_interpolation(points, times);
  EXPECT_GT(alone.mean, 0.0);
  for_numbers_of_threads([&](const Context& context) {
    EXPECT_EQ(score_interpolation(points, times, context).distances, alone.distances);
  });
}

TEST(Interpolation, NeedsThreeDistinctTimes) {
  const auto points = random_points(4, 2, 4);
  EXPECT_NE(refusal([&] {
              score_interpolation(points, std::vector<double>{1, 2, 1, 2});
            }).find("2 distinct"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              score_interpolation(points, std::vector<double>{1, 2, 3});
            }).find("3 times for 4 points"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              score_interpolation(points, std::vector<double>{1, std::nan(""), 3, 4});
            }).find("times[1]"),
            std::string::npos);
}

}  // namespace
}  // namespace geotherm
