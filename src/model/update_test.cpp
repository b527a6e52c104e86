// Maps that grow: neighbours as a search of all rows finds them, old places as they were, and how far a
// held map moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geotherm/model.hpp"

namespace geotherm {
namespace {

Matrix<double> cloud(std::size_t n, std::size_t dims, std::uint64_t seed) {
  Rng rng(seed, "test.growing");
  Matrix<double> rows(n, dims);
  for (std::size_t k = 0; k < rows.size(); ++k) rows.data()[k] = rng.normal();
  return rows;
}

Matrix<double> stacked(const Matrix<double>& above, const Matrix<double>& below) {
  Matrix<double> all(above.rows() + below.rows(), above.cols());
  std::copy_n(above.data(), above.size(), all.data());
  std::copy_n(below.data(), below.size(), all.data() + above.size());
  return all;
}

Model model_of(const Input& input, const MethodOptions& options = {},
               std::string_view method = "heatgeo") {
  return make_model(method, input, options, method_named(method)->embed(input, options, {}));
}

void expect_same(const GrownModel& a, const GrownModel& b) {
  EXPECT_EQ(a.new_inverse, b.new_inverse);
  EXPECT_EQ(a.novelty, b.novelty);
  EXPECT_EQ(a.model.neighbors.offsets, b.model.neighbors.offsets);
  EXPECT_EQ(a.model.neighbors.indices, b.model.neighbors.indices);
  EXPECT_EQ(a.model.neighbors.distances, b.model.neighbors.distances);
  ASSERT_EQ(a.model.coordinates.size(), b.model.coordinates.size());
  EXPECT_TRUE(std::equal(a.model.coordinates.data(),
                         a.model.coordinates.data() + a.model.coordinates.size(),
                         b.model.coordinates.data()));
}

TEST(GrownModels, HaveTheNeighboursOfASearchOfAllRows) {
  for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::manhattan}) {
    for (const std::size_t dims : {3, 12}) {
      SCOPED_TRACE(std::string(to_string(metric)) + " " + std::to_string(dims));
      const Matrix<double> old = cloud(200, dims, 1), fresh = cloud(40, dims, 2);
      MethodOptions options;
      options.neighbors.metric = metric;
      options.pca = PcaOptions{.rank = 0};
      const Model model = model_of(old, options);
      const GrownModel grown = grow_model(model, fresh.view());
      const NeighborLists& found = grown.model.neighbors;
      const NeighborLists truth =
          find_neighbors(stacked(old, fresh), {.knn = model.neighbors.knn, .metric = metric});
      EXPECT_EQ(found.offsets, truth.offsets);
      EXPECT_EQ(found.indices, truth.indices);
      // The index of new rows may measure in other units: the last digits may differ.
      for (std::size_t k = 0; k < truth.distances.size(); ++k) {
        ASSERT_NEAR(found.distances[k], truth.distances[k], 1e-12);
      }
      EXPECT_TRUE(issues_with(grown.model).empty());
    }
  }
}

TEST(GrownModels, KeepOldPlacesAndTheSameBitsForAnyNumberOfThreads) {
  const Matrix<double> old = cloud(300, 5, 3), fresh = cloud(70, 5, 4);
  const Model model = model_of(old);
  const GrownModel grown = grow_model(model, fresh.view());
  EXPECT_TRUE(std::equal(model.coordinates.data(), model.coordinates.data() + model.coordinates.size(),
                         grown.model.coordinates.data()));
  for (const std::size_t n_threads : {1, 2, 8}) {
    ThreadPool pool(n_threads);
    expect_same(grow_model(model, fresh.view(), {.executor = &pool}), grown);
  }
  // New rows are training rows from then on: they fall on their own places, and are not novel.
  const Placement again = Placer(grown.model).place_and_measure(fresh.view());
  EXPECT_TRUE(std::equal(again.coordinates.data(), again.coordinates.data() + again.coordinates.size(),
                         grown.model.coordinates.row(300).data()));
  for (const double novelty : again.novelty) EXPECT_EQ(novelty, 0);
}

