// Cells, coarse graphs, distances by landmarks and the layout of all points: laws and oracles.
#include "geotherm/landmarks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "geotherm/dissimilarity.hpp"
#include "landmarks/reach.hpp"
#include "landmarks/walk_graph.hpp"

namespace geotherm {
namespace {

/// Points of a flat strip, which distances along its graph follow closely.
Matrix<double> strip(std::size_t n) {
  Matrix<double> points(n, 2);
  Rng rng(3, "test.strip");
  for (std::size_t i = 0; i < n; ++i) {
    points(i, 0) = 4 * rng.uniform();
    points(i, 1) = rng.uniform();
  }
  return points;
}

Graph graph_of(const Matrix<double>& points) {
  Graph graph = build_graph(find_neighbors(points.view(), {.knn = 8, .reach = 1.06}));
  return connect_components(std::move(graph), ComponentPolicy::bridge, points);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double n = static_cast<double>(a.size());
  double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    sa += a[k];
    sb += b[k];
    aa += a[k] * a[k];
    bb += b[k] * b[k];
    ab += a[k] * b[k];
  }
  return (ab - sa * sb / n) / std::sqrt((aa - sa * sa / n) * (bb - sb * sb / n));
}

struct Problem {
  Matrix<double> points = strip(3000);
  Graph graph = graph_of(points);
  Cells cells = cells_around(graph, choose_landmarks(graph, 300));
  Dissimilarity between = shortest_path_distance(cells.touching);
  LandmarkDistances distances{graph, cells, between.values};
};

const Problem& problem() {
  static const Problem the_one;
  return the_one;
}

TEST(Landmarks, CutThePointsIntoCellsOfThoseNearestAlongTheGraph) {
  const Problem& p = problem();
  const Matrix<double> ways = shortest_paths(p.graph, p.cells.landmarks);
  for (std::size_t i = 0; i < 3000; ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < 300; ++l) nearest = std::min(nearest, ways(l, i));
    // Sums along the same path from its other end: a few roundings.
    EXPECT_NEAR(p.cells.to_landmark[i], nearest, 1e-12);
    EXPECT_NEAR(ways(static_cast<std::size_t>(p.cells.cell_of[i]), i), nearest, 1e-12);
  }
  std::size_t n_all = 0;
  for (const std::size_t n : p.cells.n_points) n_all += n;
  EXPECT_EQ(n_all, 3000U);
}

TEST(Landmarks, NeverComeCloserAlongTouchingCellsThanTheyAre) {
  const Problem& p = problem();
  const Matrix<double> ways = shortest_paths(p.graph, p.cells.landmarks);
  std::vector<double> coarse, fine;
  for (std::size_t a = 0; a < 300; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      fine.push_back(ways(a, static_cast<std::size_t>(p.cells.landmarks[b])));
      coarse.push_back(p.between.values(a, b));
      EXPECT_GE(coarse.back(), fine.back() - 1e-12);
    }
  }
  EXPECT_GT(correlation(coarse, fine), 0.995);  // .9986 when written
}

TEST(Landmarks, GiveTheDistancesBetweenAllPoints) {
  const Problem& p = problem();
  const std::vector<Index> from = {0, 700, 2999};
  const Matrix<double> exact = shortest_paths(p.graph, from);
  const Matrix<double> rows = p.distances.from(from);
  for (std::size_t r = 0; r < from.size(); ++r) {
    const std::vector<double> a(exact.row(r).begin(), exact.row(r).end());
    const std::vector<double> b(rows.row(r).begin(), rows.row(r).end());
    EXPECT_GT(correlation(a, b), 0.99);
    const auto i = static_cast<std::size_t>(from[r]);
    EXPECT_EQ(rows(r, i), 0);
    for (std::size_t j = 0; j < 3000; j += 17) {
      // The same sum in another order; the square root of a difference of numbers near 16.
      EXPECT_NEAR(p.distances.between(i, j), rows(r, j), 1e-6);
      EXPECT_EQ(p.distances.between(i, j), p.distances.between(j, i));
    }
  }
}

TEST(Landmarks, InTheMiddleOfTheirCellsAreNearerToTheirPoints) {
  const Problem& p = problem();
  const auto mean_way = [&](LandmarkChoice choice) {
    const Cells cells = cells_around(p.graph, choose_landmarks(p.graph, 100, choice));
    EXPECT_EQ(cells.landmarks.size(), 100U) << to_string(choice);
    double sum = 0;
    for (const double way : cells.to_landmark) sum += way / 3000;
    return sum;
  };
  EXPECT_LT(mean_way(LandmarkChoice::central), 0.95 * mean_way(LandmarkChoice::random));
  EXPECT_EQ(landmark_choice_named("central"), LandmarkChoice::central);
  EXPECT_FALSE(landmark_choice_named("best"));
}

