#include "geotherm/spectral.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "geotherm/dissimilarity.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/points.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace geotherm {
namespace {

using nlohmann::json;

constexpr auto eigenmaps = SpectralForm::laplacian_eigenmaps;
constexpr auto diffusion = SpectralForm::diffusion_map;

Graph roll_graph(std::size_t n, std::size_t knn = 10) {
  const Matrix<double> points = synthesize(Shape::swiss_roll, {.n = n}, {.seed = 4}).X;
  return connect_components(build_graph(find_neighbors(points.view(), {.knn = knn, .reach = 1.06})),
                            ComponentPolicy::bridge, points);
}

Graph graph_of_edges(std::size_t n, std::vector<Triplet> one_way) {
  std::vector<Triplet> entries = one_way;
  for (const Triplet& e : one_way) entries.push_back({e.col, e.row, e.value});
  return graph_from_affinities(sparse_from_triplets(n, n, std::move(entries)));
}

Graph ring(std::size_t n) {
  std::vector<Triplet> edges;
  for (std::size_t i = 0; i < n; ++i) {
    edges.push_back({static_cast<Index>(i), static_cast<Index>((i + 1) % n), 1.0});
  }
  return graph_of_edges(n, std::move(edges));
}

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(a.data()[i] - b.data()[i]));
  }
  return worst;
}

bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

/// |S v - value v| over |v|, v recovered from the coordinates: what an eigenvector is, whatever
/// found it.
double worst_residual(const Graph& graph, const SpectralEmbedding& found, SpectralForm form) {
  const std::size_t n = graph.n_points();
  const double self = form == diffusion ? 1 : 0;
  std::vector<double> q(n, self);
  for (std::size_t i = 0; i < n; ++i) {
    for (const double w : graph.weights.row_values(i)) q[i] += w;
  }
  double worst = 0;
  for (std::size_t k = 0; k < found.eigenvalues.size(); ++k) {
    const double value = form == diffusion ? found.eigenvalues[k] : 1 - found.eigenvalues[k];
    double residual = 0, norm = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = self * found.coordinates(i, k);
      for (std::size_t e = graph.weights.offsets[i]; e < graph.weights.offsets[i + 1]; ++e) {
        sum += graph.weights.values[e] *
               found.coordinates(static_cast<std::size_t>(graph.weights.indices[e]), k);
      }
      // (S v)_i = sqrt(q_i) (P y)_i
      const double v = std::sqrt(q[i]) * found.coordinates(i, k);
      residual += std::pow(sum / std::sqrt(q[i]) - value * v, 2);
      norm += v * v;
    }
    worst = std::max(worst, std::sqrt(residual / norm));
  }
  return worst;
}

/// All eigenpairs by a dense decomposition, as coordinates of the same form.
SpectralEmbedding dense_oracle(const Graph& graph, const SpectralOptions& options) {
  const std::size_t n = graph.n_points();
  const bool is_walk = options.form == diffusion;
  Matrix<double> w = to_dense(graph.weights);
  std::vector<double> q(n, 0.0);
  double volume = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (is_walk) w(i, i) = 1;
    for (std::size_t j = 0; j < n; ++j) q[i] += w(i, j);
    volume += q[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) w(i, j) /= std::sqrt(q[i] * q[j]);
  }
  const detail::SymmetricEigen all = detail::symmetric_eigen(w);
  SpectralEmbedding result;
  result.coordinates = Matrix<double>(n, options.n_components);
  for (std::size_t k = 0; k < options.n_components; ++k) {
    const std::size_t column = n - 2 - k;
    const double value = all.values[column];
    result.eigenvalues.push_back(is_walk ? value : 1 - value);
    const double scale = is_walk ? std::pow(value, options.steps) * std::sqrt(volume) : 1;
    for (std::size_t i = 0; i < n; ++i) {
      result.coordinates(i, k) = scale * all.vectors(i, column) / std::sqrt(q[i]);
    }
  }
  return result;
}

