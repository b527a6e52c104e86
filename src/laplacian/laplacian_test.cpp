// Laws of the three Laplacians, and the spectral bound against full eigendecompositions.
#include "geotherm/laplacian.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "linalg/symmetric_eigen.hpp"

namespace geotherm {
namespace {

constexpr LaplacianKind all_kinds[] = {LaplacianKind::combinatorial, LaplacianKind::normalized,
                                       LaplacianKind::random_walk};

Graph graph_of(std::size_t n, const std::vector<Triplet>& one_way) {
  std::vector<Triplet> entries;
  for (const Triplet& e : one_way) {
    entries.push_back(e);
    if (e.row != e.col) entries.push_back({e.col, e.row, e.value});
  }
  Graph graph;
  graph.weights = sparse_from_triplets(n, n, entries);
  return graph;
}

Graph random_graph(std::uint64_t seed, std::size_t n, double density) {
  Rng rng(seed, "test.graph");
  std::vector<Triplet> edges;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (rng.uniform() < density) {
        edges.push_back({static_cast<Index>(i), static_cast<Index>(j), std::exp(2 * rng.normal())});
      }
    }
  }
  return graph_of(n, edges);
}

TEST(Laplacian, NamesGoThereAndBack) {
  for (const auto kind : all_kinds) EXPECT_EQ(laplacian_kind_named(to_string(kind)), kind);
  EXPECT_FALSE(laplacian_kind_named("unnormalized").has_value());
}

TEST(Laplacian, HasTheValuesOfItsDefinition) {
  // Degrees 5, 2, 3.
  const Graph graph = graph_of(3, {{0, 1, 2.0}, {0, 2, 3.0}});
  const Matrix<double> c = to_dense(build_laplacian(graph, LaplacianKind::combinatorial).matrix);
  EXPECT_EQ(c(0, 0), 5);
  EXPECT_EQ(c(1, 1), 2);
  EXPECT_EQ(c(0, 1), -2);
  EXPECT_EQ(c(1, 2), 0);
  const Matrix<double> s = to_dense(build_laplacian(graph, LaplacianKind::normalized).matrix);
  EXPECT_EQ(s(0, 0), 1);
  EXPECT_NEAR(s(0, 1), -2 / std::sqrt(10.0), 1e-15);
  EXPECT_NEAR(s(2, 0), -3 / std::sqrt(15.0), 1e-15);
  const Matrix<double> r = to_dense(build_laplacian(graph, LaplacianKind::random_walk).matrix);
  EXPECT_NEAR(r(0, 1), -0.4, 1e-15);
  EXPECT_EQ(r(1, 0), -1);
}

TEST(Laplacian, SendsConstantsOrRootsOfDegreesToZero) {
  const Graph graph = random_graph(1, 60, 0.1);
  for (const auto kind : all_kinds) {
    const Laplacian l = build_laplacian(graph, kind);
    for (std::size_t i = 0; i < l.size(); ++i) {
      double sum = 0, size = 0;
      const auto columns = l.matrix.row_indices(i);
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const double q = l.degree[static_cast<std::size_t>(columns[k])];
        const double x = kind == LaplacianKind::normalized ? std::sqrt(q) : 1.0;
        sum += l.matrix.row_values(i)[k] * x;
        size += std::abs(l.matrix.row_values(i)[k] * x);
      }
      // A few roundings of numbers of that size.
      EXPECT_LE(std::abs(sum), 20 * std::numeric_limits<double>::epsilon() * size);
    }
  }
}

TEST(Laplacian, IsSymmetricToTheBitWhereItSaysSo) {
  const Graph graph = random_graph(2, 40, 0.2);
  for (const auto kind : all_kinds) {
    const Laplacian l = build_laplacian(graph, kind);
    const Matrix<double> m = to_dense(l.matrix);
    bool same = true;
    for (std::size_t i = 0; i < l.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) same &= m(i, j) == m(j, i);
    }
    EXPECT_EQ(same, l.is_symmetric()) << to_string(kind);
  }
}

TEST(Laplacian, LeavesPointsWithoutEdgesAndSelfWeightsAlone) {
  Graph graph = graph_of(4, {{0, 1, 1.0}, {1, 1, 7.0}, {0, 3, 0.0}});
  for (const auto kind : all_kinds) {
    const Laplacian l = build_laplacian(graph, kind);
    const Matrix<double> m = to_dense(l.matrix);
    EXPECT_EQ(l.degree[1], 1.0);
    EXPECT_EQ(m(1, 1), 1.0);
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(m(2, j), 0.0);
      EXPECT_EQ(m(3, j), 0.0);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_LT(l.matrix.find(i, static_cast<Index>(i)), l.matrix.n_entries());
    }
  }
}