/// Of distances in a map with those in the plane that the points of problem() are from.
double correlation_with_points(const Matrix<double>& map) {
  const Matrix<double>& points = problem().points;
  std::vector<double> drawn, true_distance;
  for (std::size_t i = 0; i < 3000; i += 7) {
    for (std::size_t j = 3; j < i; j += 11) {
      drawn.push_back(std::hypot(map(i, 0) - map(j, 0), map(i, 1) - map(j, 1)));
      true_distance.push_back(std::hypot(points(i, 0) - points(j, 0), points(i, 1) - points(j, 1)));
    }
  }
  return correlation(drawn, true_distance);
}

TEST(Landmarks, PlaceEveryPointByTheDistancesFromAFew) {
  const Problem& p = problem();
  std::vector<Index> pivots;
  for (Index i = 0; i < 3000; i += 50) pivots.push_back(i);
  const Matrix<double> ways = shortest_paths(p.graph, pivots);
  Matrix<float> to_pivots(3000, pivots.size());
  for (std::size_t i = 0; i < 3000; ++i) {
    for (std::size_t k = 0; k < pivots.size(); ++k) {
      to_pivots(i, k) = static_cast<float>(ways(k, i));
    }
  }
  const Embedding all = column_layout(pivots, to_pivots);
  EXPECT_GT(correlation_with_points(all.coordinates), 0.995);
  EXPECT_LT(all.stress_history.back(), all.stress_history.front());
  EXPECT_THROW(column_layout(std::vector<Index>{0, 1}, to_pivots), InvalidArgument);
}

TEST(Landmarks, PlaceEveryPointOfAFlatStrip) {
  const Problem& p = problem();
  const Embedding map = mds(p.between.values);
  const Embedding all = pivot_layout(p.graph, p.cells, p.distances, map.coordinates, 1.0);
  ASSERT_EQ(all.coordinates.rows(), 3000U);
  EXPECT_GT(correlation_with_points(all.coordinates), 0.995);
  for (std::size_t s = 1; s < all.stress_history.size(); ++s) {
    EXPECT_LE(all.stress_history[s], all.stress_history[s - 1] * (1 + 1e-12));
  }
}

/// Share of the squared distances that a map of its best size leaves unexplained, over all pairs.
double stress_of(const Matrix<double>& points, const Matrix<double>& map) {
  const auto distance = [](const Matrix<double>& rows, std::size_t i, std::size_t j) {
    double square = 0;
    for (std::size_t c = 0; c < rows.cols(); ++c) square += std::pow(rows(i, c) - rows(j, c), 2);
    return std::sqrt(square);
  };
  double dd = 0, de = 0, ee = 0;
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double d = distance(points, i, j), e = distance(map, i, j);
      dd += d * d;
      de += d * e;
      ee += e * e;
    }
  }
  return 1 - de * de / (dd * ee);
}

/// Distances that no plane holds: pivots and points, which fit each other alone, would drift apart.
TEST(Landmarks, KeepPivotsAmongThePointsHoweverManySweeps) {
  Rng rng(5, "test.cloud");
  Matrix<double> points(700, 30);
  for (double& x : std::span(points.data(), points.size())) x = rng.normal();
  std::vector<Index> pivots;
  for (Index p = 0; p < 700; p += 7) pivots.push_back(p);
  Matrix<float> to_pivots(700, pivots.size());
  for (std::size_t i = 0; i < 700; ++i) {
    for (std::size_t p = 0; p < pivots.size(); ++p) {
      double square = 0;
      for (std::size_t c = 0; c < 30; ++c) {
        square += std::pow(points(i, c) - points(static_cast<std::size_t>(pivots[p]), c), 2);
      }
      to_pivots(i, p) = static_cast<float>(std::sqrt(square));
    }
  }
  const auto stress = [&](std::size_t sweeps) {
    return stress_of(points, column_layout(pivots, to_pivots, {.max_iterations = sweeps}).coordinates);
  };
  const double few = stress(20);
  EXPECT_LT(stress(120), 1.02 * few);
  EXPECT_LT(few, 0.3);
}

