// Solvers of stress that can be ended and gone on with: the same bits, and no other's state.
#include <gtest/gtest.h>

#include "embedding/maps_for_tests.hpp"

namespace geotherm {
namespace {

using namespace testing;

template <class Solver>
class Resumable : public ::testing::Test {};
using Solvers = ::testing::Types<Smacof, SgdMds>;
TYPED_TEST_SUITE(Resumable, Solvers);

TYPED_TEST(Resumable, GoesOnFromTheStateOfAnotherToTheSameBits) {
  const Matrix<double> d = random_dissimilarity(90, 1), start = random_points(90, 2, 3);
  TypeParam whole(d, {}, start);
  whole.run_to(25);
  TypeParam first(d, {}, start), second(d, {}, start);
  first.run_to(11);
  second.restore(first.state());
  EXPECT_EQ(second.embedding().iterations, 11u);
  second.run_to(25);
  EXPECT_TRUE(same_bits(second.embedding().coordinates, whole.embedding().coordinates));
  EXPECT_EQ(second.embedding().stress, whole.embedding().stress);
}

TYPED_TEST(Resumable, RefusesAStateThatIsDamagedOrOfAnotherProblem) {
  const Matrix<double> d = random_dissimilarity(90, 1), start = random_points(90, 2, 3);
  TypeParam run(d, {}, start);
  run.run_to(3);
  const std::string state = run.state();
  EXPECT_THROW(run.restore(state.substr(0, state.size() - 1)), InvalidData);
  EXPECT_THROW(run.restore(state + "x"), InvalidData);
  EXPECT_THROW(run.restore(""), InvalidData);
  const Matrix<double> smaller = random_dissimilarity(80, 1);
  TypeParam other(smaller, {}, random_points(80, 2, 3));
  EXPECT_THROW(other.restore(state), InvalidData);
}

}  // namespace
}  // namespace geotherm