TEST(SpectralBound, IsNeverBelowTheLargestEigenvalueNorAboveGershgorin) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Graph graph = random_graph(seed, 5 + 3 * seed, seed % 2 == 0 ? 0.15 : 0.6);
    for (const auto kind : {LaplacianKind::combinatorial, LaplacianKind::normalized}) {
      const Laplacian l = build_laplacian(graph, kind);
      const auto eigen = detail::symmetric_eigen(to_dense(l.matrix));
      // Rounding of the eigenvalues themselves.
      EXPECT_GE(l.spectral_bound, eigen.values.back() * (1 - 1e-14));
      EXPECT_LE(l.spectral_bound, 2 * l.largest_diagonal * (1 + 1e-12));
    }
  }
}

TEST(SpectralBound, IsTightOnACompleteBipartiteGraph) {
  // Largest eigenvalue 3 + 4: where Gershgorin says 8.
  std::vector<Triplet> edges;
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 3; j < 7; ++j) edges.push_back({i, j, 1.0});
  }
  EXPECT_NEAR(build_laplacian(graph_of(7, edges)).spectral_bound, 7.0, 1e-6);
}

TEST(SpectralBound, IsNotBelowTheEigenvalueForTheRoundingOfItsSums) {
  // Every point has 100 links of the same weight, whose last bits are lost each time it is added to
  // a sum above 64: the sums fall short of the truth by some 40 units in the last place. The
  // largest eigenvalue is the degree as stored plus 100 weights, to which long double is exact.
  constexpr Index half = 100;
  const double weight = 1 + 0x1p-47 - 0x1p-51;
  std::vector<Triplet> edges;
  for (Index i = 0; i < half; ++i) {
    for (Index j = half; j < 2 * half; ++j) edges.push_back({i, j, weight});
  }
  const Laplacian l = build_laplacian(graph_of(2 * half, edges));
  const long double largest = static_cast<long double>(l.degree[0]) + 100.0L * weight;
  EXPECT_LT(2 * l.degree[0], largest) << "nothing was lost, so that this shows nothing";
  EXPECT_GE(l.spectral_bound, largest);
  // The allowance for rounding is a small one, whether points have many links or two.
  EXPECT_LE(l.spectral_bound, largest * (1 + 1e-12L));
  std::vector<Triplet> path;
  for (Index i = 0; i < 30; ++i) path.push_back({i, i + 1, 1.0});
  EXPECT_LE(build_laplacian(graph_of(31, path)).spectral_bound, 4 * (1 + 1e-14));
}

TEST(Laplacian, AcceptsNoPointsOnePointAndNoEdges) {
  for (const std::size_t n : {0, 1, 5}) {
    for (const auto kind : all_kinds) {
      const Laplacian l = build_laplacian(graph_of(n, {}), kind);
      EXPECT_EQ(l.size(), n);
      EXPECT_EQ(l.spectral_bound, 0.0);
      EXPECT_EQ(l.largest_diagonal, 0.0);
    }
  }
}

TEST(Laplacian, HoldsAtHugeAndTinyScales) {
  for (const double scale : {1e-150, 1e150}) {
    const Graph graph = graph_of(3, {{0, 1, scale}, {1, 2, 2 * scale}});
    const Laplacian s = build_laplacian(graph, LaplacianKind::normalized);
    EXPECT_NEAR(to_dense(s.matrix)(0, 1), -1 / std::sqrt(3.0), 1e-15);
    const Laplacian c = build_laplacian(graph);
    EXPECT_GE(c.spectral_bound, 4.7 * scale);
    EXPECT_LE(c.spectral_bound, 6.1 * scale);
  }
}

TEST(Laplacian, RefusesWhatIsNoAffinity) {
  EXPECT_THROW(build_laplacian(graph_of(2, {{0, 1, -1.0}})), InvalidArgument);
  EXPECT_THROW(build_laplacian(graph_of(2, {{0, 1, std::nan("")}})), InvalidArgument);
  // The first and the last point too, by a weight of their own.
  EXPECT_THROW(build_laplacian(graph_of(2, {{0, 0, -1.0}, {0, 1, 1.0}})), InvalidArgument);
  EXPECT_THROW(build_laplacian(graph_of(2, {{1, 1, -1.0}, {0, 1, 1.0}})), InvalidArgument);
  Graph oblong;
  oblong.weights = sparse_from_triplets(2, 3, {{0, 1, 1.0}});
  EXPECT_THROW(build_laplacian(oblong), InvalidArgument);
}

}  // namespace
}  // namespace geotherm
