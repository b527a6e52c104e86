// The vector logarithm against the library's long double one.
#include "core/vector_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {
namespace {

// Largest error in units of the spacing of doubles at the true value.
double worst_error_in_ulps(const std::vector<double>& numbers) {
  std::vector<double> logs = numbers;
  log_in_place(logs.data(), logs.size());
  double worst = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const long double truth = std::log(static_cast<long double>(numbers[i]));
    const double rounded = std::abs(static_cast<double>(truth));
    const double ulp = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
    const double error = static_cast<double>(std::abs(static_cast<long double>(logs[i]) - truth));
    worst = std::max(worst, error / ulp);
  }
  return worst;
}

// The contract says 1.5; the best possible is 0.5.
constexpr double allowed_ulps = 1.5;

TEST(VectorLog, IsRightOverTheWholeRangeOfNormalNumbers) {
  Rng rng(1, "vector_log.range");
  std::vector<double> numbers = {std::numeric_limits<double>::min(),
                                 std::numeric_limits<double>::max(), 1e-308 * 2.3, 1e308};
  for (int i = 0; i < 200000; ++i) numbers.push_back(std::pow(10.0, rng.uniform() * 614 - 307));
  EXPECT_LE(worst_error_in_ulps(numbers), allowed_ulps);
}

TEST(VectorLog, KeepsRelativeAccuracyNearOne) {
  Rng rng(2, "vector_log.one");
  std::vector<double> numbers;
  for (int i = 0; i < 200000; ++i) {
    const double away = std::pow(10.0, -16 * rng.uniform());
    numbers.push_back(1.0 + away);
    numbers.push_back(1.0 - 0.75 * away);
  }
  numbers.push_back(std::nextafter(1.0, 2.0));
  numbers.push_back(std::nextafter(1.0, 0.0));
  EXPECT_LE(worst_error_in_ulps(numbers), allowed_ulps);
}

TEST(VectorLog, IsRightWhereTheExponentChanges) {
  std::vector<double> numbers;
  for (int k = -1000; k <= 1000; k += 7) {
    for (const double m : {std::sqrt(0.5), 1.0, std::sqrt(2.0)}) {
      double below = std::ldexp(m, k), above = below;
      for (int step = 0; step < 4; ++step) {
        numbers.push_back(below);
        numbers.push_back(above);
        below = std::nextafter(below, 0.0);
        above = std::nextafter(above, 1e300);
      }
    }
  }
  EXPECT_LE(worst_error_in_ulps(numbers), allowed_ulps);
}

TEST(VectorLog, OfOneIsExactlyZeroAtEveryPlaceOfTheVector) {
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<double> ones(n, 1.0);
    log_in_place(ones.data(), n);
    for (const double value : ones) EXPECT_EQ(value, 0.0);
  }
}

TEST(VectorLog, RisesWithItsArgument) {
  // d_t has to keep the order of the kernel: steps of 1e-6 are far above the rounding.
  std::vector<double> numbers;
  for (double x = 0.3; x < 3.0; x *= 1 + 1e-6) numbers.push_back(x);
  std::vector<double> logs = numbers;
  log_in_place(logs.data(), logs.size());
  for (std::size_t i = 1; i < logs.size(); ++i) ASSERT_LT(logs[i - 1], logs[i]);
}

}  // namespace
}  // namespace geotherm::detail
