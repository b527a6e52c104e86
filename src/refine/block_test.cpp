#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "geotherm/refine.hpp"
#include "refine/descent.hpp"

namespace geotherm {
namespace {

/// A map in the objective's units with memberships along a random graph.
struct Case {
  Matrix<double> map;
  SparseMatrix memberships;
  double unit = 0;
};

/// `far`: how wide the groups lie; `crowded`: so narrow that rows of cells are drawn from.
Case made_case(std::size_t n, std::size_t dimensions, double far, double width) {
  Case result;
  Rng rng(5, "refine block test");
  result.map = Matrix<double>(n, dimensions);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < dimensions; ++k) {
      result.map(i, k) = far * static_cast<double>(i % 5) + width * rng.normal();
    }
  }
  std::vector<std::vector<std::pair<Index, double>>> rows(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (int e = 0; e < 5; ++e) {
      const std::size_t j = (i + 5 * (1 + static_cast<std::size_t>(9 * rng.uniform()))) % n;
      const double weight = 0.1 + 0.9 * rng.uniform();
      rows[i].emplace_back(static_cast<Index>(j), weight);
      rows[j].emplace_back(static_cast<Index>(i), weight);
    }
  }
  SparseMatrix& w = result.memberships;
  w.rows = w.cols = n;
  w.offsets = {0};
  double total = 0;
  for (auto& row : rows) {
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end(),
                          [](const auto& a, const auto& b) { return a.first == b.first; }),
              row.end());
    for (const auto& [j, weight] : row) {
      w.indices.push_back(j);
      w.values.push_back(static_cast<double>(static_cast<float>(weight)));
      total += w.values.back();
    }
    w.offsets.push_back(w.indices.size());
  }
  result.unit = static_cast<double>(n) / total;
  return result;
}

Matrix<float> planes_of(const Matrix<float>& all, const std::vector<std::size_t>& points) {
  Matrix<float> planes(all.rows(), points.size());
  for (std::size_t k = 0; k < all.rows(); ++k) {
    for (std::size_t p = 0; p < points.size(); ++p) planes(k, p) = all(k, points[p]);
  }
  return planes;
}

/// Epochs in blocks: block_of names the block of each point. Each block is handed all others.
Matrix<float> by_blocks(const Case& c, const std::vector<std::size_t>& block_of,
                        const std::vector<double>& attraction, const Context& context) {
  const std::size_t n = c.map.rows(), dimensions = c.map.cols();
  const std::size_t n_blocks = 1 + *std::ranges::max_element(block_of);
  Matrix<float> all(dimensions, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < dimensions; ++k) all(k, i) = static_cast<float>(c.map(i, k));
  }
  double near = 0;
  for (std::size_t epoch = 0; epoch <= attraction.size(); ++epoch) {
    RefineStep step{.epoch = epoch == 0 ? 0 : epoch - 1, .unit = c.unit};
    if (epoch > 0) {
      step.attraction = attraction[epoch - 1];
      step.near = near;
    }
    for (std::size_t k = 0; k < dimensions; ++k) {
      step.low[k] = *std::ranges::min_element(all.row(k));
    }
    Matrix<float> next = all;
    std::int64_t sum = 0;
    for (std::size_t b = 0; b < n_blocks; ++b) {
      std::vector<std::size_t> own, others, linked;
      for (std::size_t i = 0; i < n; ++i) (block_of[i] == b ? own : others).push_back(i);
      std::ranges::reverse(others);  // in any order, in two parts
      if (b % 2 == 1) std::ranges::reverse(own);
      const std::vector<std::size_t> early(others.begin(), others.begin() + others.size() / 3);
      const std::vector<std::size_t> late(others.begin() + others.size() / 3, others.end());
      std::vector<std::int64_t> ids(own.begin(), own.end());
      std::vector<Index> by_id(own.size());
      std::iota(by_id.begin(), by_id.end(), 0);
      if (b % 2 == 1) std::ranges::reverse(by_id);
      const std::vector<std::int64_t> early_ids(early.begin(), early.end());
      const std::vector<std::int64_t> late_ids(late.begin(), late.end());
      std::vector<std::int64_t> offsets{0};
      std::vector<Index> to;
      std::vector<float> weights;
      for (const std::size_t i : own) {
        const auto row = c.memberships.row_indices(i);
        for (std::size_t e = 0; e < row.size(); ++e) {
          const auto j = static_cast<std::size_t>(row[e]);
          const auto here = std::ranges::find(own, j);
          if (here != own.end()) {
            to.push_back(static_cast<Index>(here - own.begin()));
          } else {
            linked.push_back(j);
            to.push_back(static_cast<Index>(own.size() + linked.size() - 1));
          }
          weights.push_back(static_cast<float>(c.memberships.row_values(i)[e]));
        }
        offsets.push_back(static_cast<std::int64_t>(to.size()));
      }
      const Matrix<float> places = planes_of(all, own), from = planes_of(all, linked);
      const Matrix<float> first = planes_of(all, early), second = planes_of(all, late);
      const RefineMoves moves = refine_block({.ids = ids,
                                              .by_id = by_id,
                                              .coordinates = places.view(),
                                              .offsets = offsets,
                                              .to = to,
                                              .weights = weights,
                                              .linked = from.view(),
                                              .others = {{early_ids, first.view()},
                                                         {late_ids, second.view()}}},
                                             step, context);
      sum += moves.near;
      if (!step.near) continue;
      for (std::size_t k = 0; k < dimensions; ++k) {
        for (std::size_t p = 0; p < own.size(); ++p) next(k, own[p]) = moves.coordinates(k, p);
      }
    }
    near = std::max(1.0, static_cast<double>(sum) / (1 << 20) / static_cast<double>(n));
    all = std::move(next);
  }
  return all;
}

