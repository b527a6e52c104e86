// Stress and weights against their formulas, written out pair by pair.
#include <gtest/gtest.h>

#include "embedding/maps_for_tests.hpp"
#include "embedding/pair_pass.hpp"

namespace geotherm {
namespace {

using namespace testing;

TEST(Stress, EqualsTheFormulaForAnyNumberOfComponentsAndPoints) {
  // 257 and 600 cut the pairs into several tiles; 1 to 5 components run through every kernel.
  for (const std::size_t n : {2, 3, 33, 257, 600}) {
    const Matrix<double> d = random_dissimilarity(n, n), w = random_weights(n, n);
    for (std::size_t k = 1; k <= 5; ++k) {
      const Matrix<double> y = random_points(n, k, 10 + k);
      EXPECT_NEAR(stress(d, {}, y) / naive_stress(d, nullptr, y), 1, 1e-13) << n << " " << k;
      EXPECT_NEAR(stress(d, w, y) / naive_stress(d, &w, y), 1, 1e-13) << n << " " << k;
    }
  }
}

TEST(Stress, IsNoughtForTheTrueMapAndOneForASinglePoint) {
  const Matrix<double> points = random_points(50, 3, 1);
  const Matrix<double> d = distances_of(points);
  EXPECT_LT(stress(d, {}, points), 1e-30);
  EXPECT_NEAR(stress(d, {}, Matrix<double>(50, 3)), 1, 1e-14);
  EXPECT_EQ(stress(Matrix<double>(4, 4), {}, Matrix<double>(4, 2)), 0);
  EXPECT_EQ(stress(Matrix<double>(1, 1), {}, Matrix<double>(1, 2)), 0);
}

TEST(Stress, DoesNotDependOnTheUnitOrOnTheDiagonal) {
  const Matrix<double> y = random_points(40, 2, 1);
  const Matrix<double> d = random_dissimilarity(40, 2), w = random_weights(40, 3);
  const double expected = stress(d, w, y);
  for (const double unit : {1e-150, 1e150, 1e-300, 1e300}) {
    Matrix<double> scaled_d = d, scaled_w = w, scaled_y = y;
    for (std::size_t i = 0; i < d.size(); ++i) scaled_d.data()[i] *= unit;
    for (std::size_t i = 0; i < w.size(); ++i) scaled_w.data()[i] /= unit;
    for (std::size_t i = 0; i < y.size(); ++i) scaled_y.data()[i] *= unit;
    EXPECT_NEAR(stress(scaled_d, scaled_w, scaled_y) / expected, 1, 1e-12) << unit;
  }
  Matrix<double> odd = d;
  for (std::size_t i = 0; i < 40; ++i) odd(i, i) = std::nan("");
  EXPECT_EQ(stress(odd, w, y), expected);
}

TEST(Stress, HasTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> d = random_dissimilarity(700, 4), y = random_points(700, 2, 5);
  const double alone = stress(d, {}, y);
  for (const std::size_t n_threads : {2, 8}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    EXPECT_EQ(stress(d, {}, y, context), alone);
  }
}

TEST(PairPass, WritesHalfTheGradientOfTheStress) {
  const std::size_t n = 300, k = 2;  // two blocks
  const Matrix<double> d = random_dissimilarity(n, 6), w = random_weights(n, 7);
  for (const bool is_weighted : {false, true}) {
    const detail::Problem problem = detail::checked_problem(
        d, is_weighted ? w.view() : MatrixView<const double>{}, MdsWeights::none, {});
    const Matrix<double> y = random_points(n, k, 8);
    detail::Layout x = detail::layout_of(y, 1), pull(k, n);
    const Context context;
    detail::PairPass(problem, k, context)(x, pull);
    for (const std::size_t i : {0, 1, 130, 255, 256, 299}) {
      for (std::size_t c = 0; c < k; ++c) {
        double expected = 0;
        for (std::size_t j = 0; j < n; ++j) {
          if (i == j) continue;
          const double weight = is_weighted ? w(i, j) * problem.weighting.value_unit : 1;
          const double length = d(i, j) * problem.unit;
          expected += weight * (1 - length / distance(y, i, j)) * (y(i, c) - y(j, c));
        }
        EXPECT_NEAR(pull(c, i), expected, 1e-11);
      }
    }
  }
}

TEST(PairPass, TakesPointsInOnePlaceWithoutHarm) {
  const Matrix<double> d = random_dissimilarity(20, 6);
  const detail::Problem problem = detail::checked_problem(d, {}, MdsWeights::none, {});
  detail::Layout x(2, 20), pull(2, 20);
  const Context context;
  const double raw = detail::PairPass(problem, 2, context)(x, pull);
  EXPECT_NEAR(raw, detail::weight_totals(problem, context).squares, 1e-12);
  for (std::size_t i = 0; i < pull.size(); ++i) EXPECT_EQ(pull.data()[i], 0);
}

TEST(Weights, OnTheWayEqualThoseOfTheirFormula) {
  const std::size_t n = 400;
  Matrix<double> d = random_dissimilarity(n, 9);
  d(3, 5) = d(5, 3) = 0;     // twins
  d(3, 6) = d(6, 3) = 1e-9;  // nearly so
  std::vector<double> positive;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (d(i, j) > 0) positive.push_back(d(i, j));
    }
  }
  std::nth_element(positive.begin(), positive.begin() + (positive.size() - 1) / 2, positive.end());
  const double median = positive[(positive.size() - 1) / 2];
  // Counting by the upper 32 bits leaves 20 of the mantissa.
  EXPECT_NEAR(detail::median_distance(d, {}) / median, 1, 1e-6);

