// Rows of the paper's distance tables, by the plain method (alpha decay knn 10, combinatorial
// Laplacian, sigma 1, a given time) on seeds 47-51. In: the tables' CSV.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "../../apps/reproduce/papers_tree.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"

namespace geotherm {
namespace {

constexpr std::array<std::uint64_t, 5> reported_seeds = {47, 48, 49, 50, 51};

struct Printed {
  double mean = 0;
  double std = 0;
  /// What the printed digits and the spread over the paper's seeds allow.
  double tolerance() const { return std::max(2 * std, 0.005); }
};

const char* const tables_path = GEOTHERM_SOURCE_DIR "/apps/reproduce/paper_tables.csv";

/// The row of method Heat-Geo in the tables of distances; empty where there is none.
std::optional<Printed> printed_row(const std::string& dataset, double noise,
                                   const std::string& metric) {
  std::ifstream file(tables_path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line.substr(0, line.find('\r')), "table,dataset,noise,method,metric,mean,std");
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (cells.size() != 7 || cells[0].rfind("app_distance", 0) != 0) continue;
    if (cells[1] == dataset && std::stod(cells[2]) == noise && cells[3] == "Heat-Geo" &&
        cells[4] == metric) {
      return Printed{std::stod(cells[5]), std::stod(cells[6])};
    }
  }
  return std::nullopt;
}

ThreadPool& two_threads() {
  static ThreadPool pool(2);
  return pool;
}

DistanceScores plain_scores(const Matrix<double>& points, const Matrix<double>& truth,
                            double time) {
  const Context context = {.executor = &two_threads()};
  const MethodOptions options = {.neighbors = {.knn = 10},
                                 .laplacian = LaplacianKind::combinatorial,
                                 .heat = {.time = time},
                                 .time_choice = std::nullopt,
                                 .dissimilarity = {.harnack = 1.0}};
  const DistanceRun found = heat_geo_distances(points.view(), as_published(options), context);
  return score_distances(truth.view(), found.dissimilarity.values.view(), context);
}

struct Mean {
  double pearson = 0;
  double spearman = 0;
  void add(const DistanceScores& scores) {
    pearson += scores.pearson / static_cast<double>(reported_seeds.size());
    spearman += scores.spearman / static_cast<double>(reported_seeds.size());
  }
};

void expect_printed(const std::string& dataset, double noise, const Mean& mean) {
  const auto pearson = printed_row(dataset, noise, "pearson");
  const auto spearman = printed_row(dataset, noise, "spearman");
  ASSERT_TRUE(pearson && spearman) << "no row for " << dataset << " " << noise;
  EXPECT_NEAR(mean.pearson, pearson->mean, pearson->tolerance()) << dataset << " " << noise;
  EXPECT_NEAR(mean.spearman, spearman->mean, spearman->tolerance()) << dataset << " " << noise;
}

// ---------------------------------------------------------------------------------------------
// Swiss roll, noise .1, t = 50. Rolls of different seeds score alike (spread .002), so our own
// generator may stand in for the paper's.

TEST(PaperRows, SwissRollWithNoiseATenth) {
  Mean mean;
  for (const std::uint64_t seed : reported_seeds) {
    const Dataset data = synthesize(Shape::swiss_roll, {.n = 2000, .noise = 0.1},
                                    {.executor = &two_threads(), .seed = seed});
    mean.add(plain_scores(data.X, data.geodesic, 50.0));
  }
  expect_printed("Swiss roll", 0.1, mean);
}

// ---------------------------------------------------------------------------------------------
// Tree, noise 5, t = 10. Trees differ: over 22 seeds Pearson runs from .79 to .92 (mean .860,
// spread .042), and the printed .822 belongs to the very trees of seeds 47-51. So the row is
// checked on those, drawn from the same stream of random numbers (NumPy's legacy generator, a
// Mersenne twister), and our own trees are held to the distribution.

TEST(PaperRows, LegacyStreamDrawsWhatNumPyDraws) {
  // numpy.random.RandomState(49): rand(), rand(), randint(500), rand(), randn() x 3.
  cli::LegacyStream stream(49);
  EXPECT_DOUBLE_EQ(stream.uniform(), 0.30096445585591458);
  EXPECT_DOUBLE_EQ(stream.uniform(), 0.24706183196181442);
  EXPECT_EQ(stream.below(500), 182U);
  EXPECT_DOUBLE_EQ(stream.uniform(), 0.19421571412387062);
  EXPECT_DOUBLE_EQ(stream.normal(), -0.76089428577021301);
  EXPECT_DOUBLE_EQ(stream.normal(), 1.1043212271326963);
  EXPECT_DOUBLE_EQ(stream.normal(), 0.40418554057739103);
}

/// Truth: shortest paths on the 10-NN graph of the tree without noise.
Matrix<double> truth_of(const cli::PapersTree& tree) {
  const Context context = {.executor = &two_threads()};
  const Graph graph = build_graph(find_neighbors(tree.clean.view(), {.knn = 10}, context),
                                  {.kind = Affinity::knn}, context);
  return shortest_paths(graph, context);
}

TEST(PaperRows, TreeWithNoiseFive) {
  Mean mean;
  for (const std::uint64_t seed : reported_seeds) {
    const cli::PapersTree tree = cli::papers_tree(static_cast<std::uint32_t>(seed), 500, 10, 5.0);
    mean.add(plain_scores(tree.points, truth_of(tree), 10.0));
  }
  expect_printed("Tree", 5.0, mean);
}

TEST(PaperRows, OurOwnTreesScoreLikeThePapersInDistribution) {
  Mean mean;
  for (const std::uint64_t seed : reported_seeds) {
    const Dataset data = synthesize(Shape::tree, {.n = 2500, .noise = 5.0},
                                    {.executor = &two_threads(), .seed = seed});
    mean.add(plain_scores(data.X, data.geodesic, 10.0));
  }
  // .860/.856 are the means over 22 seeds (42-63) of the generator above, with spreads .042 and
  // .050: a mean over five lies within 2.5 standard errors of the difference, .052 and .062.
  EXPECT_NEAR(mean.pearson, 0.860, 0.052);
  EXPECT_NEAR(mean.spearman, 0.856, 0.062);
}

// ---------------------------------------------------------------------------------------------
// Past the paper: with a kernel that is right in every entry small times are usable. Floored at
// 1e-16 these two give .67 and .91.

TEST(PaperRows, DefaultKernelMakesSmallTimesUsable) {
  const Dataset data = synthesize(Shape::swiss_roll, {.n = 2000, .noise = 0.1},
                                  {.executor = &two_threads(), .seed = 42});
  for (const double time : {1.0, 10.0}) {
    EXPECT_GE(plain_scores(data.X, data.geodesic, time).pearson, 0.98) << "t = " << time;
  }
}

}  // namespace
}  // namespace geotherm
