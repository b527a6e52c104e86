// Tables so large that their points are numbered by place: what comes out is by row all the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/take_rows.hpp"
#include "geotherm/model.hpp"
#include "geotherm/points.hpp"
#include "neighbors/in_order.hpp"

namespace geotherm {
namespace {

TEST(LargeTable, IsMappedInTheOrderOfItsRows) {
  const std::size_t n = detail::least_to_order + 50;
  const Dataset roll =
      synthesize(Shape::swiss_roll, {.n = n, .noise = 0.05, .geodesic_limit = 0}, {.seed = 4});
  Matrix<double> rows(n + 2, 3);
  for (std::size_t i = 0; i < n; ++i) std::ranges::copy(roll.X.row(i), rows.row(i).begin());
  std::ranges::copy(roll.X.row(0), rows.row(n).begin());  // two rows that came before
  std::ranges::copy(roll.X.row(777), rows.row(n + 1).begin());
  MethodOptions options;
  options.landmarks = LandmarkOptions{.count = 500};
  options.keep_neighbors = 10;
  const EmbeddingRun run = heat_geo(rows, options, {.seed = 2});
  const std::vector<Index>& point = run.distances.unique_inverse;
  const Matrix<double>& map = run.embedding.coordinates;
  ASSERT_EQ(map.rows(), n + 2);
  ASSERT_EQ(run.distances.graph.n_points(), n);
  EXPECT_FALSE(detail::are_points(point));
  EXPECT_EQ(point[n], point[0]);
  EXPECT_EQ(point[n + 1], point[777]);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_EQ(map(n + 1, c), map(777, c));

  // Edges join rows that are near each other, at the distance of those rows.
  const std::vector<Index> row_of = detail::first_rows(point);
  for (std::size_t i = 0; i < n; i += 997) {
    const double* a = rows.row(static_cast<std::size_t>(row_of[i])).data();
    for (std::size_t e = run.distances.graph.weights.offsets[i];
         e < run.distances.graph.weights.offsets[i + 1]; ++e) {
      const Index other = run.distances.graph.weights.indices[e];
      const double* b =
          rows.row(static_cast<std::size_t>(row_of[static_cast<std::size_t>(other)])).data();
      double squared = 0;
      for (std::size_t c = 0; c < 3; ++c) squared += (a[c] - b[c]) * (a[c] - b[c]);
      ASSERT_NEAR(run.distances.graph.lengths[e], std::sqrt(squared), 1e-9);
    }
  }

  // Distances in the map and from the landmarks are those of the rows: the true ones, nearly.
  double sums[2][3] = {};
  const std::size_t n_pairs = 5000;
  std::vector<double> truth, mapped, measured;
  for (std::size_t k = 0; k < n_pairs; ++k) {
    const std::size_t i = k * 19 % n, j = k * 7919 % n;
    const auto apart = [&](const Matrix<double>& at) {
      double squared = 0;
      for (std::size_t c = 0; c < 2; ++c) squared += (at(i, c) - at(j, c)) * (at(i, c) - at(j, c));
      return std::sqrt(squared);
    };
    truth.push_back(apart(roll.coordinates));
    mapped.push_back(apart(map));
    measured.push_back(run.distances.landmarks.between(static_cast<std::size_t>(point[i]),
                                                       static_cast<std::size_t>(point[j])));
  }
  const auto correlation = [&](const std::vector<double>& x, double* s) {
    double mean_x = 0, mean_t = 0;
    for (std::size_t k = 0; k < n_pairs; ++k) mean_x += x[k], mean_t += truth[k];
    mean_x /= n_pairs, mean_t /= n_pairs;
    for (std::size_t k = 0; k < n_pairs; ++k) {
      s[0] += (x[k] - mean_x) * (x[k] - mean_x);
      s[1] += (truth[k] - mean_t) * (truth[k] - mean_t);
      s[2] += (x[k] - mean_x) * (truth[k] - mean_t);
    }
    return s[2] / std::sqrt(s[0] * s[1]);
  };
  EXPECT_GT(correlation(mapped, sums[0]), 0.98);
  EXPECT_GT(correlation(measured, sums[1]), 0.98);

  // A model finds each row where it is.
  const Model model = make_model("heatgeo", rows.view(), options, run);
  Matrix<double> some(40, 3);
  for (std::size_t k = 0; k < 40; ++k) {
    std::ranges::copy(rows.row(k * 2500 + 7), some.row(k).begin());
  }
  const Matrix<double> placed = place(model, std::as_const(some).view());
  for (std::size_t k = 0; k < 40; ++k) {
    for (std::size_t c = 0; c < 2; ++c) EXPECT_EQ(placed(k, c), map(k * 2500 + 7, c));
  }
  ASSERT_EQ(model.unique_inverse.size(), n + 2);
  const auto of_last = static_cast<std::size_t>(model.unique_inverse[n + 1]);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_EQ(model.coordinates(of_last, c), map(777, c));
}

}  // namespace
}  // namespace geotherm