  Matrix<double> inverse(n, n), gaussian(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      inverse(i, j) = 1 / std::max(d(i, j), 1e-3 * median);
      gaussian(i, j) = std::exp(-std::pow(d(i, j) / median, 2));
    }
  }
  const Matrix<double> y = random_points(n, 2, 10);
  const auto stress_by = [&](MdsWeights kind) {
    return Smacof(d, {}, y, {.weights = kind}).embedding().stress;
  };
  EXPECT_NEAR(stress_by(MdsWeights::inverse) / naive_stress(d, &inverse, y), 1, 1e-6);
  EXPECT_NEAR(stress_by(MdsWeights::gaussian) / naive_stress(d, &gaussian, y), 1, 1e-6);
}

TEST(Weights, OfGaussiansAreRightToRoundingFarOut) {
  Matrix<double> d(1, 64);
  for (std::size_t j = 0; j < 64; ++j) d(0, j) = 0.4 * static_cast<double>(j);
  const detail::Weighting weighting{.kind = detail::Weighting::Kind::gaussian, .length = 1};
  std::vector<double> w(64);
  weighting.fill(nullptr, d.data(), 1.0, 64, w.data());
  for (std::size_t j = 0; j < 64; ++j) {
    const double exponent = -d(0, j) * d(0, j);
    const double expected = std::exp(std::max(exponent, -700.0));
    EXPECT_NEAR(w[j] / expected, 1, 1e-13) << d(0, j);  // 1e-13: an ulp of an exponent of 625
  }
}

TEST(Inputs, AreRefusedByNameAndPlace) {
  const Matrix<double> good = random_dissimilarity(6, 1), y = random_points(6, 2, 1);
  const auto complaint = [&](const Matrix<double>& d) {
    return complaint_of([&] { (void)stress(d, {}, y); });
  };
  EXPECT_EQ(complaint(good), "");
  const auto with = [&](double a, double b) {
    Matrix<double> d = good;
    d(2, 4) = a;
    d(4, 2) = b;
    return complaint(d);
  };
  EXPECT_NE(with(std::nan(""), 1).find("distances(2, 4)"), std::string::npos);
  EXPECT_NE(with(1, INFINITY).find("finite"), std::string::npos);
  EXPECT_NE(with(-0.5, -0.5).find(">= 0"), std::string::npos);
  EXPECT_NE(with(1, 1.01).find("symmetric"), std::string::npos);
  EXPECT_EQ(with(1, 1 + 1e-9), "");
  EXPECT_NE(complaint(Matrix<double>(6, 5)).find("6 x 5"), std::string::npos);
  EXPECT_NE(complaint(Matrix<double>()).find("0 x 0"), std::string::npos);
  EXPECT_NE(complaint_of([&] { (void)stress(good, {}, random_points(5, 2, 1)); }).find("5 x 2"),
            std::string::npos);

  Matrix<double> w = random_weights(6, 1);
  EXPECT_EQ(complaint_of([&] { (void)stress(good, w, y); }), "");
  w(0, 1) = w(1, 0) = -1e-12;  // rounding of a kernel
  EXPECT_EQ(complaint_of([&] { (void)stress(good, w, y); }), "");
  w(0, 1) = w(1, 0) = -1;
  EXPECT_NE(complaint_of([&] { (void)stress(good, w, y); }).find("weights(0, 1)"),
            std::string::npos);
  EXPECT_NE(complaint_of([&] { (void)stress(good, Matrix<double>(6, 6), y); }).find("all 0"),
            std::string::npos);
  EXPECT_NE(complaint_of([&] { (void)stress(good, random_weights(5, 1), y); }).find("5 x 5"),
            std::string::npos);
}

}  // namespace
}  // namespace geotherm