const json& reference() {
  static const json values = [] {
    std::ifstream file(GEOTHERM_SOURCE_DIR "/tests/reference/spectral_values.json");
    return json::parse(file);
  }();
  return values;
}

Graph reference_graph() {
  std::vector<Triplet> entries;
  for (const json& e : reference().at("edges")) {
    entries.push_back({e[0].get<Index>(), e[1].get<Index>(), e[2].get<double>()});
  }
  const auto n = reference().at("n").get<std::size_t>();
  return graph_from_affinities(sparse_from_triplets(n, n, std::move(entries)));
}

/// Compares with distances of pairs i < j in order.
void expect_distances(const Matrix<double>& ours, const char* name, double tolerance) {
  const auto expected = reference().at(name).get<std::vector<double>>();
  ASSERT_EQ(expected.size(), ours.rows() * (ours.rows() - 1) / 2);
  std::size_t k = 0;
  for (std::size_t i = 0; i < ours.rows(); ++i) {
    for (std::size_t j = i + 1; j < ours.rows(); ++j, ++k) {
      ASSERT_NEAR(ours(i, j), expected[k], tolerance) << name << " " << i << " " << j;
    }
  }
}

TEST(Spectral, AgreesWithADenseDecompositionOnPointsEnoughForLanczos) {
  const Graph graph = roll_graph(150);
  for (const SpectralForm form : {eigenmaps, diffusion}) {
    const SpectralOptions options = {.n_components = 5, .form = form, .steps = 3};
    const SpectralEmbedding found = spectral_embedding(graph, options);
    ASSERT_GT(found.n_products, 0u) << "this size is meant to be solved by Lanczos";
    EXPECT_EQ(found.outcome, Outcome::converged);
    const SpectralEmbedding expected = dense_oracle(graph, options);
    ASSERT_EQ(found.eigenvalues.size(), 5u);
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(found.eigenvalues[k], expected.eigenvalues[k], 1e-11);
    }
    // Vectors err by the residual (1e-10) over the gap to the next eigenvalue (about 1e-2).
    EXPECT_LT(largest_difference(pairwise_distances(found.coordinates),
                                 pairwise_distances(expected.coordinates)),
              1e-7);
  }
}

TEST(Spectral, EigenmapsAreThoseOfScikitLearn) {
  const SpectralEmbedding found = spectral_embedding(reference_graph(), {.n_components = 3});
  const auto values = reference().at("eigenmap_values").get<std::vector<double>>();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.eigenvalues[k], values[k], 1e-12);
  // ARPACK's vectors are right to about 1e-14 over the gap; both sides are double.
  expect_distances(pairwise_distances(found.coordinates), "eigenmap_distances", 1e-10);
}

TEST(Spectral, DiffusionMapAndDistancesAreThoseOfTheWalksDefinition) {
  const Graph graph = reference_graph();
  const int steps = reference().at("steps").get<int>();
  const SpectralEmbedding found =
      spectral_embedding(graph, {.n_components = 3, .form = diffusion, .steps = steps});
  const auto values = reference().at("walk_values").get<std::vector<double>>();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.eigenvalues[k], values[k], 1e-12);
  expect_distances(pairwise_distances(found.coordinates), "diffusion_map_distances", 1e-10);
  const auto kernel = walk_power(random_walk(graph), steps);
  // The matrix product for distances of close rows is right to 1e-9.
  expect_distances(diffusion_distance(*kernel, stationary_distribution(graph)).values,
                   "diffusion_distances", 1e-9);
}

TEST(Spectral, AllCoordinatesOfADiffusionMapGiveTheDiffusionDistances) {
  const Graph graph = roll_graph(60, 6);
  for (const int steps : {1, 4}) {
    const SpectralEmbedding all =
        spectral_embedding(graph, {.n_components = 59, .form = diffusion, .steps = steps});
    const auto kernel = walk_power(random_walk(graph), steps);
    const Dissimilarity d = diffusion_distance(*kernel, stationary_distribution(graph));
    EXPECT_LT(largest_difference(pairwise_distances(all.coordinates), d.values), 1e-9);
  }
}

