// An input holds one thing, and says which.
#include "geotherm/input.hpp"

#include <gtest/gtest.h>

#include "geotherm/methods.hpp"

namespace geotherm {
namespace {

int n_things(const Input& input) {
  return !input.points().empty() + !input.points32().empty() + !input.distances().empty() +
         (input.neighbors() != nullptr) + (input.sparse_distances() != nullptr) +
         (input.affinities() != nullptr);
}

TEST(Input, HoldsOneThing) {
  Matrix<double> points(4, 2, 1.0);
  const Matrix<float> single(5, 2, 1.0F);
  const SparseMatrix sparse = sparse_from_triplets(6, 6, {{0, 1, 1.0}, {1, 0, 1.0}});
  NeighborLists lists;
  lists.n_points = 7;
  EXPECT_EQ(n_things(Input()), 0);
  EXPECT_EQ(Input().n_points(), 0U);
  const std::pair<Input, std::size_t> each[] = {{points, 4},
                                                {points.view(), 4},
                                                {single, 5},
                                                {DistanceMatrix{points}, 4},
                                                {SparseDistances{&sparse}, 6},
                                                {&lists, 7},
                                                {Affinities{&sparse}, 6}};
  for (const auto& [input, n] : each) {
    EXPECT_EQ(n_things(input), 1);
    EXPECT_EQ(input.n_points(), n);
  }
  Input changed = points;
  changed = Affinities{&sparse};
  EXPECT_TRUE(changed.points().empty());
  EXPECT_FALSE(changed.has_points());
  EXPECT_TRUE(Input(single).has_points());
}

TEST(Input, IsToldFromOthersByItsFingerprint) {
  const SparseMatrix sparse = sparse_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 1.0}});
  EXPECT_NE(fingerprint(SparseDistances{&sparse}), fingerprint(Affinities{&sparse}));
}

}  // namespace
}  // namespace geotherm
