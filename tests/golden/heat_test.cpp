// Laplacian -> heat kernel, walk power, time: against the reference values.
#include "geotherm/heat.hpp"

#include <fstream>
#include <map>
#include <sstream>

#include "golden/golden_data.hpp"

namespace geotherm::testing {
namespace {

// The stored kernels come from an eigendecomposition, right to a few 1e-15 absolute (measured
// against a Pade exponential: at most 1.5e-14); ours must be as near.
constexpr double absolute = 1e-12;

class GoldenHeat : public GoldenSet {
 protected:
  void expect_kernel(KernelMethod method) const {
    const Graph graph = stored_graph(set());
    for (const std::string word : {"comb", "norm"}) {
      const Laplacian laplacian = build_laplacian(graph, kind_of(word));
      for (const int time : {1, 10, 50}) {
        // 1e-14: the series must not be what shows at 1e-12.
        const auto kernel = heat_kernel(
            laplacian, {.time = static_cast<double>(time), .method = method, .tolerance = 1e-14});
        EXPECT_EQ(kernel->report().method, method);
        const std::string key = "H_exact_" + word + "_t" + std::to_string(time);
        EXPECT_LE(largest_difference(golden_rows_of(kernel->dense()).view(),
                                     golden_matrix(set(), key).view()),
                  absolute)
            << to_string(method) << ", " << key;
      }
    }
  }
};

TEST_P(GoldenHeat, UniformizationIsTheReferenceOne) { expect_kernel(KernelMethod::uniformization); }
TEST_P(GoldenHeat, ExactKernelIsTheReferenceOne) { expect_kernel(KernelMethod::exact); }
TEST_P(GoldenHeat, ChebyshevKernelIsTheReferenceOne) { expect_kernel(KernelMethod::chebyshev); }

TEST_P(GoldenHeat, ThirtyEulerStepsAreTheReferenceOnes) {
  const Graph graph = stored_graph(set());
  for (const std::string word : {"comb", "norm"}) {
    const auto kernel = heat_kernel(build_laplacian(graph, kind_of(word)),
                                    {.time = 10.0, .method = KernelMethod::euler, .order = 30});
    EXPECT_LE(largest_difference(golden_rows_of(kernel->dense()).view(),
                                 golden_matrix(set(), "H_euler30_" + word + "_t10").view()),
              absolute)
        << word;
  }
}

TEST_P(GoldenHeat, PotentialOfPhateIsTheLogOfTheWalkPower) {
  Matrix<double> potential = walk_power(random_walk(alpha_graph(set())), 10)->dense();
  for (std::size_t i = 0; i < potential.rows(); ++i) {
    for (double& p : potential.row(i)) p = -std::log(p + 1e-7);
  }
  // 1e-12: a walk power only adds non-negative numbers, so P^10 is right to 1e-13 relative.
  EXPECT_LE(largest_difference(golden_rows_of(potential).view(),
                               golden_matrix(set(), "phate_potential_t10").view()),
            1e-12);
}

TEST_P(GoldenHeat, EntropyCurveAndItsKneeAreTheReferenceOnes) {
  const std::vector<double> times = golden_values(set(), "entropy_taus");
  const std::vector<double> expected = golden_values(set(), "entropy_norm");
  const double knee = golden_scalar(set(), "knee_norm");

  const auto index = find_knee(times, expected, 0.5);
  ASSERT_TRUE(index.has_value());
  EXPECT_EQ(times[*index], knee);

  const Laplacian laplacian = build_laplacian(stored_graph(set()), LaplacianKind::normalized);
  const TimeChoice choice =
      choose_time(laplacian, {.rule = TimeRule::knee, .candidates = times, .sensitivity = 0.5});
  ASSERT_EQ(choice.times, times);
  ASSERT_EQ(choice.entropies.size(), expected.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    // 1e-6: 10^4 entries, each within the kernel's tolerance 1e-12, times 1 + |log 1e-10| = 24.
    EXPECT_NEAR(choice.entropies[k], expected[k], 1e-6) << "t = " << times[k];
  }
  EXPECT_DOUBLE_EQ(choice.time, knee);
  EXPECT_EQ(choice.how, "knee");
}

INSTANTIATE_TEST_SUITE_P(Sets, GoldenHeat, ::testing::Values("swiss100", "tree100"),
                         [](const auto& test) { return test.param; });

// The example of the Kneedle paper's second figure: y = 5 - 1/(x + .1) on ten points of [0, 1].
TEST(GoldenKnee, IsAtTwoNinthsInTheExampleOfItsPaper) {
  std::vector<double> x(10);
  std::vector<double> y(10);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(i) / 9.0;
    y[i] = 5.0 - 1.0 / (x[i] + 0.1);
  }
  for (const double sensitivity : {0.5, 1.0}) {
    const auto knee = find_knee(x, y, sensitivity);
    ASSERT_TRUE(knee.has_value());
    EXPECT_EQ(*knee, 2U);
  }
  EXPECT_FALSE(find_knee(x, x, 0.5).has_value());  // a line has no knee
}

SparseMatrix path_affinities(std::size_t n) {
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const auto a = static_cast<Index>(i);
    entries.push_back({a, a + 1, 1.0});
    entries.push_back({a + 1, a, 1.0});
  }
  return sparse_from_triplets(n, n, std::move(entries));
}