TEST(GrownModels, ByRowsThatAreKnownOrEqualShareTheirPlaces) {
  const Matrix<double> old = cloud(120, 4, 5);
  Matrix<double> fresh = cloud(5, 4, 6);
  std::copy_n(old.row(7).begin(), 4, fresh.row(1).begin());
  std::copy_n(fresh.row(0).begin(), 4, fresh.row(3).begin());
  Model model = model_of(old);
  model.labels = {unique_row_labels(model, "kind", std::vector<std::string>(120, "a"))};
  const GrownModel grown = grow_model(model, fresh.view());
  EXPECT_EQ(grown.new_inverse, (std::vector<Index>{120, 7, 121, 120, 122}));
  EXPECT_EQ(grown.model.n_unique(), 123U);
  EXPECT_EQ(grown.model.n_rows(), 125U);
  EXPECT_EQ(grown.model.labels[0].codes.size(), 123U);
  EXPECT_EQ(grown.model.labels[0].codes[121], -1);
  // Growing by nothing, and by known rows alone, changes no place.
  const GrownModel same = grow_model(grown.model, old.view());
  EXPECT_EQ(same.model.n_unique(), 123U);
  const GrownModel none = grow_model(model, Matrix<double>(0, 4).view());
  EXPECT_EQ(none.model.n_unique(), 120U);
}

TEST(GrownModels, OfDistancesGrowByDistances) {
  const Matrix<double> X = cloud(90, 3, 7);
  const auto between = [&](std::size_t first, std::size_t last) {
    Matrix<double> d(last - first, 80);
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t j = 0; j < 80; ++j) {
        double sum = 0;
        for (std::size_t c = 0; c < 3; ++c) sum += (X(i, c) - X(j, c)) * (X(i, c) - X(j, c));
        d(i - first, j) = std::sqrt(sum);
      }
    }
    return d;
  };
  const Matrix<double> among = between(0, 80), to_old = between(80, 90);
  const Model model = model_of(DistanceMatrix{among.view()});
  const GrownModel grown = grow_model(model, Placer(model).place_by_distances(to_old.view()));
  EXPECT_EQ(grown.model.n_rows(), 90U);
  EXPECT_TRUE(issues_with(grown.model).empty());
  EXPECT_THROW(grow_model(model, X.view()), InvalidArgument);
  const Model of_points = model_of(X);
  EXPECT_THROW(grow_model(of_points, Placer(model).place_by_distances(to_old.view())),
               InvalidArgument);
}

TEST(GrownModels, RefuseRowsOfOtherColumnsAndNumbersThatAreNone) {
  const Model model = model_of(cloud(60, 3, 8));
  EXPECT_THROW(grow_model(model, cloud(4, 2, 9).view()), InvalidData);
  Matrix<double> odd = cloud(4, 3, 9);
  odd(2, 1) = std::nan("");
  EXPECT_THROW(grow_model(model, odd.view()), InvalidData);
}

TEST(HeldMaps, LieBetweenTheStartAndTheNewLayoutTurnedOntoIt) {
  const Matrix<double> start = cloud(50, 2, 10);
  // The same map, turned, mirrored and moved: nothing to hold against.
  Matrix<double> made(50, 2);
  for (std::size_t i = 0; i < 50; ++i) {
    made(i, 0) = 0.6 * start(i, 0) - 0.8 * start(i, 1) + 5;
    made(i, 1) = -(0.8 * start(i, 0) + 0.6 * start(i, 1)) - 2;
  }
  for (const double hold : {0.0, 0.3, 1.0}) {
    const Matrix<double> held = held_map(start.view(), made.view(), 40, hold);
    // 1e-12: a turn of fifty rows of about 1.
    EXPECT_LT(movement_between(start.view(), held.view()).largest, 1e-12) << hold;
  }
  const Matrix<double> other = cloud(50, 2, 11);
  // With no hold it is the new layout, as it was turned: nothing of the old one is in it.
  const Matrix<double> free = held_map(start.view(), other.view(), 50, 0);
  double gap = 0;
  for (std::size_t i = 1; i < 50; ++i) {
    gap = std::max(gap, std::abs(std::hypot(free(i, 0) - free(0, 0), free(i, 1) - free(0, 1)) -
                                 std::hypot(other(i, 0) - other(0, 0), other(i, 1) - other(0, 1))));
  }
  EXPECT_LT(gap, 1e-12);
  EXPECT_THROW(held_map(start.view(), other.view(), 50, 1.5), InvalidArgument);
  EXPECT_THROW(held_map(start.view(), other.view(), 50, std::nan("")), InvalidArgument);
}

TEST(HeldMaps, MoveByTheirShareOfWhatPointsNearbyHaveInCommon) {
  const Matrix<double> start = cloud(6000, 2, 12);  // more than are sampled
  Matrix<double> made = start;
  for (std::size_t i = 0; i < 6000; ++i) {
    made(i, 0) += 0.05 * start(i, 0);
    made(i, 1) -= 0.05 * start(i, 1);
  }
  const auto moved = [&](double hold) {
    return movement_between(start.view(), held_map(start.view(), made.view(), 6000, hold).view())
        .mean;
  };
  // Means within reach: displacements of a bent sheet lose a few percent.
  EXPECT_NEAR(moved(0.5), 0.5 * moved(0), 0.03 * moved(0));
  EXPECT_NEAR(moved(0.8), 0.2 * moved(0), 0.03 * moved(0));
  EXPECT_NEAR(moved(0.2), 0.8 * moved(0), 0.03 * moved(0));
}