TEST(Spectral, CoordinatesAreEigenvectorsOnALongRoll) {
  // 3,000 points: eigenvalues crowd towards 1, where Lanczos needs its restarts.
  const Graph graph = roll_graph(3000);
  for (const SpectralForm form : {eigenmaps, diffusion}) {
    const SpectralEmbedding found = spectral_embedding(graph, {.n_components = 4, .form = form});
    EXPECT_EQ(found.outcome, Outcome::converged);
    EXPECT_LT(worst_residual(graph, found, form), 1e-9);
  }
}

TEST(Spectral, RepeatedEigenvaluesAreAllFound) {
  // On a ring of n points each eigenvalue 1 - cos(2 pi k / n) comes twice, and the first two
  // coordinates are a circle: all points at one distance from the centre.
  const std::size_t n = 200;
  const SpectralEmbedding found = spectral_embedding(ring(n), {.n_components = 4});
  for (std::size_t k = 0; k < 4; ++k) {
    const double turn =
        2 * std::numbers::pi * static_cast<double>(k / 2 + 1) / static_cast<double>(n);
    EXPECT_NEAR(found.eigenvalues[k], 1 - std::cos(turn), 1e-11);
  }
  for (std::size_t i = 0; i < n; ++i) {
    // Degree 2, two unit vectors: the squares sum to 2 / (2 n) at each point.
    EXPECT_NEAR(std::hypot(found.coordinates(i, 0), found.coordinates(i, 1)),
                std::sqrt(1 / static_cast<double>(n)), 1e-6);
  }
}

/// Squares in rows and columns that meet at the far sides.
Graph torus(std::size_t n_rows, std::size_t n_columns) {
  std::vector<Triplet> edges;
  for (std::size_t r = 0; r < n_rows; ++r) {
    for (std::size_t c = 0; c < n_columns; ++c) {
      const auto here = static_cast<Index>(r * n_columns + c);
      edges.push_back({here, static_cast<Index>(r * n_columns + (c + 1) % n_columns), 1.0});
      edges.push_back({here, static_cast<Index>((r + 1) % n_rows * n_columns + c), 1.0});
    }
  }
  return graph_of_edges(n_rows * n_columns, std::move(edges));
}

TEST(Spectral, OfManyPointsModesAreExactWhetherSlowOrNot) {
  // 20,000 points: the operator is filtered. Along the longer side of 200 squares the eigenvalues
  // are (1 - cos(2 pi k / 200)) / 2, each twice; along the shorter one of 100 those of twice the k.
  const Graph slow = torus(100, 200);
  const Matrix<double> alone = spectral_embedding(slow, {.n_components = 8}).coordinates;
  ThreadPool pool(3);
  const SpectralEmbedding found =
      spectral_embedding(slow, {.n_components = 8}, {.executor = &pool});
  EXPECT_TRUE(same_bits(found.coordinates, alone));
  EXPECT_EQ(found.outcome, Outcome::converged);
  const auto at = [](double turns) {
    return (1 - std::cos(2 * std::numbers::pi * turns / 200)) / 2;
  };
  // (1, 0) twice; (2, 0) and (0, 1) four times; (1, 1) and (2, 1) more often than is left.
  const std::vector<double> expected = {at(1), at(1), at(2),         at(2),
                                        at(2), at(2), at(1) + at(2), at(1) + at(2)};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_NEAR(found.eigenvalues[k], expected[k], 1e-9);
  }
  EXPECT_LT(worst_residual(slow, found, eigenmaps), 1e-9);

  // Links across the whole graph mix at once: no mode is slow, and nothing is filtered.
  Rng rng(7, "test.links", 0);
  std::vector<Triplet> edges;
  for (Index i = 0; i < 20000; ++i) {
    for (int k = 0; k < 4; ++k) {
      const auto other = static_cast<Index>(rng.uniform() * 20000);
      if (other != i) edges.push_back({i, other, 1.0});
    }
  }
  const Graph fast = graph_of_edges(20000, std::move(edges));
  const SpectralEmbedding mixed = spectral_embedding(fast, {.n_components = 2});
  EXPECT_GT(mixed.eigenvalues[0], 0.2);
  EXPECT_LT(worst_residual(fast, mixed, eigenmaps), 1e-9);
}

