// Order and ranks against plain sorting, with ties, signs and extremes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "geotherm/metrics.hpp"
#include "metrics/order.hpp"

namespace geotherm {
namespace {

std::vector<double> awkward_values(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, "ranks.test");
  std::vector<double> values(n);
  for (double& value : values) {
    switch (rng.below(6)) {
      case 0:
        value = std::round(rng.normal() * 3);
        break;  // ties, zeros of both signs
      case 1:
        value = rng.normal() * 1e300;
        break;
      case 2:
        value = rng.normal() * 1e-310;
        break;  // below the normal numbers
      case 3:
        value = rng.below(2) == 0 ? 0.0 : -0.0;
        break;
      case 4:
        value = rng.below(2) == 0 ? 1.0 : std::nextafter(1.0, 2.0);
        break;
      default:
        value = rng.normal();
    }
  }
  return values;
}

TEST(Sorter, OrdersAsAStableSortDoesForSmallAndLargeInput) {
  detail::Sorter sorter;  // one for all: scratch of an earlier call must not show
  for (const std::size_t n : {5000, 0, 1, 2, 3, 767, 768, 100, 2000}) {
    const auto values = awkward_values(n, n);
    std::vector<std::uint32_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0U);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
    const auto sorted = sorter.sort(values);
    ASSERT_EQ(sorted.size(), n);
    for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(sorted[k].index, expected[k]) << n << " " << k;
  }
}

TEST(Ranks, CountSmallerAndHalfOfTheEqual) {
  for (const std::size_t n : {1, 2, 50, 900}) {
    const auto values = awkward_values(n, 100 + n);
    const auto found = ranks(values);
    for (std::size_t i = 0; i < n; ++i) {
      double smaller = 0, equal = 0;
      for (const double other : values) {
        smaller += other < values[i] ? 1 : 0;
        equal += other == values[i] ? 1 : 0;
      }
      ASSERT_EQ(found[i], smaller + 0.5 * (equal + 1));
    }
  }
}

TEST(Ranks, OfNothingAreNothingAndInfinitiesHaveTheirPlace) {
  EXPECT_TRUE(ranks({}).empty());
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ranks(std::vector<double>{infinity, 1e308, -infinity, infinity}),
            (std::vector<double>{3.5, 2, 1, 3.5}));
}

TEST(Ranks, RefuseNaNByItsPlace) {
  const std::vector<double> values = {1, std::nan(""), 2};
  EXPECT_THROW(ranks(values), InvalidArgument);
}

TEST(NearestInRow, AreTheFirstOfAStableSortWithoutThePointItself) {
  Rng rng(4, "nearest.test");
  std::vector<double> row(60);
  for (double& value : row) value = static_cast<double>(rng.below(12));
  for (const std::size_t self : {0, 7, 59}) {
    std::vector<Index> order;
    for (Index j = 0; j < 60; ++j) {
      if (static_cast<std::size_t>(j) != self) order.push_back(j);
    }
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return row[static_cast<std::size_t>(a)] < row[static_cast<std::size_t>(b)];
    });
    std::vector<Index> found;
    for (const std::size_t k : {1, 2, 10, 59}) {
      detail::nearest_in_row(row, self, k, found);
      const auto end = order.begin() + static_cast<std::ptrdiff_t>(k);
      EXPECT_EQ(found, std::vector<Index>(order.begin(), end));
    }
  }
}

}  // namespace
}  // namespace geotherm
