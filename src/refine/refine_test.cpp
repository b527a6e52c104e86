#include "geotherm/refine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "core/state.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/neighbors.hpp"
#include "graph/kernels.hpp"
#include "refine/descent.hpp"
#include "refine/layout.hpp"

namespace geotherm {
namespace {

/// A noisy closed curve in ten dimensions that crosses itself on its first two axes, which are the
/// map.
struct Example {
  Matrix<double> points;
  Matrix<double> map;
  SparseMatrix memberships;
};

Example example(std::size_t n = 600, std::size_t dimensions = 2) {
  Rng rng(5, "refine.test");
  Example e{Matrix<double>(n, 10), Matrix<double>(n, dimensions), {}};
  for (std::size_t i = 0; i < n; ++i) {
    const double angle = 6.28 * rng.uniform();
    for (std::size_t k = 0; k < 10; ++k) e.points(i, k) = 0.3 * rng.normal();
    e.points(i, 0) += 5 * std::cos(angle);
    e.points(i, 1) += 3 * std::sin(angle);
    e.points(i, 2) += 2 * std::sin(2 * angle);
    e.points(i, 3) += 3 * std::cos(3 * angle);
    for (std::size_t k = 0; k < dimensions; ++k) e.map(i, k) = 7 * e.points(i, k) + 100;
  }
  e.memberships = refine_memberships(find_neighbors(e.points, {.knn = 15}));
  return e;
}

bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

Matrix<double> distances(const Matrix<double>& map) {
  Matrix<double> d(map.rows(), map.rows());
  for (std::size_t i = 0; i < map.rows(); ++i) {
    for (std::size_t j = 0; j < map.rows(); ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < map.cols(); ++k) sum += std::pow(map(i, k) - map(j, k), 2);
      d(i, j) = std::sqrt(sum);
    }
  }
  return d;
}

double trustworthiness(const Example& e, const Matrix<double>& map) {
  return score_neighborhoods({.coordinates = e.points}, {.coordinates = map}, {.knn = 10})
      .trustworthiness;
}

TEST(Refine, DefaultsAreValidAndBadOptionsAreNamed) {
  EXPECT_TRUE(issues_with(RefineOptions{}).empty());
  RefineOptions bad;
  bad.balance = 1.5;
  bad.spacing = 0;
  bad.knn = 0;
  bad.epochs = 2000000;
  const auto issues = issues_with(bad);
  ASSERT_EQ(issues.size(), 4u);
  for (const char* name : {"balance", "spacing", "knn", "epochs"}) {
    EXPECT_TRUE(std::ranges::any_of(issues, [&](const std::string& s) {
      return s.find(name) != std::string::npos;
    })) << name;
  }
  EXPECT_THROW(refine_layout(Matrix<double>(3, 2),
                             SparseMatrix{.rows = 3, .cols = 3, .offsets = {0, 0, 0, 0}}, bad),
               InvalidArgument);
}

TEST(Refine, RefusesMapsThatDoNotFit) {
  const Example e = example(100);
  EXPECT_THROW(refine_layout(Matrix<double>(99, 2), e.memberships), InvalidArgument);
  EXPECT_THROW(refine_layout(Matrix<double>(100, 4), e.memberships), InvalidArgument);
  Matrix<double> broken = e.map;
  broken(7, 1) = std::nan("");
  EXPECT_THROW(refine_layout(broken, e.memberships), InvalidArgument);
}

TEST(Refine, BalanceZeroAndNoEpochsGiveTheStartToTheBit) {
  const Example e = example();
  for (const RefineOptions& off : {RefineOptions{.balance = 0}, RefineOptions{.epochs = 0}}) {
    const Refined refined = refine_layout(e.map, e.memberships, off);
    EXPECT_TRUE(same_bits(refined.coordinates, e.map));
    EXPECT_EQ(refined.epochs, 0u);
  }
}

TEST(Refine, EpochsGrowWithTheBalanceUnlessTheyAreGiven) {
  std::size_t last = 0;
  for (const double balance : {0.1, 0.3, 0.5, 0.8, 1.0}) {
    const std::size_t epochs = epochs_of({.balance = balance});
    EXPECT_GT(epochs, last);
    last = epochs;
  }
  EXPECT_EQ(epochs_of({.balance = 0.9, .epochs = 7}), 7u);
}

TEST(RefineSchedule, AttractionIsStrongAtFirstAndEvenInTheSecondHalf) {
  const detail::RefineSchedule schedule{.epochs = 100, .first_attraction = 4};
  EXPECT_DOUBLE_EQ(schedule.attraction(0), 4);
  EXPECT_DOUBLE_EQ(schedule.attraction(25), 2.6);
  EXPECT_DOUBLE_EQ(schedule.attraction(50), 1.2);
  EXPECT_DOUBLE_EQ(schedule.attraction(99), 1.2);
}

TEST(Refine, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const std::size_t dimensions : {1u, 2u, 3u}) {
    const Example e = example(1700, dimensions);  // several blocks, the last one short
    const RefineOptions options{.epochs = 20};
    const Matrix<double> one = refine_layout(e.map, e.memberships, options).coordinates;
    for (const std::size_t n_threads : {2u, 8u}) {
      ThreadPool pool(n_threads);
      const Context context{.executor = &pool};
      EXPECT_TRUE(
          same_bits(refine_layout(e.map, e.memberships, options, context).coordinates, one));
    }
  }
}