/// Clusters that no plane holds apart: their arrangement has many local minima, and one start ends in
/// one of the higher.
TEST(Landmarks, TakeTheStartThatSuitsAllPointsBest) {
  constexpr std::size_t n = 900, dim = 12, n_clusters = 14;
  double one = 0, several = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Rng rng(seed, "test.clusters");
    Matrix<double> centers(n_clusters, dim), points(n, dim);
    for (double& x : std::span(centers.data(), centers.size())) x = 6 * rng.normal();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < dim; ++c) {
        points(i, c) = centers(i % n_clusters, c) + rng.normal();
      }
    }
    std::vector<Index> pivots;
    for (Index p = 0; p < static_cast<Index>(n); p += 9) pivots.push_back(p);
    Matrix<float> to_pivots(n, pivots.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t p = 0; p < pivots.size(); ++p) {
        double square = 0;
        for (std::size_t c = 0; c < dim; ++c) {
          square += std::pow(points(i, c) - points(static_cast<std::size_t>(pivots[p]), c), 2);
        }
        to_pivots(i, p) = static_cast<float>(std::sqrt(square));
      }
    }
    one += stress_of(points, column_layout(pivots, to_pivots, {.n_shakes = 0}).coordinates);
    several += stress_of(points, column_layout(pivots, to_pivots).coordinates);
  }
  EXPECT_LT(several, 0.997 * one);
}

TEST(Landmarks, MoveEveryPointCloserToItsNeighboursThanInterpolationDoes) {
  const Problem& p = problem();
  const Matrix<double> map = mds(p.between.values).coordinates;
  const auto misfit = [&](const Matrix<double>& y) {
    double sum = 0;
    for (std::size_t i = 0; i < 3000; ++i) {
      for (std::size_t e = p.graph.weights.offsets[i]; e < p.graph.weights.offsets[i + 1]; ++e) {
        const auto j = static_cast<std::size_t>(p.graph.weights.indices[e]);
        const double apart = std::hypot(y(i, 0) - y(j, 0), y(i, 1) - y(j, 1));
        sum += (apart - p.graph.lengths[e]) * (apart - p.graph.lengths[e]);
      }
    }
    return sum;
  };
  const Matrix<double> start = p.distances.interpolate(map);
  const Embedding all = pivot_layout(p.graph, p.cells, p.distances, map, 1.0);
  EXPECT_LT(misfit(all.coordinates), 0.8 * misfit(start));
}

TEST(Landmarks, AreTheSameForAnyNumberOfThreads) {
  const Problem& p = problem();
  Context context;
  context.seed = 9;
  const auto all_of = [&] {
    const std::vector<Index> landmarks =
        choose_landmarks(p.graph, 200, LandmarkChoice::spread, context);
    const Cells cells = cells_around(p.graph, landmarks, context);
    const Graph coarse = coarse_graph(cells, 8, {}, context);
    const Dissimilarity d = shortest_path_distance(cells.touching, context);
    const LandmarkDistances distances(p.graph, cells, d.values, context);
    const Embedding map =
        pivot_layout(p.graph, cells, distances, mds(d.values, {}, {}, context).coordinates, 1.0,
                     {.n_pivots = 20}, {}, context);
    std::vector<double> bits(map.coordinates.data(),
                             map.coordinates.data() + map.coordinates.size());
    bits.insert(bits.end(), coarse.weights.values.begin(), coarse.weights.values.end());
    const Matrix<double> rows = distances.from(std::vector<Index>{5, 6}, context);
    bits.insert(bits.end(), rows.data(), rows.data() + rows.size());
    return bits;
  };
  const std::vector<double> alone = all_of();
  for (const std::size_t n_threads : {1, 2, 8}) {
    ThreadPool pool(n_threads);
    context.executor = &pool;
    EXPECT_EQ(all_of(), alone);
  }
}

TEST(Landmarks, ReachEveryComponent) {
  Matrix<double> points = strip(600);
  for (std::size_t i = 0; i < 60; ++i) points(i, 0) += 100;
  const Graph graph = build_graph(find_neighbors(points.view(), {.knn = 5, .reach = 1.06}));
  ASSERT_GE(graph.n_components, 2U);
  const std::vector<Index> landmarks = choose_landmarks(graph, 5);
  std::vector<char> has(graph.n_components, 0);
  for (const Index l : landmarks) {
    has[static_cast<std::size_t>(graph.component[static_cast<std::size_t>(l)])] = 1;
  }
  EXPECT_EQ(std::count(has.begin(), has.end(), 1), static_cast<std::ptrdiff_t>(has.size()));
  EXPECT_EQ(cells_around(graph, landmarks).cell_of.size(), 600U);
}

