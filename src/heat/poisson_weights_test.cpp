// Poisson probabilities at all rates, and the number of terms they imply.
#include "heat/poisson_weights.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace geotherm::detail {
namespace {

TEST(PoissonWeights, MatchTheFormulaAtAllRates) {
  for (const double rate : {1e-8, 0.3, 1.0, 17.5, 200.0, 5000.0, 1e6}) {
    const PoissonWeights weights(rate);
    for (const double offset : {-3.0, 0.0, 2.0, 6.0}) {
      const double k = std::floor(rate + offset * std::sqrt(rate));
      if (k < 0) continue;
      // gamma_p_derivative(k + 1, rate) = e^-rate rate^k / k!. 1e-9: its own error at rate 1e6.
      const double expected = boost::math::gamma_p_derivative(k + 1, rate);
      EXPECT_NEAR(weights[static_cast<std::size_t>(k)] / expected, 1.0, 1e-9) << rate << " " << k;
    }
  }
}

TEST(PoissonWeights, SumToOneAndHaveTheMeanOfTheirRate) {
  for (const double rate : {0.0, 1e-8, 3.0, 200.0, 1e5, 1e9}) {
    const PoissonWeights weights(rate);
    double sum = 0, mean = 0;
    const double width = 40 * std::sqrt(rate) + 1;
    const auto from = static_cast<std::size_t>(std::max(0.0, rate - width));
    for (std::size_t k = from; k <= weights.last(); ++k) {
      sum += weights[k];
      mean += static_cast<double>(k) * weights[k];
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);  // two million roundings at the largest rate
    EXPECT_NEAR(mean, rate, 1e-12 * rate);
  }
}

TEST(PoissonWeights, TailsFallAndTermsForIsTheFirstBelowItsBound) {
  const PoissonWeights weights(30);
  EXPECT_NEAR(weights.tail(29), boost::math::gamma_p(30.0, 30.0), 1e-14);
  for (const double bound : {0.5, 1e-3, 1e-16, 1e-100, 1e-300}) {
    const std::size_t k = weights.terms_for(bound);
    EXPECT_LE(weights.tail(k), bound);
    EXPECT_GT(weights.tail(k - 1), bound);
  }
  EXPECT_EQ(weights.tail(weights.last()), 0.0);
  EXPECT_LT(weights[weights.last()], 1e-300);
}

TEST(BinomialTail, IsTheIncompleteBetaFunctionFromTheMeanOnAndOneBelow) {
  for (const std::size_t n : {1U, 2U, 7U, 100U, 5000U, 1000000U}) {
    for (const double p : {0.5, 0.25, 1.0 / 64, 1.0 / 4096}) {
      const double mean = static_cast<double>(n) * p;
      for (const double offset : {-2.0, -0.5, 0.0, 0.5, 2.0, 6.0, 15.0}) {
        const double place = std::floor(mean + offset * std::sqrt(mean + 1));
        if (place < 0 || place >= static_cast<double>(n)) continue;
        const auto k = static_cast<std::size_t>(place);
        const double expected =
            boost::math::ibeta(static_cast<double>(k + 1), static_cast<double>(n - k), p);
        const double found = binomial_tail(n, p, k);
        if (place < std::floor(mean)) {
          EXPECT_GE(expected, 0.5 - 1e-12) << n << " " << p << " " << k;
          EXPECT_EQ(found, 1.0);
        } else if (expected > 1e-300) {
          // 1e-8: logarithms of factorials of a million, in extended precision.
          EXPECT_NEAR(found / expected, 1.0, 1e-8) << n << " " << p << " " << k;
        }
      }
    }
  }
  EXPECT_EQ(binomial_tail(5, 0.5, 5), 0.0);
}

TEST(TermsNeeded, FallsWithSquaringsAndRisesWithDepth) {
  const PoissonWeights weights(200);
  for (std::size_t s = 1; s < 8; ++s) {
    EXPECT_LT(terms_needed(weights, 1e-50, s), terms_needed(weights, 1e-50, s - 1));
    EXPECT_GT(terms_needed(weights, 1e-200, s), terms_needed(weights, 1e-20, s));
    // All factors together must be able to make as many jumps as the whole.
    EXPECT_GT(terms_needed(weights, 1e-50, s) << s, terms_needed(weights, 1e-50, 0));
  }
}

TEST(PlanDense, SquaresSmallMatricesAtLongTimesAndNotLargeOnesAtShortTimes) {
  // Holds with and without a fast dense product behind it.
  EXPECT_GT(plan_dense(PoissonWeights(1000), 1e-10, 300, 4500).n_squarings, 1U);
  EXPECT_EQ(plan_dense(PoissonWeights(20), 1e-30, 10000, 150000).n_squarings, 0U);
  EXPECT_EQ(plan_dense(PoissonWeights(0), 1, 1, 1).n_squarings, 0U);
}

}  // namespace
}  // namespace geotherm::detail