TEST(Spectral, ACompleteGraphAndTwoPointsHaveTheirNegativeEigenvalues) {
  // Below zero, where a deflated vector at 0 would come first.
  const SpectralEmbedding pair = spectral_embedding(graph_of_edges(2, {{0, 1, 3.0}}));
  ASSERT_EQ(pair.eigenvalues.size(), 1u);
  EXPECT_NEAR(pair.eigenvalues[0], 2, 1e-14);
  EXPECT_NEAR(pair.coordinates(0, 0), -pair.coordinates(1, 0), 1e-15);
  EXPECT_NEAR(std::abs(pair.coordinates(0, 0)), 1 / std::sqrt(6.0), 1e-14);
  EXPECT_EQ(pair.coordinates(0, 1), 0);
  for (const std::size_t n : {3, 90}) {
    std::vector<Triplet> edges;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        edges.push_back({static_cast<Index>(i), static_cast<Index>(j), 1.0});
      }
    }
    const Graph graph = graph_of_edges(n, std::move(edges));
    const SpectralEmbedding found = spectral_embedding(graph, {.n_components = 2});
    for (const double value : found.eigenvalues) {
      EXPECT_NEAR(value, static_cast<double>(n) / static_cast<double>(n - 1), 1e-11);
    }
    EXPECT_LT(worst_residual(graph, found, eigenmaps), 1e-9);
  }
}

TEST(Spectral, PiecesAreToldApartByTheFirstCoordinates) {
  std::vector<Triplet> edges;
  const auto add_path = [&](Index from, Index to) {
    for (Index i = from; i + 1 < to; ++i) edges.push_back({i, i + 1, 1.0});
  };
  add_path(0, 50);
  add_path(50, 90);
  add_path(90, 99);  // and point 99 on its own
  const Graph graph = graph_of_edges(100, std::move(edges));
  const SpectralEmbedding found = spectral_embedding(graph, {.n_components = 4});
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.eigenvalues[k], 0, 1e-14);
    for (std::size_t i = 1; i < 100; ++i) {
      if (graph.component[i] == graph.component[i - 1]) {
        EXPECT_NEAR(found.coordinates(i, k), found.coordinates(i - 1, k), 1e-12);
      }
    }
  }
  EXPECT_NE(found.coordinates(0, 0), found.coordinates(60, 0));
  // The slowest vector of any piece: that of the longest path, 1 - cos(pi / 49).
  EXPECT_NEAR(found.eigenvalues[3], 1 - std::cos(std::numbers::pi / 49), 1e-11);
}

TEST(Spectral, TheLargestEntryOfEachCoordinateIsPositive) {
  const SpectralEmbedding found = spectral_embedding(roll_graph(300), {.n_components = 6});
  for (std::size_t k = 0; k < 6; ++k) {
    double lowest = 0, highest = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      lowest = std::min(lowest, found.coordinates(i, k));
      highest = std::max(highest, found.coordinates(i, k));
    }
    EXPECT_GE(highest, -lowest);
  }
}

TEST(Spectral, TheBitsAreTheSameForAnyNumberOfThreads) {
  const Graph graph = roll_graph(2500);
  const Graph small = roll_graph(600);
  const auto kernel = walk_power(random_walk(small), 2);
  const auto pi = stationary_distribution(small);
  const Matrix<double> map = spectral_embedding(graph).coordinates;
  const Matrix<double> distances = diffusion_distance(*kernel, pi).values;
  for (const std::size_t n_threads : {1, 2, 8}) {
    ThreadPool pool(n_threads);
    const Context context{.executor = &pool};
    EXPECT_TRUE(same_bits(spectral_embedding(graph, {}, context).coordinates, map));
    EXPECT_TRUE(same_bits(diffusion_distance(*kernel, pi, context).values, distances));
  }
}