TEST(Landmarks, SpreadOutLeaveNoPointFartherThanThoseDrawnAtRandom) {
  const Problem& p = problem();
  const auto farthest = [&](LandmarkChoice choice) {
    const Cells cells = cells_around(p.graph, choose_landmarks(p.graph, 100, choice));
    return *std::max_element(cells.to_landmark.begin(), cells.to_landmark.end());
  };
  EXPECT_LT(farthest(LandmarkChoice::spread), farthest(LandmarkChoice::random));
}

TEST(Landmarks, AreJoinedAsTwoStepsOfTheWalkJoinTheirCells) {
  const Problem& p = problem();
  const std::size_t n = p.graph.n_points(), m = p.cells.landmarks.size();
  // Oracle: transitions from points to cells, as a dense array.
  Matrix<double> to_cell(n, m);
  std::vector<double> sum(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto add = [&](std::size_t j, double weight) {
      to_cell(i, static_cast<std::size_t>(p.cells.cell_of[j])) += weight;
      sum[i] += weight;
    };
    add(i, 1);
    const auto others = p.graph.weights.row_indices(i);
    for (std::size_t k = 0; k < others.size(); ++k) {
      add(static_cast<std::size_t>(others[k]), p.graph.weights.row_values(i)[k]);
    }
  }
  const auto joined = [&](std::size_t a, std::size_t b) {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += to_cell(i, a) * to_cell(i, b) / sum[i];
    return total;
  };
  const Matrix<double> weights = to_dense(detail::walk_graph(p.graph, p.cells).weights);
  double scale = 0;  // one for all, from the first pair
  for (std::size_t a = 0; a < 20; ++a) {
    EXPECT_EQ(weights(a, a), 0) << "a landmark's own weight is added by the walk";
    for (std::size_t b = 0; b < m; ++b) {
      if (a == b) continue;
      const double expected = joined(a, b);
      EXPECT_EQ(weights(a, b) > 0, expected > 0);
      if (expected <= 0) continue;
      if (scale == 0) scale = expected / weights(a, b);
      EXPECT_NEAR(weights(a, b) * scale, expected, 1e-12 * expected);
      EXPECT_EQ(weights(a, b), weights(b, a));
    }
  }
}

TEST(Landmarks, GivePointsMeansThatKeepConstants) {
  const Problem& p = problem();
  Matrix<double> ones(p.cells.landmarks.size(), 2);
  for (std::size_t l = 0; l < ones.rows(); ++l) ones(l, 0) = ones(l, 1) = 1;
  const Matrix<double> means = detail::step_means(p.graph, p.cells, ones, {});
  ASSERT_EQ(means.rows(), p.graph.n_points());
  for (std::size_t i = 0; i < means.rows(); ++i) EXPECT_NEAR(means(i, 1), 1, 1e-12);
}

TEST(Landmarks, RefuseImpossibleOptionsByName) {
  const auto complaints = issues_with(LandmarkOptions{.count = 1, .n_pivots = 2, .local = -1});
  ASSERT_EQ(complaints.size(), 3U);
  EXPECT_NE(complaints[0].find("landmarks is 1"), std::string::npos);
  EXPECT_NE(complaints[1].find("pivots is 2"), std::string::npos);
  EXPECT_NE(complaints[2].find("local is -1"), std::string::npos);
  EXPECT_TRUE(issues_with(LandmarkOptions{}).empty());
  EXPECT_THROW(choose_landmarks(problem().graph, 4000), InvalidArgument);
}

TEST(Landmarks, MatchSmallGraphsWithoutLengths) {
  Graph graph = problem().graph;
  graph.lengths.clear();
  const Cells cells = cells_around(graph, choose_landmarks(graph, 50));
  EXPECT_EQ(cells.cell_of.size(), 3000U);
  for (const double d : cells.to_landmark) EXPECT_TRUE(std::isfinite(d));
}

TEST(Landmarks, SpreadOutAreAsManyAsAskedForHoweverFew) {
  const Graph graph = graph_of(strip(200));
  for (std::size_t count = 1; count <= 13; ++count) {
    EXPECT_EQ(choose_landmarks(graph, count, LandmarkChoice::spread).size(), count);
  }
}

TEST(Landmarks, OneAloneIsAGraphWithoutEdges) {
  const Graph graph = graph_of(strip(200));
  const Cells cells = cells_around(graph, {17});
  const Graph coarse = coarse_graph(cells, 10);
  EXPECT_EQ(coarse.n_points(), 1U);
  EXPECT_EQ(coarse.weights.n_entries(), 0U);
}

}  // namespace
}  // namespace geotherm