TEST(Refine, ASeedMattersWhereCellsAreCrowdedAlone) {
  const RefineOptions crowded{.epochs = 20, .spacing = 1e-3};
  const Context other{.seed = 1};
  for (const std::size_t n : {100u, 3000u}) {  // 100 points are few in any cell
    const Example e = example(n);
    const Matrix<double> one = refine_layout(e.map, e.memberships, crowded).coordinates;
    EXPECT_EQ(same_bits(refine_layout(e.map, e.memberships, crowded, other).coordinates, one),
              n == 100);
  }
}

TEST(Refine, NoPointMovesFartherThanTheStepsAllow) {
  const Example e = example();
  for (const RefineOptions& options : {RefineOptions{.epochs = 1}, RefineOptions{.epochs = 50},
                                       RefineOptions{.epochs = 200, .spacing = 0.3}}) {
    const Refined refined = refine_layout(e.map, e.memberships, options);
    double largest = 0;
    for (std::size_t i = 0; i < e.map.size(); ++i) {
      largest = std::max(largest, std::abs(refined.coordinates.data()[i] - e.map.data()[i]));
    }
    EXPECT_GT(largest, 0);
    // 1e-4: places are single precision, of size up to 100 steps
    EXPECT_LE(largest, refined.largest_move * (1 + 1e-4));
  }
}

TEST(Refine, FollowsTheUnitsAndThePlaceOfTheMap) {
  const Example e = example();
  const RefineOptions options{.epochs = 30};
  const Matrix<double> plain = refine_layout(e.map, e.memberships, options).coordinates;
  Matrix<double> other = e.map;
  for (std::size_t i = 0; i < other.size(); ++i) other.data()[i] = 1e-3 * other.data()[i] + 2;
  const Matrix<double> scaled = refine_layout(other, e.memberships, options).coordinates;
  double deviation = 0;
  for (std::size_t i = 0; i < other.size(); ++i) {
    deviation = std::max(deviation, std::abs(scaled.data()[i] - (1e-3 * plain.data()[i] + 2)));
  }
  // Rounding of the start, carried through 30 epochs; the map is 0.03 wide.
  EXPECT_LT(deviation, 1e-4);
}

TEST(Refine, BringsNeighboursTogetherAndKeepsFarDistances) {
  for (const std::size_t dimensions : {2u, 3u}) {
    const Example e = example(800, dimensions);
    const Refined refined = refine_layout(e.map, e.memberships);
    EXPECT_GT(trustworthiness(e, refined.coordinates), trustworthiness(e, e.map) + 0.003);
    EXPECT_GT(score_distances(distances(e.map), distances(refined.coordinates)).spearman, 0.96);
  }
}

