// What the theory says of the heat-geodesic distance: order along circles, cycles and spheres,
// Varadhan's limit, the relation to PHATE, and random-walk kernels.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "dissimilarity/test_kernels.hpp"

namespace geotherm {
namespace {

using namespace geotherm::testing;
using std::numbers::pi;

// Distances of a homogeneous space from its first point: they have to rise with `truth`.
void expect_order_of(const Matrix<double>& d, const std::vector<double>& truth) {
  for (std::size_t i = 0; i < truth.size(); ++i) {
    for (std::size_t j = 0; j < truth.size(); ++j) {
      if (truth[i] < truth[j] - 1e-9) {
        ASSERT_LT(d(0, i), d(0, j)) << i << " " << j;
      }
    }
  }
}

TEST(HeatGeodesicLaws, KeepsTheOrderOfDistancesOnAnEquispacedCycle) {
  const std::size_t n = 41;
  // Times at which every entry is above 1e-9: the sum below is right to 1e-16 absolute.
  for (const double t : {20.0, 60.0, 120.0}) {
    Matrix<double> heat(n, n);
    std::vector<double> truth(n);
    for (std::size_t i = 0; i < n; ++i) {
      truth[i] = static_cast<double>(std::min(i, n - i));
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t apart = (i + n - j) % n;
        for (std::size_t k = 0; k < n; ++k) {
          const double angle = 2 * pi * static_cast<double>(k) / static_cast<double>(n);
          heat(i, j) += std::exp(-t * (2 - 2 * std::cos(angle))) *
                        std::cos(angle * static_cast<double>(apart)) / static_cast<double>(n);
        }
      }
    }
    for (const double sigma : {0.0, 1.0}) {
      expect_order_of(heat_geodesic(GivenKernel(heat, t), {.harnack = sigma}).values, truth);
    }
  }
}

// The circle's kernel as a wrapped Gaussian: only positive terms, right in every entry.
Matrix<double> heat_of_circle(std::size_t n, double t) {
  Matrix<double> heat(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double angle =
          2 * pi * (static_cast<double>(i) - static_cast<double>(j)) / static_cast<double>(n);
      for (int turn = -3; turn <= 3; ++turn) {
        const double arc = angle + 2 * pi * turn;
        heat(i, j) += std::exp(-arc * arc / (4 * t)) / std::sqrt(4 * pi * t);
      }
    }
  }
  return heat;
}

TEST(HeatGeodesicLaws, KeepsTheOrderOfDistancesOnTheCircle) {
  const std::size_t n = 60;
  std::vector<double> truth(n);
  for (std::size_t i = 0; i < n; ++i) truth[i] = static_cast<double>(std::min(i, n - i));
  for (const double t : {0.005, 0.1, 1.0, 2.5}) {
    const auto d = heat_geodesic(GivenKernel(heat_of_circle(n, t), t));
    EXPECT_EQ(d.unresolved_share, 0.0);
    expect_order_of(d.values, truth);
  }
}

TEST(HeatGeodesicLaws, BecomesTheArcLengthAsTimeGoesToZero) {
  const std::size_t n = 60;
  double last_error = 1e300;
  for (const double t : {0.1, 0.03, 0.01, 0.004}) {
    const auto d = heat_geodesic(GivenKernel(heat_of_circle(n, t), t)).values;
    double error = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const double arc = 2 * pi * static_cast<double>(std::min(j, n - j)) / static_cast<double>(n);
      error = std::max(error, std::abs(d(0, j) - arc));
    }
    // Opposite points have two ways: d^2 = pi^2 - 4t log 2, hence an error of 2t log 2 / pi.
    EXPECT_NEAR(error, 2 * t * std::log(2.0) / pi, 0.1 * t);
    EXPECT_LT(error, last_error);
    last_error = error;
  }
}

TEST(HeatGeodesicLaws, KeepsTheOrderOfDistancesOnTheSphere) {
  // Points spread along a spiral; h_t = sum (2l + 1) / 4 pi exp(-l (l + 1) t) P_l(cos).
  const std::size_t n = 80;
  std::vector<std::array<double, 3>> points(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double z = 1 - 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    const double turn = 2.399963229728653 * static_cast<double>(i);
    const double r = std::sqrt(1 - z * z);
    points[i] = {r * std::cos(turn), r * std::sin(turn), z};
  }
  for (const double t : {0.15, 0.5, 1.0}) {
    Matrix<double> heat(n, n);
    std::vector<double> truth(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double x = 0;
        for (int c = 0; c < 3; ++c) x += points[i][c] * points[j][c];
        x = i == j ? 1.0 : std::clamp(x, -1.0, 1.0);
        if (i == 0) truth[j] = std::acos(x);
        double before = 1, legendre = x;
        heat(i, j) = (1 + 3 * std::exp(-2 * t) * x) / (4 * pi);
        for (int l = 2; l <= 40; ++l) {
          const double next = ((2 * l - 1) * x * legendre - (l - 1) * before) / l;
          before = legendre;
          legendre = next;
          heat(i, j) += (2 * l + 1) * std::exp(-l * (l + 1) * t) * legendre / (4 * pi);
        }
      }
    }
    expect_order_of(heat_geodesic(GivenKernel(heat, t)).values, truth);
  }
}

TEST(HeatGeodesicLaws, WithoutVolumeTermItsSquaresGivePhatesPotentialDistance) {
  // PH^2 = sum_k (log H_ik - log H_jk)^2 = (1 / 4t)^2 ||d^2(i, .) - d^2(j, .)||^2, sigma = 0.
  const double t = 4.0;
  const std::size_t n = 50;
  const Matrix<double> heat = heat_of(random_weights(n, 5), t);
  Matrix<double> squares = heat_geodesic(GivenKernel(heat, t), {.harnack = 0}).values;
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : squares.row(i)) value *= value;
    squares(i, i) = -4 * t * std::log(heat(i, i));  // zeroed in the result, part of the relation
  }
  denoise_triplets(squares, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double potential = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double difference = std::log(heat(i, k)) - std::log(heat(j, k));
        potential += difference * difference;
      }
      EXPECT_NEAR(squares(i, j) / (4 * t), std::sqrt(potential), 1e-12);
    }
  }
}

TEST(HeatGeodesicLaws, TheRandomWalkKernelGivesTheNormalisedResult) {
  // exp(-t L_rw) = Q^-1/2 exp(-t L_norm) Q^1/2: the factors cancel in the mean over directions.
  const double t = 5.0;
  const std::size_t n = 70;
  const Matrix<double> w = random_weights(n, 6);
  const std::vector<double> q = degrees(w);
  const Matrix<double> normalised = heat_of(w, t, true);
  Matrix<double> walk = normalised;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) walk(i, j) *= std::sqrt(q[j] / q[i]);
  }
  for (const double sigma : {0.0, 1.0, 1.5}) {
    const auto a = heat_geodesic(GivenKernel(normalised, t), {.harnack = sigma}).values;
    const auto b = heat_geodesic(GivenKernel(walk, t, false), {.harnack = sigma}).values;
    // Equal squares to 4t 1e-15; the root makes 1e-7 of it where d is near 0.
    for (std::size_t e = 0; e < a.size(); ++e) {
      EXPECT_NEAR(a.data()[e] * a.data()[e], b.data()[e] * b.data()[e], 1e-12);
    }
  }
}

}  // namespace
}  // namespace geotherm
