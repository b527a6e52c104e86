// Heat kernel -> heat-geodesic dissimilarity: against the formula and against the published
// program.
#include "geotherm/dissimilarity.hpp"

#include "golden/golden_data.hpp"

namespace geotherm::testing {
namespace {

// Reference distances are compared off the diagonal (ours is 0 by contract) where h > 1e-8.
// The formula takes a root, so a rounding error of a few 1e-15 in h/h_ii shows as
// sqrt(4t * 4e-15) = 4e-7 where the distance is 0: hence 1e-6 in d. The squares have no such
// point: 4t * 3e-15 / .003 (the stored kernel's own error over its smallest entry) = 4e-11,
// hence 1e-9 in d^2.
constexpr double in_distance = 1e-6;
constexpr double in_square = 1e-9;

struct Gap {
  double distance = 0;
  double square = 0;
  std::size_t n_pairs = 0;
};

Gap gap_where_resolved(const Matrix<double>& all, const Matrix<double>& expected,
                       const Matrix<double>& heat) {
  Gap gap;
  const Matrix<double> ours = golden_rows_of(all);
  EXPECT_EQ(ours.rows(), expected.rows());
  for (std::size_t i = 0; i < expected.rows(); ++i) {
    for (std::size_t j = 0; j < ours.cols(); ++j) {
      if (i * golden_row_step == j || !(heat(i, j) > 1e-8)) continue;
      const double a = ours(i, j), b = expected(i, j);
      const double distance = std::abs(a - b);
      gap.distance = std::isnan(distance) ? INFINITY : std::max(gap.distance, distance);
      gap.square = std::max(gap.square, std::abs(a * a - b * b));
      ++gap.n_pairs;
    }
  }
  return gap;
}

class GoldenDissimilarity : public GoldenSet {
 protected:
  Matrix<double> distances(const Graph& graph, LaplacianKind kind, const HeatKernelOptions& heat,
                           const HeatGeodesicOptions& options) const {
    return heat_geodesic(*heat_kernel(build_laplacian(graph, kind), heat), options).values;
  }
  void expect_combinatorial(const std::string& family, const Graph& graph) const {
    const Matrix<double> heat = golden_matrix(set(), "H_exact_comb_t10");
    for (const auto& [word, sigma] :
         {std::pair{"0", 0.0}, {"0.5", 0.5}, {"1", 1.0}, {"1.5", 1.5}}) {
      const Matrix<double> expected = golden_matrix(set(), family + "_comb_t10_s" + word);
      for (const KernelMethod method : {KernelMethod::uniformization, KernelMethod::exact}) {
        const auto ours = distances(graph, LaplacianKind::combinatorial,
                                    {.time = 10.0, .method = method}, {.harnack = sigma});
        const Gap gap = gap_where_resolved(ours, expected, heat);
        EXPECT_GT(gap.n_pairs, 1800U);  // of 2,000: at t = 10 nearly every pair counts
        EXPECT_LE(gap.distance, in_distance)
            << family << ", sigma " << word << ", " << to_string(method);
        EXPECT_LE(gap.square, in_square)
            << family << ", sigma " << word << ", " << to_string(method);
      }
    }
  }
};

TEST_P(GoldenDissimilarity, IsTheFormulaOfTheExactKernel) {
  expect_combinatorial("D_formula", stored_graph(set()));
}

TEST_P(GoldenDissimilarity, IsThePublishedProgramsOnItsOwnGraph) {
  expect_combinatorial("D_heatgeo_exact", stored_graph(set(), published_drop));
}

TEST_P(GoldenDissimilarity, DiffersFromThePublishedProgramsOnOurGraph) {
  // The second threshold of the published program is what moves its results: by 1e-6 or more.
  const Matrix<double> expected = golden_matrix(set(), "D_heatgeo_exact_comb_t10_s0");
  const auto ours = distances(stored_graph(set()), LaplacianKind::combinatorial, {.time = 10.0},
                              {.harnack = 0.0});
  const Gap gap = gap_where_resolved(ours, expected, golden_matrix(set(), "H_exact_comb_t10"));
  EXPECT_GT(gap.distance, 1e-6);
  EXPECT_LT(gap.distance, 1e-3);
}

TEST_P(GoldenDissimilarity, IsThePublishedProgramsThroughChebyshevOfOrder32And64) {
  const Graph graph = stored_graph(set(), published_drop);
  struct Row {
    int order;
    int time;
  };
  for (const Row row : {Row{32, 1}, Row{64, 10}}) {
    const std::string t = std::to_string(row.time);
    const Matrix<double> heat = golden_matrix(set(), "H_exact_norm_t" + t);
    const Matrix<double> expected =
        golden_matrix(set(), "D_heatgeo_cheb" + std::to_string(row.order) + "_norm_t" + t + "_s1");
    const double time = row.time;
    for (const HeatKernelOptions& options :
         {HeatKernelOptions{.time = time, .method = KernelMethod::chebyshev, .order = row.order},
          HeatKernelOptions{.time = time, .method = KernelMethod::uniformization}}) {
      const auto ours = distances(graph, LaplacianKind::normalized, options, {.harnack = 1.0});
      const Gap gap = gap_where_resolved(ours, expected, heat);
      EXPECT_GT(gap.n_pairs, 1200U);
      // Both orders are past the point where the series has ended (the next coefficients are
      // below 1e-20), so rounding alone remains: 1e-15 absolute over h > 1e-8 moves d by 1e-7.
      EXPECT_LE(gap.distance, in_distance)
          << to_string(options.method) << " against order " << row.order;
    }
  }
}

TEST_P(GoldenDissimilarity, DenoisesBeforeTheDiagonalIsZeroed) {
  const Graph graph = stored_graph(set(), published_drop);
  const Matrix<double> expected = golden_matrix(set(), "D_heatgeo_exact_comb_t10_s0_rho.5");
  const auto ours = distances(graph, LaplacianKind::combinatorial, {.time = 10.0},
                              {.harnack = 0.0, .denoise = 0.5});
  // 1e-6: distances between rows by matrix product lose eps * |row|^2 = 4e-12 in the square,
  // which is 2e-7 where two rows are 2e-5 apart (as the nearest two are).
  const Gap gap = gap_where_resolved(ours, expected, golden_matrix(set(), "H_exact_comb_t10"));
  EXPECT_LE(gap.distance, 1e-6);
  for (std::size_t i = 0; i < ours.rows(); ++i) EXPECT_EQ(ours(i, i), 0.0);
}

TEST_P(GoldenDissimilarity, StageByStageFromThePointsGivesTheSameDistances) {
  const auto ours =
      distances(alpha_graph(set()), LaplacianKind::combinatorial, {.time = 10.0}, {.harnack = 1.0});
  const Gap gap = gap_where_resolved(ours, golden_matrix(set(), "D_formula_comb_t10_s1"),
                                     golden_matrix(set(), "H_exact_comb_t10"));
  EXPECT_LE(gap.distance, in_distance);
  EXPECT_LE(gap.square, in_square);
}

INSTANTIATE_TEST_SUITE_P(Sets, GoldenDissimilarity, ::testing::Values("swiss100", "tree100"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace geotherm::testing
