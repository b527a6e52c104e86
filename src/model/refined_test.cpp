// Whose votes place a new row in a refined map, against plain loops; nearness to training points.
#include "model/refined.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "geotherm/geotherm.hpp"

namespace geotherm {
namespace {

/// Three groups of unlike density.
Matrix<double> groups(std::size_t n, std::uint64_t seed) {
  Rng rng(seed, "test.groups");
  Matrix<double> X(n, 5);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < 5; ++c) {
      X(i, c) = static_cast<double>(i % 3 + 1) * rng.normal() + (c == i % 3 ? 9.0 : 0.0);
    }
  }
  return X;
}

using Weights = std::map<Index, double>;

/// Weights of the `most` nearest by distance over the root of their own tenth distance.
std::vector<std::pair<Index, double>> plain(const NeighborLists& lists,
                                            std::span<const Index> neighbors,
                                            std::span<const double> distances, std::size_t most) {
  std::vector<std::pair<double, Index>> scaled;
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    scaled.emplace_back(
        distances[k] / std::sqrt(lists.lengths(static_cast<std::size_t>(neighbors[k]))[9]),
        neighbors[k]);
  }
  std::sort(scaled.begin(), scaled.end());
  scaled.resize(std::min(most, scaled.size()));
  std::vector<std::pair<Index, double>> weights;
  double total = 0;
  for (const auto& [d, j] : scaled) {
    const double u = d / scaled.back().first;
    weights.emplace_back(j, std::exp(-2 * u * u) / (u * u));
    total += weights.back().second;
  }
  for (auto& [j, w] : weights) w /= total;
  return weights;
}

TEST(RefinedVotes, AreThoseOfPlainLoops) {
  const Matrix<double> X = groups(200, 1), fresh = groups(40, 2);
  const NeighborLists lists = find_neighbors(X, {.knn = 15});
  const detail::RefinedVotes refined(lists);
  for (std::size_t i = 0; i < fresh.rows(); ++i) {
    std::vector<std::pair<double, Index>> all;
    for (std::size_t j = 0; j < X.rows(); ++j) {
      double squared = 0;
      for (std::size_t c = 0; c < 5; ++c) squared += std::pow(fresh(i, c) - X(j, c), 2);
      all.emplace_back(std::sqrt(squared), static_cast<Index>(j));
    }
    std::sort(all.begin(), all.end());
    std::vector<Index> neighbors;
    std::vector<double> distances;
    for (std::size_t k = 0; k < 20; ++k) {
      neighbors.push_back(all[k].second);
      distances.push_back(all[k].first);
    }
    const auto own = plain(lists, neighbors, distances, 10);
    Weights wanted;
    for (const auto& [j, w] : own) {
      wanted[j] += w;
      const auto row = static_cast<std::size_t>(j);
      for (const auto& [l, v] : plain(lists, lists.neighbors(row), lists.lengths(row), 3)) {
        wanted[l] += 3 * w * (1 - w) * v;
      }
    }
    std::vector<detail::Vote> votes;
    ASSERT_EQ(refined.take(neighbors, distances, votes), 10U);
    ASSERT_EQ(votes.size(), wanted.size());
    for (std::size_t k = 0; k < votes.size(); ++k) {
      EXPECT_NEAR(votes[k].weight, wanted.at(votes[k].point), 1e-12);
      if (k < 10) {
        EXPECT_EQ(votes[k].point, own[k].first);
      }
    }
  }
}

TEST(RefinedVotes, OfPointsAmongTheirEqualsAreFinite) {
  Matrix<double> X(60, 2);
  for (std::size_t i = 0; i < 60; ++i) X(i, 0) = i < 40 ? 0.0 : static_cast<double>(i);
  const NeighborLists lists = find_neighbors(X, {.knn = 15});
  const detail::RefinedVotes refined(lists);
  const std::vector<Index> neighbors = {3, 50, 51};
  const std::vector<double> distances = {0.5, 2, 3};
  std::vector<detail::Vote> votes;
  refined.take(neighbors, distances, votes);
  for (const detail::Vote& vote : votes) EXPECT_TRUE(vote.weight >= 0 && vote.weight <= 4);
}

TEST(RefinedVotes, InARefinedMapAPlaceNearsThatOfATrainingPointAsTheRowDoes) {
  const Matrix<double> X = groups(400, 3);
  MethodOptions options;
  options.refine = RefineOptions{.epochs = 60};
  const Input input(X.view());
  const EmbeddingRun run = heat_geo(input, options);
  const Model model = make_model("heatgeo", input, options, run);
  ASSERT_GT(model.refined_unit, 0);
  for (const std::size_t i : {0, 77, 200, 399}) {
    double last = 1e300;
    for (const double gap : {1e-2, 1e-4, 1e-6}) {
      Matrix<double> near(1, 5);
      for (std::size_t c = 0; c < 5; ++c) near(0, c) = X(i, c) + gap;
      const Matrix<double> there = place(model, near);
      const double off =
          std::hypot(there(0, 0) - model.coordinates(i, 0), there(0, 1) - model.coordinates(i, 1));
      EXPECT_LE(off, last);
      last = off;
    }
    EXPECT_LT(last, 1e-6);
  }
}

TEST(RefinedVotes, InARefinedMapAPlaceDependsOnItsRowAlone) {
  const Matrix<double> X = groups(400, 3), fresh = groups(50, 4);
  MethodOptions options;
  options.refine = RefineOptions{.epochs = 60};
  const Input input(X.view());
  const Model model = make_model("heatgeo", input, options, heat_geo(input, options));
  ASSERT_GT(model.refined_unit, 0);
  const Placer placer(model);
  ThreadPool pool(3);
  const Matrix<double> together = placer.place(fresh.view(), {.executor = &pool});
  for (std::size_t i = 0; i < fresh.rows(); i += 7) {
    const MatrixView<const double> row{fresh.row(i).data(), 1, 5, 5};
    const Matrix<double> alone = placer.place(row);
    EXPECT_EQ(alone(0, 0), together(i, 0));
    EXPECT_EQ(alone(0, 1), together(i, 1));
  }
}

}  // namespace
}  // namespace geotherm