// Rows t,i,j,log_h: computed with 250 digits.
TEST(GoldenPath, DefaultKernelIsRightInEveryEntryDownToTheSmallest) {
  const Laplacian laplacian = build_laplacian(graph_from_affinities(path_affinities(51)));
  std::map<double, Matrix<double>> kernels;
  for (const double time : {0.1, 1.0, 10.0, 100.0}) {
    kernels.emplace(time, heat_kernel(laplacian, {.time = time})->dense());
  }

  std::ifstream file(golden_dir() + "/path51_log_heat.csv");
  ASSERT_TRUE(file);
  std::string line;
  std::getline(file, line);
  ASSERT_EQ(line.substr(0, line.find('\r')), "t,i,j,log_h");  // lines end as in DOS files
  std::size_t n_rows = 0;
  double smallest = 0;
  while (std::getline(file, line)) {
    double time = 0, expected = 0;
    std::size_t i = 0, j = 0;
    char comma = 0;
    std::istringstream row(line);
    ASSERT_TRUE(row >> time >> comma >> i >> comma >> j >> comma >> expected) << line;
    const auto kernel = kernels.find(time);
    ASSERT_NE(kernel, kernels.end()) << line;
    // 1e-9 relative in the logarithm; a kernel with absolute error misses this from h = 1e-8 on.
    EXPECT_NEAR(std::log(kernel->second(i, j)), expected, 1e-9 * std::abs(expected)) << line;
    smallest = std::min(smallest, expected);
    ++n_rows;
  }
  EXPECT_EQ(n_rows, 408U);
  EXPECT_LT(smallest, std::log(1e-100));  // the file reaches where it hurts
}

// Rows alone, without an n x n array, must be as good: this is what large problems use.
TEST(GoldenPath, RowsOfTheKernelAreAsRightAsTheWhole) {
  const Laplacian laplacian = build_laplacian(graph_from_affinities(path_affinities(51)));
  const std::vector<Index> from = {0, 25};
  for (const double time : {0.1, 1.0, 10.0, 100.0}) {
    const auto kernel = heat_kernel(laplacian, {.time = time});
    const Matrix<double> rows = kernel->rows(from);
    const Matrix<double> whole = kernel->dense();
    for (std::size_t r = 0; r < from.size(); ++r) {
      for (std::size_t j = 0; j < 51; ++j) {
        const double expected = std::log(whole(static_cast<std::size_t>(from[r]), j));
        EXPECT_NEAR(std::log(rows(r, j)), expected, 1e-9 * std::abs(expected))
            << "t = " << time << ", from " << from[r] << " to " << j;
      }
    }
  }
}

}  // namespace
}  // namespace geotherm::testing
