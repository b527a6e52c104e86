// Bounds by bits, bytes and floats: never above the measure, and equal to it where they say so.
#include "neighbors/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

using detail::PairBounds;
using detail::Space;

/// Rows of `n_values` levels, about half of them 0, in units of `unit`.
Matrix<double> levels(std::size_t n, std::size_t d, std::size_t n_values, double unit,
                      std::uint64_t seed) {
  Rng rng(seed, "test.levels");
  Matrix<double> rows(n, d);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double u = rng.uniform();
    // Squared, so that small levels are common and large ones occur.
    rows.data()[k] = u < 0.5 ? 0 : unit * std::floor(4 * (u - 0.5) * (u - 0.5) * double(n_values));
  }
  return rows;
}

template <class T>
Space<T> space_of(const Matrix<double>& rows, Metric metric) {
  Matrix<T> cast(rows.rows(), rows.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) cast.data()[k] = static_cast<T>(rows.data()[k]);
  return detail::plain_space<T>(cast.view(), metric);
}

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// The largest of measure - bound over the pairs; fails where a bound is above its measure.
template <class T>
double slack_of(const Space<T>& space, const PairBounds& bounds, double limit = no_limit) {
  const std::size_t n = space.n_points();
  std::vector<double> below(n), measured(n), limits(n, limit);
  std::vector<Index> ids(n);
  for (std::size_t j = 0; j < n; ++j) ids[j] = static_cast<Index>(n - 1 - j);
  double most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    bounds.below(i, nullptr, 0, n, limits.data(), below.data());
    detail::measure_rows(space.measure, space.rows.row(i).data(), space.rows.data(), space.dims(),
                         nullptr, n, measured.data());
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_LE(below[j], measured[j]) << i << " " << j;
      most = std::max(most, measured[j] - below[j]);
    }
    std::vector<double> by_id(n);
    bounds.below(i, ids.data(), 0, n, limits.data(), by_id.data());
    for (std::size_t j = 0; j < n; ++j) EXPECT_EQ(by_id[j], below[n - 1 - j]);
  }
  return most;
}

TEST(PairBounds, AreNeverAboveTheMeasure) {
  struct Case {
    Metric metric;
    std::size_t n_values;
    double unit;
    double slack;  ///< the bounds have to be of use
  };
  for (const std::size_t d : {1, 7, 64, 131}) {
    const auto columns = static_cast<double>(d);
    for (const Case& c : {Case{Metric::jaccard, 3, 0.3, 0}, Case{Metric::hamming, 2, 1, 0},
                          Case{Metric::hamming, 200, 1, 0},
                          Case{Metric::braycurtis, 40, 1, 1e-8},
                          Case{Metric::braycurtis, 900, 1, 1e-4},
                          Case{Metric::braycurtis, 40, 0.37, 1e-4},
                          Case{Metric::braycurtis, 40, 1e-200, 1e-4},
                          Case{Metric::canberra, 30, 1, d == 1 ? 0.95 : 0.6 * columns},
                          Case{Metric::canberra, 30, 0.37, 1e-3 * columns}}) {
      SCOPED_TRACE(std::string(to_string(c.metric)) + " " + std::to_string(c.n_values) + " " +
                   std::to_string(d));
      const Matrix<double> rows = levels(60, d, c.n_values, c.unit, d);
      const Space<double> space = space_of<double>(rows, c.metric);
      const PairBounds bounds(space);
      ASSERT_FALSE(bounds.is_empty());
      const double slack = slack_of(space, bounds);
      EXPECT_LE(slack, c.slack);
      EXPECT_EQ(bounds.are_measures(), c.slack == 0);
      if (c.unit < 1e-30) continue;
      const Space<float> single = space_of<float>(rows, c.metric);
      EXPECT_LE(slack_of(single, PairBounds(single)), c.slack);
    }
    const Matrix<double> rows = levels(60, d, 40, 1, d);
    const Space<double> space = detail::mapped_space<double>(rows.view(), Metric::jensenshannon);
    EXPECT_LE(slack_of(space, PairBounds(space)), 0.25);
  }
}

TEST(PairBounds, OfEveryPairOfCountsAreBelowItsCanberraTerm) {
  constexpr std::size_t n = 300;
  Matrix<double> rows(4 * n, 1);
  for (std::size_t i = 0; i < n; ++i) rows(i, 0) = static_cast<double>(i);  // the rest is 0
  const Space<double> space = space_of<double>(rows, Metric::canberra);
  const PairBounds bounds(space);
  ASSERT_FALSE(bounds.is_empty());
  EXPECT_LE(slack_of(space, bounds), 0.9);
  EXPECT_LE(slack_of(space, bounds, 2.0), 1e-3);  // all are looked at more closely
}

TEST(PairBounds, OfSharesAreBelowTheJensenShannonDistance) {
  // Two columns: all ratios of their shares.
  constexpr std::size_t n = 200;
  Matrix<double> rows(n, 2);
  for (std::size_t i = 0; i < n; ++i) {
    rows(i, 0) = static_cast<double>(i);
    rows(i, 1) = static_cast<double>(n - i);
  }
  const Space<double> space = detail::mapped_space<double>(rows.view(), Metric::jensenshannon);
  EXPECT_LE(slack_of(space, PairBounds(space)), 0.2);
}

TEST(PairBounds, AreEmptyWhereNothingIsKnownFromCopies) {
  const Matrix<double> rows = levels(20, 5, 9, 0.3, 1);
  EXPECT_TRUE(PairBounds(space_of<double>(rows, Metric::manhattan)).is_empty());
  EXPECT_TRUE(PairBounds(space_of<double>(rows, Metric::hamming)).is_empty());
  Matrix<double> wide = rows;
  wide(0, 0) = 1e-200;
  EXPECT_TRUE(PairBounds(space_of<double>(wide, Metric::canberra)).is_empty());
}

}  // namespace
}  // namespace geotherm
