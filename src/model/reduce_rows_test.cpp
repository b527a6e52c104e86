// A table reduced while it is read gives the map and the model that the whole table gives.
#include <gtest/gtest.h>

#include "geotherm/model.hpp"
#include "points/points_testing.hpp"

namespace geotherm {
namespace {

using testing::BlocksOf;

Matrix<double> roll_with_duplicates() {
  Matrix<double> X = synthesize(Shape::swiss_roll, {.n = 400, .noise = 0.2, .dim = 20}).X;
  for (const std::size_t i : {7u, 9u, 100u, 399u}) std::ranges::copy(X.row(3), X.row(i).begin());
  std::ranges::copy(X.row(50), X.row(51).begin());
  return X;
}

TEST(ReduceRows, GivesTheMapOfTheWholeTableToTheBit) {
  const Matrix<double> X = roll_with_duplicates();
  const PcaOptions asked{.rank = 5};
  for (const auto& embed : {heat_geo, phate}) {
    const EmbeddingRun whole = embed(X.view(), {.pca = asked}, {});
    BlocksOf blocks(X);
    const ReducedRows reduced = reduce_rows(blocks, asked);
    EXPECT_EQ(reduced.n_equal, 5u);
    const EmbeddingRun run =
        embed(reduced.pca.scores.view(), {.pca = PcaOptions{.rank = 0}}, {});
    EXPECT_EQ(run.distances.unique_inverse, whole.distances.unique_inverse);
    const Matrix<double>&a = run.embedding.coordinates, &b = whole.embedding.coordinates;
    ASSERT_EQ(a.size(), b.size());
    EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data()));
  }
}

TEST(ReduceRows, GivesTheModelOfTheWholeTable) {
  const Matrix<double> X = roll_with_duplicates();
  const Matrix<double> others =
      synthesize(Shape::swiss_roll, {.n = 100, .noise = 0.2, .dim = 20}, {.seed = 9}).X;
  const PcaOptions asked{.rank = 5};
  const MethodOptions options{.pca = asked};
  const EmbeddingRun whole = heat_geo(X.view(), options);
  const Model expected = make_model("heatgeo", X.view(), options, whole);

  BlocksOf blocks(X);
  const ReducedRows reduced = reduce_rows(blocks, asked);
  const Input input(reduced.pca.scores.view());
  const MethodOptions none{.pca = PcaOptions{.rank = 0}};
  const EmbeddingRun run = heat_geo(input, none);
  const Model model = with_steps_before(make_model("heatgeo", input, none, run), reduced.steps,
                                        reduced.keys, run.distances.unique_inverse);
  EXPECT_TRUE(issues_with(model).empty());
  EXPECT_EQ(model.keys, expected.keys);
  const Matrix<double> placed = place(model, X);
  EXPECT_TRUE(
      std::equal(placed.data(), placed.data() + placed.size(), whole.embedding.coordinates.data()));
  // 1e-6 of places up to 25: the scores of training points are rounded differently by a matrix
  // product and row by row, and a place is found by iteration.
  const Matrix<double> a = place(model, others), b = place(expected, others);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a.data()[k], b.data()[k], 1e-6);
}

TEST(ReduceRows, RefusesWhatTheMethodsRefuseAndNamesTheRowOfTheTable) {
  Matrix<double> X = roll_with_duplicates();
  X(398, 2) = NAN;
  const auto refusal = [&] {
    BlocksOf blocks(X);
    try {
      reduce_rows(blocks, {.rank = 2});
    } catch (const InvalidData& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(refusal().find("row 398, column 2 is NaN"), std::string::npos) << refusal();
  X(398, 2) = 1.7e308;
  EXPECT_NE(refusal().find("leave the range of numbers"), std::string::npos) << refusal();
}

TEST(ReduceRows, OfATableOnADeviceNeedsTheDeviceAndSaysSo) {
  const double number = 0;  // never read
  const DevicePoints there{.data = &number, .rows = 7, .cols = 3};
  MethodOptions options;
  const auto refusal = [](const auto& work) {
    try {
      work();
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const std::string why =
      is_built_with_cuda() ? "give a context with the device" : why_no_cuda_device();
  EXPECT_NE(refusal([&] { reduce_rows(there, {}, {}); }).find(why), std::string::npos);
  EXPECT_NE(
      refusal([&] { rows_from_device(there, methods().front(), options, {}); }).find(why),
      std::string::npos);
}

}  // namespace
}  // namespace geotherm
