// The potential distance, and distances between rows, against their formulas entry by entry.
#include <gtest/gtest.h>

#include <limits>

#include "dissimilarity/row_distances.hpp"
#include "dissimilarity/test_kernels.hpp"

namespace geotherm::testing {
namespace {

Matrix<double> random_rows(std::size_t n, std::size_t m, double scale) {
  Rng rng(3, "dissimilarity.test.rows");
  Matrix<double> rows(n, m);
  for (std::size_t e = 0; e < rows.size(); ++e) rows.data()[e] = scale * rng.normal();
  return rows;
}

double distance(std::span<const double> a, std::span<const double> b) {
  long double square = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const long double gap = static_cast<long double>(a[k]) - b[k];
    square += gap * gap;
  }
  return static_cast<double>(std::sqrt(square));
}

Matrix<double> potential_of(const Matrix<double>& kernel, double offset) {
  Matrix<double> u(kernel.rows(), kernel.cols());
  for (std::size_t e = 0; e < u.size(); ++e) u.data()[e] = -std::log(kernel.data()[e] + offset);
  return u;
}

TEST(RowDistances, AreThoseOfTheDefinitionForAnyShapeAndScale) {
  for (const auto& [n, m] : {std::pair<std::size_t, std::size_t>{300, 7}, {5, 700}, {1, 3}}) {
    for (const double scale : {1.0, 1e150, 1e-150}) {
      const Matrix<double> rows = random_rows(n, m, scale);
      const Matrix<double> d = detail::row_distances(rows, "test", {});
      ASSERT_TRUE(is_a_dissimilarity(d));
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const double expected = distance(rows.row(i), rows.row(j));
          EXPECT_NEAR(d(i, j), expected, 1e-9 * expected);
        }
      }
    }
  }
}

TEST(RowDistances, KeepTheirDigitsWhereRowsNearlyAgree) {
  Matrix<double> rows(3, 50, 1e6);
  rows(1, 7) += 1e-4;
  rows(2, 0) = 0;  // so that taking the mean away does not help
  const Matrix<double> d = detail::row_distances(rows, "test", {});
  // 1e6 + 1e-4 is itself rounded, by 1e-10.
  EXPECT_NEAR(d(0, 1), rows(1, 7) - 1e6, 1e-9);
}

TEST(RowDistances, RefuseWhatIsNotFinite) {
  Matrix<double> rows(3, 2);
  rows(1, 1) = std::nan("");
  EXPECT_THROW(detail::row_distances(rows, "test", {}), InvalidArgument);
}

TEST(Potential, IsTheDistanceBetweenLogarithmsOfRows) {
  const GivenKernel kernel(heat_of_path(60, 2.0), 2.0);
  for (const double offset : {1e-7, 1e-2}) {
    const Dissimilarity result = potential_distance(kernel, {.offset = offset});
    ASSERT_TRUE(is_a_dissimilarity(result.values));
    EXPECT_EQ(result.unresolved_treatment, "none");
    const Matrix<double> u = potential_of(kernel.entries(), offset);
    for (std::size_t i = 0; i < 60; ++i) {
      for (std::size_t j = 0; j < 60; ++j) {
        const double expected = distance(u.row(i), u.row(j));
        EXPECT_NEAR(result.values(i, j), expected, 1e-9 * (1 + expected));
      }
    }
  }
}

// PH^2 = (1/4t)^2 |d^2(i,.) - d^2(j,.)|^2 for sigma = 0. Our d^2 has a zero diagonal where the
// formula has -4t log H_ii, which is put back here.
TEST(Potential, IsTheDistanceBetweenRowsOfSquaredHeatDistancesWithoutVolume) {
  const double time = 3.0;
  const GivenKernel kernel(heat_of_path(40, time), time);
  Matrix<double> squares = heat_geodesic(kernel, {.harnack = 0}).values;
  for (std::size_t e = 0; e < squares.size(); ++e) squares.data()[e] *= squares.data()[e];
  for (std::size_t i = 0; i < 40; ++i) {
    squares(i, i) = -4 * time * std::log(kernel.entries()(i, i));
  }
  // No offset to speak of: the smallest heat here is 1e-28.
  const Matrix<double> potential = potential_distance(kernel, {.offset = 1e-300}).values;
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < 40; ++j) {
      const double expected = distance(squares.row(i), squares.row(j)) / (4 * time);
      EXPECT_NEAR(potential(i, j), expected, 1e-9 * (1 + expected));
    }
  }
}

TEST(Potential, TakesNegativeEntriesForZero) {
  Matrix<double> entries(2, 2, 0.5);
  entries(0, 1) = -1e-17;
  const double d = potential_distance(GivenKernel(entries, 1.0, false)).values(0, 1);
  EXPECT_NEAR(d, std::log(0.5 + 1e-7) - std::log(1e-7), 1e-9);
}

TEST(Potential, HasTheSameBitsForAnyNumberOfThreads) {
  const GivenKernel kernel(heat_of(random_weights(600, 5), 1.0), 1.0);
  const Matrix<double> alone = potential_distance(kernel).values;
  for (const std::size_t n_threads : {2U, 8U}) {
    ThreadPool pool(n_threads);
    EXPECT_TRUE(same_bits(potential_distance(kernel, {}, {.executor = &pool}).values, alone));
  }
}

TEST(Potential, RefusesAnOffsetThatLeavesTheLogarithmInfinite) {
  const GivenKernel kernel(Matrix<double>(2, 2, 0.5), 1.0);
  for (const double offset : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(potential_distance(kernel, {.offset = offset}), InvalidArgument);
  }
}

TEST(Potential, RefusesAKernelThatIsNotFinite) {
  Matrix<double> entries(2, 2, 0.5);
  entries(1, 0) = std::nan("");
  EXPECT_THROW(potential_distance(GivenKernel(entries, 1.0, false)), InvalidArgument);
}

}  // namespace
}  // namespace geotherm::testing
