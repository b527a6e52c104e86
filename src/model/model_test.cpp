// Laws of placing: training rows stay, others depend on themselves alone, and land where they
// belong.
#include "geotherm/model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geotherm/metrics.hpp"

namespace geotherm {
namespace {

Matrix<double> rows_of(const Matrix<double>& from, std::size_t first, std::size_t step) {
  Matrix<double> some((from.rows() - first + step - 1) / step, from.cols());
  for (std::size_t i = 0; i < some.rows(); ++i) {
    std::copy_n(from.row(first + i * step).begin(), from.cols(), some.row(i).begin());
  }
  return some;
}

void expect_equal(const Matrix<double>& a, const Matrix<double>& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  for (std::size_t k = 0; k < a.size(); ++k) ASSERT_EQ(a.data()[k], b.data()[k]) << k;
}

Dataset small_roll(std::size_t n, std::uint64_t seed = 3, std::size_t dim = 3) {
  return synthesize(Shape::swiss_roll, {.n = n, .noise = 0.2, .dim = dim}, {.seed = seed});
}

Model model_of(std::string_view method, const Matrix<double>& X, MethodOptions options = {}) {
  const Input input(X.view());
  return make_model(method, input, options, method_named(method)->embed(input, options, {}));
}

TEST(Model, TrainingRowsFallOnTheirOwnPlacesWhateverTheMethod) {
  const Matrix<double> X = small_roll(150).X;
  for (const Method& method : methods()) {
    if (method.name == "mds") continue;
    MethodOptions options;
    options.tsne.iterations = 60;
    options.umap.n_epochs = 20;
    const Input input(X.view());
    const EmbeddingRun run = method.embed(input, options, {});
    const Model model = make_model(method.name, input, options, run);
    SCOPED_TRACE(method.name);
    expect_equal(place(model, X), run.embedding.coordinates);
  }
}

/// A context that counts searches for neighbours: each begins with a report of nothing done.
struct SearchCount {
  std::size_t n = 0;
  Context context() {
    return {.on_progress = [this](const Progress& progress) {
      n += progress.stage == "neighbours" && progress.done == 0 ? 1 : 0;
      return Next::go_on;
    }};
  }
};

TEST(Model, NeighboursThatTheRunKeptAreNotSearchedForAgain) {
  for (const std::size_t dim : {std::size_t{3}, std::size_t{20}}) {  // by a tree, by brute force
    const Matrix<double> X = small_roll(300, 3, dim).X;
    const Input input(X.view());
    for (const char* name :
         {"heatgeo", "phate", "diffusion-map", "umap", "tsne", "shortest-path"}) {
      SCOPED_TRACE(name);
      MethodOptions options;
      options.pca = PcaOptions{.rank = 0};
      options.tsne.iterations = 20;
      options.umap.n_epochs = 10;
      options.refine = RefineOptions{.epochs = 0};
      SearchCount plain, keeping;
      const Method& method = *method_named(name);
      const EmbeddingRun without = method.embed(input, options, plain.context());
      const std::size_t n_alone = plain.n;
      const Model searched = make_model(name, input, options, without, plain.context());
      EXPECT_GT(plain.n, n_alone);
      options.keep_neighbors = model_neighbors;
      const EmbeddingRun run = method.embed(input, options, keeping.context());
      const Model model = make_model(name, input, options, run, keeping.context());
      EXPECT_EQ(keeping.n, n_alone);
      // The map and the model are the same, to the bit.
      expect_equal(run.embedding.coordinates, without.embedding.coordinates);
      EXPECT_EQ(model.neighbors.knn, searched.neighbors.knn);
      EXPECT_EQ(model.neighbors.offsets, searched.neighbors.offsets);
      EXPECT_EQ(model.neighbors.indices, searched.neighbors.indices);
      EXPECT_EQ(model.neighbors.distances, searched.neighbors.distances);
    }
  }
}

TEST(Model, NeighboursOfReducedPointsAreKeptAndThoseOfSmoothedPointsAreNot) {
  const Matrix<double> X = small_roll(300, 3, 20).X;
  const Input input(X.view());
  MethodOptions options{.pca = PcaOptions{.rank = 5}};
  const Model searched = make_model("heatgeo", input, options, heat_geo(input, options));
  options.keep_neighbors = model_neighbors;
  const EmbeddingRun run = heat_geo(input, options);
  ASSERT_EQ(run.distances.neighbors.n_points, X.rows());
  const Model model = make_model("heatgeo", input, options, run);
  EXPECT_EQ(model.neighbors.indices, searched.neighbors.indices);
  // Scores of the run and prepared rows of the model are the same sums in another order.
  for (std::size_t k = 0; k < model.neighbors.distances.size(); ++k) {
    EXPECT_NEAR(model.neighbors.distances[k], searched.neighbors.distances[k], 1e-10);
  }
  options.smooth = SmoothOptions{.steps = 2};
  EXPECT_EQ(heat_geo(input, options).distances.neighbors.n_points, 0U);
}

TEST(Model, TrainingRowsFallOnTheirOwnPlacesAfterPcaInEveryMetricAndWithDuplicates) {
  Matrix<double> X = small_roll(120, 3, 12).X;
  for (std::size_t c = 0; c < X.cols(); ++c) {
    X(7, c) = X(3, c);      // the same row twice
    X(9, c) = 2 * X(5, c);  // the same direction: distance 0 under cosine, another place
  }
  for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::correlation}) {
    for (const bool with_pca : {false, true}) {
      MethodOptions options;
      options.neighbors.metric = metric;
      if (with_pca) options.pca = PcaOptions{.rank = 5};
      const Input input(X.view());
      const EmbeddingRun run = heat_geo(input, options);
      const Model model = make_model("heatgeo", input, options, run);
      EXPECT_EQ(model.n_unique(), 119U);
      expect_equal(place(model, X), run.embedding.coordinates);
    }
  }
}

