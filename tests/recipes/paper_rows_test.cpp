// Rows of the paper's distance tables, by the plain method (alpha decay knn 10, combinatorial
// Laplacian, sigma 1, a given time) on seeds 47-51. In: the tables' CSV, found beside the data.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "geotherm/metrics.hpp"
#include "geotherm/recipes.hpp"
#include "test_data.hpp"

namespace geotherm {
namespace {

constexpr std::array<std::uint64_t, 5> reported_seeds = {47, 48, 49, 50, 51};

struct Printed {
  double mean = 0;
  double std = 0;
  /// What the printed digits and the spread over the paper's seeds allow.
  double tolerance() const { return std::max(2 * std, 0.005); }
};

std::string tables_path() {
  const std::string data = testing::data_dir();
  return data.empty() ? "" : (std::filesystem::path(data) / ".." / "paper" / "tables.csv").string();
}

/// The row of method Heat-Geo in the tables of distances; empty where there is none.
std::optional<Printed> printed_row(const std::string& dataset, double noise,
                                   const std::string& metric) {
  std::ifstream file(tables_path());
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

#define GEOTHERM_NEEDS_TABLES()                                                               \
  if (tables_path().empty() || !std::filesystem::exists(tables_path()))                       \
  GTEST_SKIP() << "SKIPPED: the paper's tables are not there (set GEOTHERM_DATA to a folder " \
                  "with ../paper/tables.csv beside it)"

ThreadPool& two_threads() {
  static ThreadPool pool(2);
  return pool;
}

DistanceScores plain_scores(const Matrix<double>& points, const Matrix<double>& truth,
                            double time) {
  const Context context = {.executor = &two_threads()};
  const RecipeOptions options = {.neighbors = {.knn = 10},
                                 .laplacian = LaplacianKind::combinatorial,
                                 .heat = {.time = time},
                                 .time_choice = std::nullopt,
                                 .dissimilarity = {.harnack = 1.0}};
  const DistanceRun found =
      heat_geo_distances({.points = points.view()}, as_published(options), context);
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
  GEOTHERM_NEEDS_TABLES();
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

class LegacyStream {
 public:
  explicit LegacyStream(std::uint32_t seed) : twister_(seed) {}
  double uniform() {
    const auto high = static_cast<double>(word() >> 5);
    const auto low = static_cast<double>(word() >> 6);
    return (high * 0x1p26 + low) * 0x1p-53;
  }
  /// In [0, bound): words are masked to the next power of two and refused above it.
  std::uint32_t below(std::uint32_t bound) {
    std::uint32_t mask = bound - 1;
    for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    for (;;) {
      const std::uint32_t draw = word() & mask;
      if (draw < bound) return draw;
    }
  }
  /// Marsaglia's polar method; the second of a pair is returned first.
  double normal() {
    if (spare_) {
      const double kept = *spare_;
      spare_.reset();
      return kept;
    }
    for (;;) {
      const double x = 2 * uniform() - 1;
      const double y = 2 * uniform() - 1;
      const double square = x * x + y * y;
      if (square >= 1 || square == 0) continue;
      const double stretch = std::sqrt(-2 * std::log(square) / square);
      spare_ = stretch * x;
      return stretch * y;
    }
  }

 private:
  std::uint32_t word() { return static_cast<std::uint32_t>(twister_()); }
  std::mt19937 twister_;
  std::optional<double> spare_;
};

TEST(PaperRows, LegacyStreamDrawsWhatNumPyDraws) {
  // numpy.random.RandomState(49): rand(), rand(), randint(500), rand(), randn() x 3.
  LegacyStream stream(49);
  EXPECT_DOUBLE_EQ(stream.uniform(), 0.30096445585591458);
  EXPECT_DOUBLE_EQ(stream.uniform(), 0.24706183196181442);
  EXPECT_EQ(stream.below(500), 182U);
  EXPECT_DOUBLE_EQ(stream.uniform(), 0.19421571412387062);
  EXPECT_DOUBLE_EQ(stream.normal(), -0.76089428577021301);
  EXPECT_DOUBLE_EQ(stream.normal(), 1.1043212271326963);
  EXPECT_DOUBLE_EQ(stream.normal(), 0.40418554057739103);
}

/// Five branches of 500 points in 10 dimensions, increments uniform on [-1, 1]; each branch after
/// the first starts at a random point of the first. Truth: shortest paths on the 10-NN graph
/// of the tree without noise.
struct PaperTree {
  Matrix<double> points;
  Matrix<double> truth;
};
PaperTree paper_tree(std::uint32_t seed, double noise) {
  constexpr std::size_t n_branches = 5, length = 500, dim = 10;
  LegacyStream stream(seed);
  Matrix<double> clean(n_branches * length, dim);
  for (std::size_t branch = 0; branch < n_branches; ++branch) {
    const std::size_t root = branch == 0 ? 0 : stream.below(length);
    std::array<double, dim> at = {};
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t c = 0; c < dim; ++c) {
        at[c] += -1 + 2 * stream.uniform();
        clean(branch * length + i, c) = at[c] + (branch == 0 ? 0 : clean(root, c));
      }
    }
  }
  const Context context = {.executor = &two_threads()};
  const Graph graph = build_graph(find_neighbors(clean.view(), {.knn = 10}, context),
                                  {.kind = Affinity::knn}, context);
  PaperTree tree = {clean, shortest_paths(graph, context)};
  for (std::size_t i = 0; i < tree.points.size(); ++i) {
    tree.points.data()[i] += noise * stream.normal();
  }
  return tree;
}

TEST(PaperRows, TreeWithNoiseFive) {
  GEOTHERM_NEEDS_TABLES();
  Mean mean;
  for (const std::uint64_t seed : reported_seeds) {
    const PaperTree tree = paper_tree(static_cast<std::uint32_t>(seed), 5.0);
    mean.add(plain_scores(tree.points, tree.truth, 10.0));
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