std::vector<std::size_t> blocks_of(const Case& c, std::size_t count, bool by_place) {
  std::vector<std::size_t> result(c.map.rows());
  std::vector<std::size_t> order(c.map.rows());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t i) { return c.map(i, 0); });
  Rng rng(9, "blocks");
  for (std::size_t r = 0; r < order.size(); ++r) {
    result[order[r]] = by_place ? r * count / order.size()
                                : static_cast<std::size_t>(
                                      rng.uniform() * static_cast<double>(count));
  }
  return result;
}

const std::vector<double> attraction{6, 4.4, 2.8, 1.2, 1.2, 1.2};

TEST(RefineBlock, BitsDoNotDependOnBlocksOrThreads) {
  ThreadPool threads(3);
  for (const std::size_t dimensions : {1U, 2U, 3U}) {
    // Beside each other; far apart, so that cells are many; crowded, so that points are drawn.
    for (const auto& [far, width] : {std::pair{2.0, 4.0}, {1e5, 4.0}, {0.5, 0.4}}) {
      const Case c = made_case(1500, dimensions, far, width);
      const Context context{.seed = 3};
      const Matrix<float> whole =
          by_blocks(c, std::vector<std::size_t>(1500, 0), attraction, context);
      for (const auto& [count, by_place] : {std::pair{2U, true}, {7U, true}, {4U, false}}) {
        Context other = context;
        if (by_place) other.executor = &threads;
        const Matrix<float> found = by_blocks(c, blocks_of(c, count, by_place), attraction, other);
        EXPECT_EQ(0, std::memcmp(found.data(), whole.data(), found.size() * sizeof(float)))
            << dimensions << " dimensions, " << far << ", " << count << " blocks";
      }
    }
  }
}

TEST(RefineBlock, MovesPointsAsRefineLayoutDoes) {
  for (const std::size_t dimensions : {1U, 2U, 3U}) {
    const Case c = made_case(1500, dimensions, 6, 4);
    detail::RefineSchedule schedule{.epochs = attraction.size(), .first_attraction = 6};
    std::vector<double> strengths;
    for (std::size_t e = 0; e < schedule.epochs; ++e) strengths.push_back(schedule.attraction(e));
    detail::RefineDescent descent(c.memberships, c.map.view(), schedule, {});
    for (std::size_t e = 0; e < schedule.epochs; ++e) descent.advance({});
    const Matrix<double> expected = descent.coordinates();
    const Matrix<float> found = by_blocks(c, blocks_of(c, 3, true), strengths, {});
    double farthest = 0, moved = 0;
    for (std::size_t i = 0; i < c.map.rows(); ++i) {
      for (std::size_t k = 0; k < dimensions; ++k) {
        farthest = std::max(farthest,
                            std::abs(static_cast<double>(found(k, i)) - expected(i, k)));
        moved = std::max(moved, std::abs(expected(i, k) - c.map(i, k)));
      }
    }
    EXPECT_GT(moved, 0.1);
    // Crowded rows of one dimension are drawn by another number; else the mean of nearness is
    // rounded to 1e-6, and places to 1e-6 of the map's 30 units in each epoch.
    if (dimensions > 1) {
      EXPECT_LT(farthest, 1e-3) << dimensions;
    }
  }
}

TEST(RefineBlock, SeedsMatterWhereCellsAreCrowdedAlone) {
  const Case wide = made_case(1500, 2, 6, 8), crowded = made_case(1500, 2, 0.5, 0.4);
  const std::vector<std::size_t> one(1500, 0);
  const auto same = [&](const Case& c) {
    const Matrix<float> a = by_blocks(c, one, attraction, {.seed = 1});
    const Matrix<float> b = by_blocks(c, one, attraction, {.seed = 2});
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
  };
  EXPECT_TRUE(same(wide));
  EXPECT_FALSE(same(crowded));
}

TEST(RefineBlock, RefusesArraysThatDoNotFit) {
  const std::vector<std::int64_t> ids{0, 1}, offsets{0, 1, 1};
  const std::vector<Index> to{2};
  const std::vector<float> weights{1};
  const Matrix<float> places(2, 2), none(2, 0);
  const std::vector<Index> by_id{0, 1}, not_by_id{1, 0};
  const RefineBlock block{.ids = ids,
                          .by_id = by_id,
                          .coordinates = places.view(),
                          .offsets = offsets,
                          .to = to,
                          .weights = weights,
                          .linked = none.view()};
  EXPECT_THROW(refine_block(block, {}), InvalidArgument);  // neighbour 2 of 2
  RefineBlock without = block;
  without.weights = {};
  EXPECT_THROW(refine_block(without, {}), InvalidArgument);
  const std::vector<Index> own{1};
  RefineBlock turned = block;
  turned.to = own;
  EXPECT_NO_THROW(refine_block(turned, {}));
  turned.by_id = not_by_id;
  EXPECT_THROW(refine_block(turned, {}), InvalidArgument);
}

TEST(RefinePlan, IsWhatRefineLayoutDoes) {
  const RefinePlan plan = refine_plan({.balance = 0.5}, 70000, 2);
  EXPECT_EQ(plan.epochs, 300U);
  EXPECT_EQ(plan.rounds, 2U);
  ASSERT_EQ(plan.attraction.size(), 300U);
  EXPECT_DOUBLE_EQ(plan.attraction.front(), 10);
  EXPECT_DOUBLE_EQ(plan.attraction.back(), 1.2);
  EXPECT_DOUBLE_EQ(plan.reach, 3);
  EXPECT_THROW(refine_plan({.balance = 2}, 10, 2), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