TEST(Model, Float32PointsStayFloat32AndEqualRowsInDoubleAreRecognised) {
  const Matrix<double> X = small_roll(100, 3, 10).X;
  Matrix<float> single(X.rows(), X.cols());
  for (std::size_t k = 0; k < X.size(); ++k) single.data()[k] = static_cast<float>(X.data()[k]);
  const Input input(single.view());
  const MethodOptions options{.pca = PcaOptions{.rank = 0}};  // components would be double
  const EmbeddingRun run = heat_geo(input, options);
  const Model model = make_model("heatgeo", input, options, run);
  EXPECT_TRUE(std::holds_alternative<Matrix<float>>(model.points));
  expect_equal(place(model, single), run.embedding.coordinates);
  Matrix<double> wide(X.rows(), X.cols());
  for (std::size_t k = 0; k < X.size(); ++k) wide.data()[k] = static_cast<double>(single.data()[k]);
  expect_equal(place(model, wide), run.embedding.coordinates);
}

TEST(Model, APlaceDependsOnItsRowAlone) {
  for (const std::size_t dim : {3, 20}) {
    const Matrix<double> X = small_roll(300, 3, dim).X;
    const Model model = model_of("heatgeo", X);
    const Matrix<double> fresh = small_roll(200, 8, dim).X;
    const Matrix<double> together = place(model, fresh);
    const Placer placer(model);
    for (std::size_t i = 0; i < fresh.rows(); i += 11) {
      const MatrixView<const double> one{fresh.row(i).data(), 1, dim, dim};
      const Matrix<double> alone = placer.place(one);
      for (std::size_t c = 0; c < 2; ++c) EXPECT_EQ(alone(0, c), together(i, c));
    }
    Matrix<double> reversed(fresh.rows(), dim);
    for (std::size_t i = 0; i < fresh.rows(); ++i) {
      std::copy_n(fresh.row(fresh.rows() - 1 - i).begin(), dim, reversed.row(i).begin());
    }
    for (const std::size_t n_threads : {1, 2, 8}) {
      ThreadPool pool(n_threads);
      const Context context{.executor = &pool};
      expect_equal(place(model, fresh, context), together);
      const Matrix<double> backwards = placer.place(reversed, context);
      for (std::size_t i = 0; i < fresh.rows(); ++i) {
        EXPECT_EQ(backwards(fresh.rows() - 1 - i, 0), together(i, 0));
      }
    }
  }
}

TEST(Model, PlacesOfHeldOutPointsKeepTheGeodesicsAsTrainingPointsDo) {
  const Dataset roll = small_roll(1200);
  const Matrix<double> X = rows_of(roll.X, 0, 3);  // every third trains; the others are new
  const Matrix<double> fresh = rows_of(roll.X, 1, 3);
  for (const char* method : {"heatgeo", "phate", "shortest-path"}) {
    const Model model = model_of(method, X);
    const Matrix<double> places = place(model, fresh);
    const std::size_t n = model.n_unique();
    // Pearson over all pairs (other, training point) of map distance and true geodesic.
    const auto correlation = [&](const Matrix<double>& of, std::size_t first) {
      double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, count = 0;
      for (std::size_t i = 0; i < of.rows(); ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          const double x =
              std::hypot(of(i, 0) - model.coordinates(j, 0), of(i, 1) - model.coordinates(j, 1));
          const double y = roll.geodesic(first + 3 * i, 3 * j);
          sx += x, sy += y, sxx += x * x, syy += y * y, sxy += x * y, ++count;
        }
      }
      return (sxy - sx * sy / count) / std::sqrt((sxx - sx * sx / count) * (syy - sy * sy / count));
    };
    const double trained = correlation(model.coordinates, 0);
    EXPECT_GT(correlation(places, 1), trained - 0.005) << method;
    // PHATE's own map of this roll keeps least of them.
    EXPECT_GT(trained, 0.7) << method;
  }
}

TEST(Model, APlaceNearsThatOfATrainingPointAsTheRowDoes) {
  const Matrix<double> X = small_roll(200).X;
  const Model model = model_of("heatgeo", X);
  for (const std::size_t i : {0, 57, 123}) {
    double last = 1e300;
    for (const double gap : {1e-2, 1e-4, 1e-6}) {
      Matrix<double> near(1, 3);
      for (std::size_t c = 0; c < 3; ++c) near(0, c) = X(i, c) + gap;
      const Matrix<double> there = place(model, near);
      const double off =
          std::hypot(there(0, 0) - model.coordinates(i, 0), there(0, 1) - model.coordinates(i, 1));
      EXPECT_LE(off, last);
      last = off;
    }
    EXPECT_LT(last, 1e-6);
  }
}

