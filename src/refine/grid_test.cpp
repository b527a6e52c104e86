#include "refine/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "refine/descent.hpp"
#include "refine/objective.hpp"

namespace geotherm::detail {
namespace {

/// Planes of n places: most in three clumps, some far out where there are many empty cells.
std::vector<float> clumps(std::size_t n, std::size_t dimensions, double far) {
  Rng rng(3, "grid.test");
  std::vector<float> places(n * dimensions);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < dimensions; ++k) {
      const double centre = i % 4 == 3 ? far * rng.normal() : 8.0 * static_cast<double>(i % 3);
      places[k * n + i] = static_cast<float>(centre + 2 * rng.normal());
    }
  }
  return places;
}

float squared(std::span<const float> places, std::size_t n, std::size_t a, std::size_t b) {
  float sum = 0;
  for (std::size_t k = 0; k * n < places.size(); ++k) {
    const float gap = places[k * n + a] - places[k * n + b];
    sum += gap * gap;
  }
  return sum;
}

TEST(RefineGrid, FindsAllPointsWithinReachOnceWhateverTheSizeOfTheMap) {
  constexpr std::size_t n = 400;
  for (const std::size_t dimensions : {1u, 2u, 3u}) {
    // From one cell to far more cells than buckets.
    for (const double far : {0.0, 10.0, 1e3, 1e5}) {
      const std::vector<float> places = clumps(n, dimensions, far);
      for (const float reach : {0.5F, 3.0F, 1e3F}) {
        RefineGrid grid;
        grid.sort(places, dimensions, reach, {});
        std::vector<Index> all(grid.order().begin(), grid.order().end());
        for (std::size_t r = 0; r < n; ++r) {
          const auto i = static_cast<std::size_t>(grid.order()[r]);
          for (std::size_t k = 0; k < dimensions; ++k) {
            ASSERT_EQ(grid.plane(k)[r], places[k * n + i]);
          }
          std::vector<int> times(n, 0);
          const RefineGrid::Surroundings around = grid.around(r);
          for (std::size_t s = 0; s < around.count; ++s) {
            for (std::uint32_t q = around.ranges[s].begin; q < around.ranges[s].end; ++q) {
              ++times[static_cast<std::size_t>(grid.order()[q])];
            }
          }
          for (std::size_t j = 0; j < n; ++j) {
            ASSERT_LE(times[j], 1) << dimensions << " " << far << " " << reach;
            if (squared(places, n, i, j) < reach * reach) {
              ASSERT_EQ(times[j], 1) << dimensions << " " << far << " " << reach;
            }
          }
        }
        std::ranges::sort(all);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(all[i], static_cast<Index>(i));
      }
    }
  }
}

Matrix<double> as_map(std::span<const float> places, std::size_t dimensions) {
  const std::size_t n = places.size() / dimensions;
  Matrix<double> map(n, dimensions);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < dimensions; ++k) map(i, k) = static_cast<double>(places[k * n + i]);
  }
  return map;
}

/// Every pair of points, in double precision.
std::vector<std::vector<double>> pushes_by_brute_force(const Matrix<double>& map) {
  std::vector<std::vector<double>> result;
  for (std::size_t i = 0; i < map.rows(); ++i) {
    std::vector<double> push(map.cols() + 2, 0.0);
    for (std::size_t j = 0; j < map.rows(); ++j) {
      double square = 0;
      for (std::size_t k = 0; k < map.cols(); ++k) square += std::pow(map(i, k) - map(j, k), 2);
      if (j == i || square >= static_cast<double>(refine_reach) * refine_reach) continue;
      const double q = 1 / (1 + square);
      for (std::size_t k = 0; k < map.cols(); ++k) push[k] += q * q * (map(i, k) - map(j, k));
      push[map.cols()] += q * q;
      push[map.cols() + 1] += q;
    }
    result.push_back(std::move(push));
  }
  return result;
}

SparseMatrix nobody(std::size_t n) {
  return {.rows = n, .cols = n, .offsets = std::vector<std::size_t>(n + 1, 0)};
}

TEST(RefineGrid, KeepsPointsOfABucketInTheOrderTheyAreGivenIn) {
  constexpr std::size_t n = 500;
  const std::vector<float> places = clumps(n, 2, 5.0);
  std::vector<Index> backwards(n);
  for (std::size_t i = 0; i < n; ++i) backwards[i] = static_cast<Index>(n - 1 - i);
  RefineGrid plain, turned;
  plain.sort(places, 2, refine_reach, {});
  turned.sort(places, 2, refine_reach, {}, backwards);
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && plain.bucket_of_rank(end) == plain.bucket_of_rank(begin)) ++end;
    for (std::size_t r = begin; r < end; ++r) {
      EXPECT_EQ(turned.order()[r], plain.order()[end - 1 - (r - begin)]);
    }
    begin = end;
  }
}

TEST(RefinePush, IsTheSumOverAllPointsWithinReach) {
  constexpr std::size_t n = refine_lanes * refine_most_groups;  // never a crowded row
  for (const std::size_t dimensions : {1u, 2u, 3u}) {
    for (const double far : {0.0, 10.0, 1e3}) {
      const Matrix<double> map = as_map(clumps(n, dimensions, far), dimensions);
      RefineDescent descent(nobody(n), map.view(), {.epochs = 10});
      const auto expected = pushes_by_brute_force(map);
      const std::vector<RefinePush> found = descent.pushes({});
      for (std::size_t i = 0; i < n; ++i) {
        const double all = expected[i][dimensions + 1];
        // Single precision: 1e-6 of the sum of all terms.
        for (std::size_t k = 0; k < dimensions; ++k) {
          EXPECT_NEAR(static_cast<double>(found[i].force[k]), expected[i][k], 1e-5 * (1 + all));
        }
        EXPECT_NEAR(static_cast<double>(found[i].stiffness), expected[i][dimensions],
                    1e-5 * (1 + all));
        EXPECT_NEAR(static_cast<double>(found[i].near), all, 1e-5 * (1 + all));
      }
    }
  }
}

TEST(RefinePush, OfCrowdedCellsIsRightOnAverage) {
  // Three clumps of 1,000 points: rows hold more than are looked at.
  constexpr std::size_t n = 3000, draws = 200;
  const Matrix<double> map = as_map(clumps(n, 2, 1e-9), 2);
  const auto expected = pushes_by_brute_force(map);
  std::vector<std::array<double, 4>> mean(n, std::array<double, 4>{});
  double of_one = 0, of_mean = 0;
  for (std::size_t seed = 0; seed < draws; ++seed) {
    const Context context{.seed = seed};
    RefineDescent descent(nobody(n), map.view(), {.epochs = 10}, context);
    const std::vector<RefinePush> found = descent.pushes(context);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < 2; ++k) {
        mean[i][k] += static_cast<double>(found[i].force[k]) / draws;
        if (seed == 0) {
          of_one += std::pow(static_cast<double>(found[i].force[k]) - expected[i][k], 2);
        }
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 2; ++k) of_mean += std::pow(mean[i][k] - expected[i][k], 2);
  }
  EXPECT_GT(of_one, 0);  // something was drawn
  // Of independent draws 1 / draws; twice that allows for draws that are alike.
  EXPECT_LT(of_mean, 2 * of_one / draws);
}

}  // namespace
}  // namespace geotherm::detail
