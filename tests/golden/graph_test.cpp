// Points -> affinities, random walk, Laplacians, shortest paths: against the reference values.
#include "geotherm/dissimilarity.hpp"
#include "golden/golden_data.hpp"

namespace geotherm::testing {
namespace {

// 1e-12 throughout: sums of at most a hundred numbers of order 1 in double lose about 1e-14.
constexpr double rounding = 1e-12;

class GoldenGraph : public GoldenSet {};

TEST_P(GoldenGraph, AlphaDecayAffinitiesAreTheReferenceOnes) {
  const Graph graph = alpha_graph(set());
  const Matrix<double> expected = golden_matrix(set(), "W_alpha");
  EXPECT_LE(largest_difference(to_dense(graph.weights).view(), expected.view()), rounding);
  // The pattern too: an entry just above the threshold is kept, one just below is not.
  std::size_t n_edges = 0;
  for (std::size_t i = 0; i < expected.rows(); ++i) {
    for (std::size_t j = 0; j < expected.cols(); ++j) n_edges += expected(i, j) > 0;
  }
  EXPECT_EQ(graph.weights.n_entries(), n_edges);
}

TEST_P(GoldenGraph, RandomWalkKeepsTheSelfAffinity) {
  const Matrix<double> walk = to_dense(random_walk(alpha_graph(set())));
  EXPECT_LE(largest_difference(walk.view(), golden_matrix(set(), "P_diffusion").view()), rounding);
}

TEST_P(GoldenGraph, LaplaciansAreTheReferenceOnes) {
  const Graph graph = alpha_graph(set());
  const auto combinatorial = build_laplacian(graph, LaplacianKind::combinatorial);
  const auto normalized = build_laplacian(graph, LaplacianKind::normalized);
  EXPECT_LE(largest_difference(to_dense(combinatorial.matrix).view(),
                               golden_matrix(set(), "L_combinatorial").view()),
            rounding);
  EXPECT_LE(largest_difference(to_dense(normalized.matrix).view(),
                               golden_matrix(set(), "L_normalized").view()),
            rounding);
}

TEST_P(GoldenGraph, NoEigenvalueIsAboveTheSpectralBound) {
  const Graph graph = stored_graph(set());
  for (const std::string word : {"comb", "norm"}) {
    const std::vector<double> eigenvalues = golden_values(set(), "eig_" + word);
    const double largest = *std::max_element(eigenvalues.begin(), eigenvalues.end());
    EXPECT_GE(build_laplacian(graph, kind_of(word)).spectral_bound, largest) << word;
  }
}

TEST_P(GoldenGraph, ShortestPathsRunOnTheSymmetrisedKnnGraph) {
  const Matrix<double> points = golden_matrix(set(), "X");
  const auto knn = static_cast<std::size_t>(golden_scalar(set(), "knn"));
  const Graph graph =
      build_graph(find_neighbors(points.view(), {.knn = knn}), {.kind = Affinity::knn});
  ASSERT_TRUE(graph.has_lengths());
  const Matrix<double> expected = golden_matrix(set(), "D_shortest_path");
  // 1e-10: lengths up to 40 from a few tens of edges.
  EXPECT_LE(largest_difference(golden_rows_of(shortest_paths(graph)).view(), expected.view()),
            1e-10);
}

INSTANTIATE_TEST_SUITE_P(Sets, GoldenGraph, ::testing::Values("swiss100", "tree100"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace geotherm::testing