TEST(Refine, MoreBalanceKeepsMoreNeighboursAndLessOfFarDistances) {
  const Example e = example(800);
  double last = trustworthiness(e, e.map), last_far = 1;
  for (const double balance : {0.2, 0.6, 1.0}) {
    const Matrix<double> map =
        refine_layout(e.map, e.memberships, {.balance = balance}).coordinates;
    const double now = trustworthiness(e, map);
    const double far = score_distances(distances(e.map), distances(map)).spearman;
    EXPECT_GT(now, last - 1e-4) << balance;  // of 800 points
    EXPECT_LT(far, last_far) << balance;
    last = now;
    last_far = far;
  }
}

TEST(Refine, NeighbourhoodsOfAWideMapDoNotCollapse) {
  // Groups in which everybody attracts everybody, so far apart that random points hardly ever meet.
  const std::size_t n_groups = 100, size = 20, n = n_groups * size;
  Rng rng(8, "refine.test.groups");
  Matrix<double> map(n, 2);
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      map(i, k) = i % size == 0 ? rng.normal() : map(i / size * size, k) + 0.02 * rng.normal();
    }
    for (std::size_t j = i / size * size; j < i / size * size + size; ++j) {
      if (j != i) entries.push_back({static_cast<Index>(i), static_cast<Index>(j), 1.0});
    }
  }
  const SparseMatrix memberships = sparse_from_triplets(n, n, std::move(entries));
  const Refined refined = refine_layout(map, memberships, {.epochs = 300});
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = i / size * size + (i + 7) % size;
    sum += std::hypot(refined.coordinates(i, 0) - refined.coordinates(j, 0),
                      refined.coordinates(i, 1) - refined.coordinates(j, 1));
  }
  EXPECT_GT(sum / static_cast<double>(n) * refined.unit, 0.3);
}

TEST(Refine, AveragingBringsPointsNearTheirNeighbours) {
  Example e = example(800);
  Rng rng(9, "refine.test.noise");
  for (std::size_t k = 0; k < e.map.size(); ++k) e.map.data()[k] += 20 * rng.normal();
  double last = trustworthiness(e, e.map);
  for (const std::size_t rounds : {1u, 3u}) {
    const Refined refined =
        refine_layout(e.map, e.memberships, {.epochs = 1, .averaging = rounds});
    const double now = trustworthiness(e, refined.coordinates);
    EXPECT_GT(now, last + 0.01) << rounds;
    last = now;
    double largest = 0;
    for (std::size_t k = 0; k < e.map.size(); ++k) {
      largest = std::max(largest, std::abs(refined.coordinates.data()[k] - e.map.data()[k]));
    }
    EXPECT_LE(largest, refined.largest_move * (1 + 1e-4));
    ThreadPool pool(3);
    const Context context{.executor = &pool};
    EXPECT_TRUE(same_bits(refined.coordinates,
                          refine_layout(e.map, e.memberships,
                                        {.epochs = 1, .averaging = rounds}, context)
                              .coordinates));
  }
}

TEST(Refine, PointsWithoutNeighboursAreOnlyPushed) {
  Matrix<double> map(40, 2);
  for (std::size_t i = 0; i < 40; ++i) map(i, 0) = static_cast<double>(i), map(i, 1) = static_cast<double>(i % 3);
  SparseMatrix nobody = sparse_from_triplets(40, 40, {{0, 1, 1.0}, {1, 0, 1.0}});
  const Refined refined = refine_layout(map, nobody, {.epochs = 5, .averaging = 2});
  for (std::size_t k = 0; k < map.size(); ++k) {
    EXPECT_TRUE(std::isfinite(refined.coordinates.data()[k]));
  }
}