TEST(Model, OddModelsAndOddRowsGiveFinitePlaces) {
  Matrix<double> equal(5, 3, 1.5);
  const Model at_one_place = model_of("heatgeo", equal);
  Matrix<double> rows(3, 3, 0.0);
  rows(1, 0) = 1e300;
  rows(2, 1) = -1e-300;
  for (const Model& model : {at_one_place, model_of("heatgeo", small_roll(40).X)}) {
    const Matrix<double> places = place(model, rows);
    for (std::size_t k = 0; k < places.size(); ++k) EXPECT_TRUE(std::isfinite(places.data()[k]));
  }
  EXPECT_EQ(place(at_one_place, rows)(1, 0), 0.0);
  EXPECT_EQ(place(at_one_place, MatrixView<const double>{nullptr, 0, 3, 3}).rows(), 0U);
  Matrix<double> huge = small_roll(60).X;
  for (std::size_t k = 0; k < huge.size(); ++k) huge.data()[k] *= 1e298;
  const Model of_huge = model_of("shortest-path", huge);
  const Matrix<double> places = place(of_huge, rows);
  for (std::size_t k = 0; k < places.size(); ++k) EXPECT_TRUE(std::isfinite(places.data()[k]));
}

TEST(Model, RefusesRowsAndInputsThatDoNotFit) {
  const Model model = model_of("heatgeo", small_roll(40).X);
  EXPECT_THROW(place(model, Matrix<double>(2, 4)), InvalidData);
  EXPECT_THROW(place(model, Matrix<double>(2, 3, std::nan(""))), InvalidArgument);
  Model broken = model;
  broken.n_neighbors = 0;
  broken.keys.pop_back();
  EXPECT_EQ(issues_with(broken).size(), 2U);
  EXPECT_THROW(place(broken, Matrix<double>(1, 3)), InvalidArgument);
}

TEST(Preparation, TreatsRowsAsTheRoomOfPointsDoes) {
  Matrix<double> counts(30, 6);
  Rng rng(4, "test.counts");
  for (std::size_t k = 0; k < counts.size(); ++k) {
    counts.data()[k] = static_cast<double>(rng.below(9));
  }
  const Matrix<double> logs = log_normalize(counts, 100.0);
  const Matrix<double> kept = prepare({.n_columns = 6, .target_sum = 100.0}, counts);
  for (std::size_t k = 0; k < logs.size(); ++k) EXPECT_DOUBLE_EQ(kept.data()[k], logs.data()[k]);

  const Matrix<double> scored = standardize(logs);
  Preparation steps{.n_columns = 6, .target_sum = 100.0, .columns = {4, 1}};
  for (const Index c : steps.columns) {
    const auto column = static_cast<std::size_t>(c);
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < 30; ++i) mean += logs(i, column) / 30;
    for (std::size_t i = 0; i < 30; ++i) square += std::pow(logs(i, column) - mean, 2) / 30;
    steps.shift.push_back(mean);
    steps.scale.push_back(1 / std::sqrt(square));
  }
  const Matrix<double> two = prepare(steps, counts);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(two(i, 0), scored(i, 4), 1e-12);
    EXPECT_NEAR(two(i, 1), scored(i, 1), 1e-12);
  }

  const Pca fitted = pca(logs, {.rank = 3});
  const Matrix<double> projected =
      prepare({.n_columns = 6, .shift = fitted.mean, .rotation = fitted.components}, logs);
  for (std::size_t k = 0; k < projected.size(); ++k) {
    EXPECT_NEAR(projected.data()[k], fitted.scores.data()[k], 1e-12);
  }
}

TEST(Preparation, KeysTellRowsApartAndTakeBothZerosAsOne) {
  Matrix<double> rows(4, 2, 0.0);
  rows(1, 0) = -0.0;
  rows(2, 0) = 1;
  rows(3, 1) = 1;
  const std::vector<RowKey> keys = row_keys(rows);
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_NE(keys[0], keys[2]);
  EXPECT_NE(keys[2], keys[3]);
}

TEST(Model, MeasuresHowFarNewPointsAreInUnitsOfItsOwnSpacing) {
  const Matrix<double> points = small_roll(100).X;
  const Model model = model_of("heatgeo", points);
  const Placer placer(model);
  const Placement own = placer.place_and_measure(points.view());
  EXPECT_EQ(own.remoteness, std::vector<double>(100, 0.0));
  Matrix<double> away = points;
  for (std::size_t i = 0; i < away.size(); ++i) away.data()[i] += 50;
  const Placement far = placer.place_and_measure(away.view());
  EXPECT_GT(*std::min_element(far.remoteness.begin(), far.remoteness.end()), 10);
  expect_equal(far.coordinates, placer.place(away.view()));
}

}  // namespace
}  // namespace geotherm