TEST(Spectral, AStopIsHonoured) {
  const std::atomic<bool> stop = true;
  EXPECT_THROW(spectral_embedding(roll_graph(200), {}, {.stop = &stop}), Stopped);
}

TEST(Spectral, BadOptionsAreRefusedWithEveryComplaint) {
  const auto issues = issues_with(
      SpectralOptions{.n_components = 0, .steps = -1, .tolerance = 0, .max_restarts = 0});
  EXPECT_EQ(issues.size(), 4u);
  EXPECT_THROW(spectral_embedding(ring(5), {.n_components = 0}), InvalidArgument);
  const auto kernel = walk_power(random_walk(ring(5)), 1);
  EXPECT_THROW(diffusion_distance(*kernel, std::vector<double>(4, .25)), InvalidArgument);
  EXPECT_THROW(diffusion_distance(*kernel, std::vector<double>(5, 0.0)), InvalidArgument);
}

TEST(SpectralRecipes, EqualRowsShareAPlaceAndTheWalkTakesOneStepUnlessTold) {
  Matrix<double> points = synthesize(Shape::swiss_roll, {.n = 120}, {.seed = 2}).X;
  std::copy_n(points.row(3).data(), 3, points.row(77).data());
  const Input input(points);
  MethodOptions options;
  const EmbeddingRun one = diffusion_map(input, options);
  EXPECT_EQ(one.embedding.coordinates.rows(), 120u);
  EXPECT_EQ(one.embedding.coordinates(3, 0), one.embedding.coordinates(77, 0));
  EXPECT_EQ(std::get<double>(one.distances.report.resolved.at("time")), 1);

  const DistanceRun distances = diffusion_map_distances(input, options);
  EXPECT_EQ(distances.dissimilarity.values(3, 77), 0);
  options.mds.n_components = 118;
  const Matrix<double> all =
      pairwise_distances(diffusion_map(input, options).embedding.coordinates);
  EXPECT_LT(largest_difference(all, distances.dissimilarity.values), 1e-8);

  options.mds.n_components = 2;
  options.time_choice.reset();
  options.heat.time = 4;
  const EmbeddingRun four = diffusion_map(input, options);
  EXPECT_EQ(std::get<double>(four.distances.report.resolved.at("time")), 4);
  options.heat.time = 2.5;
  EXPECT_THROW(diffusion_map(input, options), InvalidArgument);

  const EmbeddingRun maps = laplacian_eigenmaps(input);
  EXPECT_EQ(maps.embedding.outcome, Outcome::converged);
  EXPECT_EQ(maps.embedding.coordinates(3, 1), maps.embedding.coordinates(77, 1));
}

TEST(SpectralRecipes, AwkwardInputsHaveAMap) {
  const Matrix<double> equal(5, 2, 1.0);
  const Matrix<double> all_equal = diffusion_map(Input(equal)).embedding.coordinates;
  for (std::size_t i = 0; i < all_equal.size(); ++i) EXPECT_EQ(all_equal.data()[i], 0);
  for (const std::size_t n : {2, 3}) {
    for (const double scale : {1e-150, 1.0, 1e150}) {
      Matrix<double> few(n, 1);
      for (std::size_t i = 0; i < n; ++i) few(i, 0) = scale * static_cast<double>(i * i + 1);
      const Matrix<double> map = laplacian_eigenmaps(Input(few)).embedding.coordinates;
      EXPECT_NE(map(0, 0), map(1, 0));
      for (std::size_t i = 0; i < map.size(); ++i) EXPECT_TRUE(std::isfinite(map.data()[i]));
    }
  }
}

}  // namespace
}  // namespace geotherm