TEST(Refine, TheSpacingSetsTheUnit) {
  const Example e = example(300);
  const Refined one = refine_layout(e.map, e.memberships, {.epochs = 2});
  const Refined wide = refine_layout(e.map, e.memberships, {.epochs = 2, .spacing = 2.8});
  EXPECT_NEAR(wide.unit / one.unit, 2, 1e-12);  // rounding
  // The median distance to the 15th nearest, by all pairs.
  const Matrix<double> d = distances(e.map);
  std::vector<double> to_15th;
  for (std::size_t i = 0; i < 300; ++i) {
    std::vector<double> row(d.row(i).begin(), d.row(i).end());
    std::ranges::sort(row);
    to_15th.push_back(row[15]);
  }
  std::ranges::sort(to_15th);
  EXPECT_GE(one.unit * to_15th[150], 1.4 * (1 - 1e-12));  // medians of an even number differ
  EXPECT_LE(one.unit * to_15th[149], 1.4 * (1 + 1e-12));
  EXPECT_EQ(refine_layout(e.map, e.memberships, {.epochs = 0}).unit, 0);
}

TEST(Refine, PointsInOnePlaceComeApart) {
  Example e = example(300);
  for (std::size_t i = 0; i < 50; ++i) e.map(i, 0) = e.map(i, 1) = 1;
  const Matrix<double> map = refine_layout(e.map, e.memberships, {.epochs = 30}).coordinates;
  for (std::size_t i = 1; i < 50; ++i) {
    EXPECT_GT(std::hypot(map(i, 0) - map(0, 0), map(i, 1) - map(0, 1)), 0) << i;
  }
}

TEST(Refine, AMapMostOfWhosePointsCoincideGetsAFiniteUnit) {
  Example e = example(300);
  for (std::size_t i = 0; i < 250; ++i) e.map(i, 0) = e.map(i, 1) = 1;
  const Refined refined = refine_layout(e.map, e.memberships, {.epochs = 30});
  EXPECT_TRUE(std::isfinite(refined.unit));
  for (std::size_t k = 0; k < e.map.size(); ++k) {
    ASSERT_TRUE(std::isfinite(refined.coordinates.data()[k]));
  }
}

/// Keeps states in memory; the first `n_lives` savings pass, then the run ends.
class Memory final : public Checkpoint {
 public:
  struct Killed {};
  std::size_t n_left = 0;
  std::map<std::string, std::string, std::less<>> states;
  bool is_due(std::size_t) const override { return true; }
  void save(std::string_view stage, std::span<const std::span<const char>> pieces) override {
    std::string all;
    for (const auto piece : pieces) all.append(piece.data(), piece.size());
    states[std::string(stage)] = std::move(all);
    if (n_left-- == 0) throw Killed{};
  }
  std::unique_ptr<Source> load(std::string_view stage) override {
    const auto found = states.find(stage);
    if (found == states.end()) return nullptr;
    return std::make_unique<detail::StringSource>(found->second);
  }
};

TEST(Refine, GoesOnAfterItWasEndedToTheSameBits) {
  const Example e = example(300);
  const RefineOptions options{.epochs = 40};
  const Matrix<double> whole = refine_layout(e.map, e.memberships, options).coordinates;
  Memory memory;
  Context context{.checkpoint = &memory};
  memory.n_left = 13;
  EXPECT_THROW(refine_layout(e.map, e.memberships, options, context), Memory::Killed);
  memory.n_left = 1000;
  EXPECT_TRUE(same_bits(refine_layout(e.map, e.memberships, options, context).coordinates, whole));
  EXPECT_EQ(memory.n_left, 1000u - 26u);  // 14 epochs were not run again
}

TEST(Refine, StopsWhereItIsAskedToWithTheMapSoFar) {
  const Example e = example(300);
  Context context;
  context.on_progress = [](const Progress& p) {
    return p.done < 12 ? Next::go_on : Next::stop_here;
  };
  const Refined refined = refine_layout(e.map, e.memberships, {.epochs = 40}, context);
  EXPECT_EQ(refined.outcome, Outcome::stopped);
  EXPECT_EQ(refined.epochs, 12u);
  EXPECT_FALSE(same_bits(refined.coordinates, e.map));
}

TEST(Refine, LeavesAMapOfOnePlaceAlone) {
  const Example e = example(50);
  const Matrix<double> one_place(50, 2, 3.0);
  EXPECT_TRUE(same_bits(refine_layout(one_place, e.memberships).coordinates, one_place));
}

