// What no method may hand over.
#include "methods/check_map.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace geotherm::detail {
namespace {

EmbeddingRun map_of(std::size_t n, double value) {
  EmbeddingRun run;
  run.embedding.coordinates = Matrix<double>(n, 2, value);
  return run;
}

std::string refusal(EmbeddingRun run, const Matrix<double>& points) {
  try {
    checked(std::move(run), points.view());
  } catch (const InvalidData& e) {
    return e.what();
  }
  return "";
}

/// The origin and `n_axes` axes, `scale` long.
Matrix<double> simplex(std::size_t n_axes, double scale = 1) {
  Matrix<double> points(5, 4);
  for (std::size_t k = 0; k < n_axes; ++k) points(k + 1, k) = scale;
  return points;
}

TEST(CheckedMaps, AreFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EmbeddingRun run = map_of(5, 1);
    run.embedding.coordinates(3, 1) = bad;
    EXPECT_NE(refusal(std::move(run), simplex(3)).find("row 3"), std::string::npos);
  }
}

TEST(CheckedMaps, AreNoSinglePlaceWhereMoreRowsAreIndependentThanTheMapHasColumns) {
  for (const double scale : {1e-300, 1.0, 1e300}) {
    // Three rows span a plane, which a map of two columns has to show.
    EXPECT_NE(refusal(map_of(5, 0), simplex(2, scale)).find("one place"), std::string::npos);
    EXPECT_NE(refusal(map_of(5, 7), simplex(4, scale)).find("one place"), std::string::npos);
    EXPECT_EQ(refusal(map_of(5, 0), simplex(1, scale)), "");
  }
  EXPECT_EQ(refusal(map_of(5, 0), simplex(0)), "");
  Matrix<float> narrow(5, 2);
  narrow(1, 0) = narrow(2, 1) = 1e-40F;
  EXPECT_THROW(checked(map_of(5, 0), narrow.view()), InvalidData);
}

TEST(CheckedMaps, MayBeASinglePlaceWhereTheRunWasStoppedOrThePointsAreNotKnown) {
  EmbeddingRun stopped = map_of(5, 0);
  stopped.embedding.outcome = Outcome::stopped;
  EXPECT_EQ(refusal(std::move(stopped), simplex(3)), "");
  const Matrix<double> distances(5, 5);
  EXPECT_NO_THROW(checked(map_of(5, 0), DistanceMatrix{distances.view()}));
}

}  // namespace
}  // namespace geotherm::detail
