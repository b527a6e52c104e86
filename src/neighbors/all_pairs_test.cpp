// All pairs looked at once: the lists of direct sums, to the bit.
#include "neighbors/all_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "neighbors/brute_force.hpp"
#include "neighbors/neighbors_testing.hpp"

namespace geotherm {
namespace {

using detail::Cut;
using detail::Space;
using testing::expect_same;

template <class T>
NeighborLists by_direct_sums(const Space<T>& space, const Cut& cut) {
  std::vector<Index> all(space.n_points());
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<detail::ListPart> parts;
  parts.push_back(detail::brute_force_some(space, all, cut));
  return detail::assemble(space.n_points(), cut, std::move(parts));
}

/// Whether sieves hold all pairs, and lists of 1, 2 and 8 threads are those of direct sums.
template <class T>
bool expect_those_of_direct_sums(const Space<T>& space, const Cut& cut) {
  EXPECT_TRUE(detail::suits_all_pairs(space));
  const NeighborLists truth = by_direct_sums(space, cut);
  for (const std::size_t n_threads : {1, 2, 8}) {
    ThreadPool pool(n_threads);
    expect_same(detail::brute_force(space, cut, {.executor = &pool}), truth);
  }
  return !detail::sift_all_pairs(space, detail::PairBounds(space), cut, {}).empty();
}

/// Counts with many zeros; several are above 255.
Matrix<double> counts(std::size_t n, std::size_t d, std::uint64_t seed) {
  Rng rng(seed, "test.counts");
  Matrix<double> points(n, d);
  for (std::size_t k = 0; k < points.size(); ++k) {
    points.data()[k] = std::floor(std::pow(1 - rng.uniform(), -1.0) - 0.8);
  }
  return points;
}

TEST(AllPairs, GiveTheListsOfDirectSumsInEveryMetric) {
  // Blocks of 256: an odd number of them, an even one, and one that is nearly empty.
  for (const std::size_t n : {1200, 1536, 1281}) {
    SCOPED_TRACE(n);
    const Matrix<double> points = counts(n, 20, n);
    for (const Metric metric :
         {Metric::manhattan, Metric::braycurtis, Metric::canberra, Metric::hamming}) {
      SCOPED_TRACE(to_string(metric));
      const Space<double> space = detail::plain_space<double>(points.view(), metric);
      EXPECT_TRUE(expect_those_of_direct_sums(space, {7, 1}));
      EXPECT_TRUE(expect_those_of_direct_sums(space, {7, 1.1}));
    }
    const auto shares = detail::mapped_space<double>(points.view(), Metric::jensenshannon);
    EXPECT_TRUE(expect_those_of_direct_sums(shares, {7, 1}));
  }
}

TEST(AllPairs, OfManyColumnsAreRuledOutByProducts) {
  const Matrix<double> points = counts(1100, 130, 3);
  for (const Metric metric : {Metric::hellinger, Metric::cosine}) {
    const Space<double> space = detail::mapped_space<double>(points.view(), metric);
    EXPECT_TRUE(expect_those_of_direct_sums(space, {7, 1}));
  }
  const Matrix<float> single = testing::gaussian_points<float>(1300, 140);
  const Space<float> space = detail::plain_space<float>(single.view(), Metric::euclidean);
  EXPECT_TRUE(expect_those_of_direct_sums(space, {7, 1}));
  EXPECT_TRUE(expect_those_of_direct_sums(space, {7, 1.02}));
}

TEST(AllPairs, GiveWayWhereTooManyTieOrFloat32TellsTooLittle) {
  const Matrix<double> equal(1200, 9, 1.0);
  EXPECT_FALSE(expect_those_of_direct_sums(
      detail::plain_space<double>(equal.view(), Metric::canberra), {5, 1}));
  // Two groups whose distance is 1e7 times their size.
  Matrix<double> far = testing::gaussian_points(1200, 130);
  for (std::size_t i = 0; i < 600; ++i) far(i, 0) += 1e8;
  EXPECT_FALSE(expect_those_of_direct_sums(
      detail::plain_space<double>(far.view(), Metric::euclidean), {5, 1}));
}

TEST(AllPairs, OfFewColumnsOrPointsAreSearchedForBlockByBlock) {
  const Matrix<double> few = counts(900, 20, 1), narrow = counts(1200, 100, 1);
  EXPECT_FALSE(detail::suits_all_pairs(detail::plain_space<double>(few.view(), Metric::canberra)));
  EXPECT_FALSE(
      detail::suits_all_pairs(detail::plain_space<double>(narrow.view(), Metric::euclidean)));
}

}  // namespace
}  // namespace geotherm