TEST(RefineMemberships, OfAGraphAreThoseOfItsNearestEdges) {
  const Example e = example(300);
  const NeighborLists lists = find_neighbors(e.points, {.knn = 10});
  const Graph graph = build_graph(lists, {.kind = Affinity::knn});
  const SparseMatrix found = refine_memberships(graph, 15);
  ASSERT_EQ(found.rows, 300u);
  for (std::size_t i = 0; i < found.rows; ++i) {
    for (std::size_t k = found.offsets[i]; k < found.offsets[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(found.indices[k]);
      EXPECT_LT(graph.weights.find(i, found.indices[k]), graph.weights.n_entries());
      EXPECT_GT(found.values[k], 0);
      EXPECT_LE(found.values[k], 1);
      EXPECT_EQ(found.values[found.find(j, static_cast<Index>(i))], found.values[k]);
    }
    // The nearest neighbour's is 1; 1 + b - b may round.
    EXPECT_NEAR(found.values[found.find(i, lists.neighbors(i)[0])], 1, 1e-15);
  }
}

TEST(RefineMemberships, MadeRowByRowAreTheUnionOfTheListsOfNearestEdgesToTheBit) {
  Example e = example(300);
  // Twenty points in one place: no length tells what is near.
  for (std::size_t i = 0; i < 20; ++i) std::ranges::copy(e.points.row(0), e.points.row(i).begin());
  const Graph graph = build_graph(find_neighbors(e.points, {.knn = 12}), {.kind = Affinity::knn});
  for (const std::size_t most : {1u, 5u, 15u, 100u}) {
    NeighborLists lists;
    lists.n_points = 300;
    lists.knn = most;
    lists.offsets = {0};
    for (std::size_t i = 0; i < 300; ++i) {
      std::vector<std::pair<double, Index>> row;
      for (std::size_t k = graph.weights.offsets[i]; k < graph.weights.offsets[i + 1]; ++k) {
        row.emplace_back(graph.lengths[k], graph.weights.indices[k]);
      }
      std::sort(row.begin(), row.end());
      row.resize(std::min(most, row.size()));
      for (const auto& [length, j] : row) {
        lists.distances.push_back(length);
        lists.indices.push_back(j);
      }
      lists.offsets.push_back(lists.indices.size());
    }
    const SparseMatrix expected = detail::fuzzy_union(lists, {}).weights;
    const SparseMatrix found = refine_memberships(graph, most);
    EXPECT_EQ(found.offsets, expected.offsets);
    EXPECT_EQ(found.indices, expected.indices);
    EXPECT_EQ(found.values, expected.values);
    const detail::Attraction rows(graph, most);
    for (std::size_t i = 0; i < 300; ++i) {
      EXPECT_EQ(rows.count(i), expected.row_indices(i).size());
    }
  }
}

TEST(Refine, FromAGraphAndFromItsMembershipsGivesTheSameBits) {
  const Example e = example(300);
  const Graph graph = build_graph(find_neighbors(e.points, {.knn = 10}), {.kind = Affinity::knn});
  const RefineOptions options{.epochs = 5, .averaging = 2};
  const Matrix<double> stored =
      refine_layout(e.map, refine_memberships(graph), options).coordinates;
  ThreadPool pool(3);
  const Context context{.executor = &pool};
  const detail::Attraction rows(graph, 15, context);
  EXPECT_TRUE(same_bits(
      detail::refine_layout(e.map.view(), rows, options, context).coordinates, stored));
}

TEST(RefineMemberships, WithoutLengthsAreTheWeightsOverTheLargest) {
  const SparseMatrix weights =
      sparse_from_triplets(3, 3, {{0, 1, 4}, {1, 0, 4}, {1, 2, 1}, {2, 1, 1}});
  const SparseMatrix found = refine_memberships(graph_from_affinities(weights));
  EXPECT_EQ(found.values, (std::vector<double>{1, 1, 0.25, 0.25}));
}

}  // namespace
}  // namespace geotherm