TEST(HeldMaps, LeaveNoPointBetweenGroupsAndNeighboursTogether) {
  // Two groups, shuffled inside; one row in twenty changes sides.
  Matrix<double> start = cloud(400, 2, 13), made = cloud(400, 2, 14);
  for (std::size_t i = 0; i < 400; ++i) {
    const bool changes = i % 20 == 7;
    start(i, 0) += i % 2 == 0 ? 0 : 40;
    made(i, 0) += (i % 2 == 0) != changes ? 0 : 40;
  }
  for (const double hold : {0.1, 0.4, 0.5, 0.9}) {
    const Matrix<double> held = held_map(start.view(), made.view(), 400, hold);
    std::size_t n_between = 0;
    for (std::size_t i = 0; i < 400; ++i) {
      n_between += held(i, 0) > 8 && held(i, 0) < 32 ? 1 : 0;
    }
    EXPECT_EQ(n_between, 0U) << hold;
    ThreadPool pool(3);
    const Matrix<double> again =
        held_map(start.view(), made.view(), 400, hold, {.executor = &pool});
    EXPECT_TRUE(std::equal(held.data(), held.data() + held.size(), again.data()));
    if (hold < 0.5) continue;
    // Whoever was nearest still is about as near.
    for (std::size_t i = 0; i < 400; ++i) {
      std::size_t nearest = i == 0 ? 1 : 0;
      for (std::size_t j = 0; j < 400; ++j) {
        const auto far = [&](std::size_t k) {
          return std::hypot(start(i, 0) - start(k, 0), start(i, 1) - start(k, 1));
        };
        if (j != i && far(j) < far(nearest)) nearest = j;
      }
      EXPECT_LT(std::hypot(held(i, 0) - held(nearest, 0), held(i, 1) - held(nearest, 1)), 2.5);
    }
  }
}

TEST(LaidOutAgain, MapsKeepNewRowsAmongTheirKindAtEveryHold) {
  // Groups in ten dimensions, and a tenth of new rows.
  const Dataset blobs = synthesize(Shape::blobs, {.n = 990, .noise = 1});
  Matrix<double> old(900, 10), fresh(90, 10);
  for (std::size_t i = 0; i < 990; ++i) {
    const bool is_new = i % 11 == 10;
    std::copy_n(blobs.X.row(i).begin(), 10,
                is_new ? fresh.row(i / 11).begin() : old.row(i - i / 11).begin());
  }
  const Model model = model_of(old, {}, "umap");
  for (const double hold : {0.3, 0.7}) {
    GrownModel grown = grow_model(model, fresh.view());
    EXPECT_EQ(lay_out_again(grown.model, 900, hold), Outcome::converged);
    std::size_t n_own = 0;
    for (std::size_t i = 900; i < 990; ++i) {
      std::size_t nearest = 0;
      for (std::size_t j = 1; j < 900; ++j) {
        const auto far = [&](std::size_t k) {
          return std::hypot(grown.model.coordinates(i, 0) - grown.model.coordinates(k, 0),
                            grown.model.coordinates(i, 1) - grown.model.coordinates(k, 1));
        };
        if (far(j) < far(nearest)) nearest = j;
      }
      const std::size_t row = (i - 900) * 11 + 10, of_nearest = nearest + nearest / 10;
      n_own += blobs.label[row] == blobs.label[of_nearest] ? 1 : 0;
    }
    EXPECT_GT(n_own, 80U) << hold;
  }
  GrownModel grown = grow_model(model_of(old, {}, "pca"), fresh.view());
  EXPECT_THROW(lay_out_again(grown.model, 900, 0.5), InvalidArgument);
}

TEST(Movements, AreSharesOfTheLargerSideOfTheEarlierMap) {
  Matrix<double> before(3, 2), after(3, 2);
  before(1, 0) = 10;
  before(2, 1) = 4;
  after(1, 0) = 10;
  after(2, 1) = 4;
  after(0, 1) = 5;
  const Movement movement = movement_between(before.view(), after.view());
  EXPECT_DOUBLE_EQ(movement.largest, 0.5);
  EXPECT_DOUBLE_EQ(movement.median, 0);
  EXPECT_DOUBLE_EQ(movement.mean, 0.5 / 3);
  EXPECT_THROW(movement_between(before.view(), Matrix<double>(2, 2).view()), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
