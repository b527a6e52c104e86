// Weights of the landmarks' graph that count the points' edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/median.hpp"
#include "geotherm/dissimilarity.hpp"
#include "geotherm/heat.hpp"
#include "geotherm/landmarks.hpp"
#include "geotherm/laplacian.hpp"
#include "graph/degrees.hpp"

namespace geotherm {
namespace {

constexpr std::size_t n = 3000;

/// Points of a flat strip, evenly.
const Graph& strip() {
  static const Graph graph = [] {
    Matrix<double> points(n, 2);
    Rng rng(3, "test.strip");
    for (std::size_t i = 0; i < n; ++i) {
      points(i, 0) = 4 * rng.uniform();
      points(i, 1) = rng.uniform();
    }
    Graph made = build_graph(find_neighbors(points.view(), {.knn = 8, .reach = 1.06}));
    return connect_components(std::move(made), ComponentPolicy::bridge, points);
  }();
  return graph;
}

/// 300 landmarks, four fifths of them within the nearer half of the strip, as seen from point 0.
Cells uneven_cells() {
  const Graph& graph = strip();
  const std::vector<Index> from = {0};
  const Matrix<double> ways = shortest_paths(graph, from);
  std::vector<double> sorted(ways.data(), ways.data() + n);
  const double middle = detail::median(sorted);
  std::vector<Index> landmarks;
  std::size_t n_near = 0, n_far = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_near = ways(0, i) < middle;
    std::size_t& count = is_near ? n_near : n_far;
    if (count >= (is_near ? 240U : 60U)) continue;
    ++count;
    landmarks.push_back(static_cast<Index>(i));
  }
  return cells_around(graph, landmarks);
}

double correlation(const Matrix<double>& a, const Matrix<double>& b) {
  double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
  const auto count = static_cast<double>(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double x = a.data()[k], y = b.data()[k];
    sa += x, sb += y, aa += x * x, bb += y * y, ab += x * y;
  }
  return (ab - sa * sb / count) / std::sqrt((aa - sa * sa / count) * (bb - sb * sb / count));
}

Matrix<double> heat_between(const Graph& graph) {
  const Laplacian laplacian = build_laplacian(graph, LaplacianKind::combinatorial);
  return heat_geodesic(*heat_kernel(laplacian, {.time = 5}), {}).values;
}

/// Fewest edges of points between landmarks.
Matrix<double> hops_between(const Cells& cells) {
  Graph graph = strip();
  std::fill(graph.lengths.begin(), graph.lengths.end(), 1.0);
  const Matrix<double> rows = shortest_paths(graph, cells.landmarks);
  const std::size_t m = cells.landmarks.size();
  Matrix<double> hops(m, m);
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b < m; ++b) {
      hops(a, b) = rows(a, static_cast<std::size_t>(cells.landmarks[b]));
    }
  }
  return hops;
}

TEST(HopRates, LetHeatBetweenUnevenLandmarksCountTheEdgesOfThePoints) {
  const Cells cells = uneven_cells();
  const Matrix<double> hops = hops_between(cells);
  const Graph plain = coarse_graph(cells, 8);
  const CellEdges edges = edges_of_cells(strip(), cells.cell_of, cells.landmarks.size());
  const double before = correlation(heat_between(plain), hops);
  const double after = correlation(heat_between(with_hop_rates(plain, edges)), hops);
  EXPECT_LT(before, 0.97);
  EXPECT_GT(after, 0.985);
}

TEST(HopRates, KeepTheMedianDegreeAndTheSymmetryOfWeights) {
  const Cells cells = uneven_cells();
  const Graph plain = coarse_graph(cells, 8);
  const CellEdges edges = edges_of_cells(strip(), cells.cell_of, cells.landmarks.size());
  const Graph rated = with_hop_rates(plain, edges);
  const double degree = detail::median(detail::degrees(plain.weights));
  EXPECT_NEAR(detail::median(detail::degrees(rated.weights)), degree, 1e-12 * degree);
  EXPECT_EQ(rated.lengths, plain.lengths);
  for (std::size_t a = 0; a < rated.n_points(); ++a) {
    for (std::size_t e = rated.weights.offsets[a]; e < rated.weights.offsets[a + 1]; ++e) {
      const auto b = static_cast<std::size_t>(rated.weights.indices[e]);
      const double back = rated.weights.values[rated.weights.find(b, static_cast<Index>(a))];
      EXPECT_DOUBLE_EQ(rated.weights.values[e], back);
    }
  }
}

TEST(HopRates, LeaveWeightsAloneWhereAllStepsAreAsManyEdges) {
  const Cells cells = uneven_cells();
  const Graph plain = coarse_graph(cells, 8);
  CellEdges edges;  // as long as the landmarks' own, times one factor
  for (std::size_t a = 0; a < plain.n_points(); ++a) {
    double squares = 0, weight = 0;
    for (std::size_t e = plain.weights.offsets[a]; e < plain.weights.offsets[a + 1]; ++e) {
      squares += plain.weights.values[e] * plain.lengths[e] * plain.lengths[e];
      weight += plain.weights.values[e];
    }
    edges.total_length.push_back(7 * 0.01 * std::sqrt(squares / weight));
    edges.count.push_back(7);
  }
  const Graph rated = with_hop_rates(plain, edges);
  for (std::size_t e = 0; e < plain.weights.n_entries(); ++e) {
    EXPECT_NEAR(rated.weights.values[e], plain.weights.values[e], 1e-12);
  }
}

TEST(HopRates, NeedLengthsAndOneEntryForEachLandmark) {
  const Cells cells = uneven_cells();
  const Graph plain = coarse_graph(cells, 8);
  const std::size_t m = plain.n_points();
  Graph without = strip();
  without.lengths.clear();
  const CellEdges unknown = edges_of_cells(without, cells.cell_of, m);
  EXPECT_EQ(with_hop_rates(plain, unknown).weights.values, plain.weights.values);
  EXPECT_THROW(with_hop_rates(plain, CellEdges{}), InvalidArgument);
}

TEST(HopRates, CountEveryEdgeEndOnce) {
  const Cells cells = uneven_cells();
  const CellEdges edges = edges_of_cells(strip(), cells.cell_of, cells.landmarks.size());
  std::size_t count = 0;
  double total = 0, expected = 0;
  for (const std::size_t c : edges.count) count += c;
  for (const double length : edges.total_length) total += length;
  for (const double length : strip().lengths) expected += length;
  EXPECT_EQ(count, strip().weights.n_entries());
  EXPECT_NEAR(total, expected, 1e-9 * expected);
}

}  // namespace
}  // namespace geotherm
