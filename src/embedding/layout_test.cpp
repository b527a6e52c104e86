#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "geotherm/layouts.hpp"
#include "geotherm/methods.hpp"
#include "geotherm/metrics.hpp"
#include "geotherm/points.hpp"

namespace geotherm {
namespace {

using nlohmann::json;
using MethodFunction = EmbeddingRun (*)(const Input&, const MethodOptions&, const Context&);

struct Case {
  std::string name;
  Matrix<double> points;
  std::vector<Index> labels;
  json quality;
};

/// The data and what openTSNE and umap-learn make of it.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::ifstream file(GEOTHERM_SOURCE_DIR "/tests/reference/layout_quality.json");
    std::vector<Case> read;
    const json stored = json::parse(file);
    for (const json& c : stored.at("cases")) {
      const json& rows = c.at("points");
      Matrix<double> points(rows.size(), rows.at(0).size());
      for (std::size_t i = 0; i < points.rows(); ++i) {
        for (std::size_t j = 0; j < points.cols(); ++j) points(i, j) = rows[i][j].get<double>();
      }
      read.push_back({c.at("name").get<std::string>(), std::move(points),
                      c.at("labels").get<std::vector<Index>>(), c.at("quality")});
    }
    return read;
  }();
  return all;
}

/// No worse than the other implementation, but for what one seed differs from the next, and never
/// below `least`.
void expect_quality(MethodFunction method, const char* tool, double least) {
  ASSERT_EQ(cases().size(), 2u);
  for (const Case& c : cases()) {
    const Matrix<double> map = method(Input(c.points), {}, {}).embedding.coordinates;
    const Space data{.coordinates = c.points}, layout{.coordinates = map};
    const double ours = score_neighborhoods(data, layout, {.knn = 10}).trustworthiness;
    const double theirs = c.quality.at(tool).at("trustworthiness").get<double>();
    ::testing::Test::RecordProperty(c.name + "_trustworthiness", std::to_string(ours));
    EXPECT_GT(ours, least) << c.name;
    EXPECT_GT(ours, theirs - 0.01) << c.name;
    if (!c.labels.empty()) {
      EXPECT_EQ(knn_accuracy(layout, c.labels, {.knn = 10}), 1) << c.name;
      EXPECT_EQ(c.quality.at(tool).at("accuracy").get<double>(), 1) << c.name;
    }
  }
}

bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

Matrix<double> roll(std::size_t n) {
  return synthesize(Shape::swiss_roll, {.n = n}, {.seed = 3}).X;
}

MethodOptions short_run() {
  MethodOptions options;
  options.tsne.iterations = 300;
  options.umap.n_epochs = 60;
  return options;
}

TEST(Layout, TsneKeepsNeighbourhoodsAsWellAsOpenTsne) { expect_quality(tsne, "openTSNE", 0.95); }

TEST(Layout, UmapKeepsNeighbourhoodsAsWellAsUmapLearn) { expect_quality(umap, "umap-learn", 0.93); }

TEST(Layout, TheBitsAreTheSameForAnyNumberOfThreadsAndDifferBySeedWhereThereIsChance) {
  const Matrix<double> points = roll(700);
  const MethodOptions options = short_run();
  for (const MethodFunction method : {MethodFunction(tsne), MethodFunction(umap)}) {
    const Matrix<double> serial = method(points, options, {.seed = 5}).embedding.coordinates;
    for (const std::size_t n_threads : {1, 2, 8}) {
      ThreadPool pool(n_threads);
      const Context context{.executor = &pool, .seed = 5};
      EXPECT_TRUE(same_bits(method(points, options, context).embedding.coordinates, serial));
    }
  }
  EXPECT_FALSE(same_bits(umap(points, options, {.seed = 5}).embedding.coordinates,
                         umap(points, options, {.seed = 6}).embedding.coordinates));
}

TEST(Layout, MoreIterationsOfTsneLowerTheDivergence) {
  const Matrix<double> points = roll(300);
  MethodOptions options;
  std::vector<double> divergence;
  for (const std::size_t iterations : {0, 300, 1000}) {
    options.tsne.iterations = iterations;
    const EmbeddingRun run = tsne(points, options, {});
    EXPECT_EQ(run.embedding.iterations, iterations);
    divergence.push_back(std::get<double>(run.distances.report.resolved.at("kl_divergence")));
  }
  EXPECT_LT(divergence[1], divergence[0]);
  EXPECT_LT(divergence[2], divergence[1]);
}

TEST(Layout, AStopLeavesTheMapAsFarAsItHadCome) {
  const Matrix<double> points = roll(200);
  const NeighborLists lists = find_neighbors(points.view(), {.knn = 15});
  Context context;
  context.on_progress = [](const Progress& progress) {
    return progress.done >= 50 ? Next::stop_here : Next::go_on;
  };
  const Matrix<double> start = pca(points, {.rank = 2}).scores;
  const Layout tsne_map = tsne_layout(lists, start, {.perplexity = 5}, context);
  const Layout umap_map = umap_layout(lists, start, {}, context);
  for (const Layout* layout : {&tsne_map, &umap_map}) {
    EXPECT_EQ(layout->outcome, Outcome::stopped);
    EXPECT_EQ(layout->iterations, 50u);
    EXPECT_EQ(layout->coordinates.rows(), 200u);
  }
  EXPECT_TRUE(
      same_bits(tsne_map.coordinates,
                tsne_layout(lists, start, {.perplexity = 5, .iterations = 50}).coordinates));
}

TEST(Layout, DistancesOrListsInPlaceOfPointsGiveAMapToo) {
  const Case& blobs = cases().at(1);
  const Matrix<double> distances = pairwise_distances(blobs.points);
  const NeighborLists lists = find_neighbors(blobs.points.view(), {.knn = 90});
  for (const MethodFunction method : {MethodFunction(tsne), MethodFunction(umap)}) {
    for (const Input& input : {Input(DistanceMatrix{distances}), Input(&lists)}) {
      const Matrix<double> map = method(input, {}, {}).embedding.coordinates;
      EXPECT_EQ(knn_accuracy({.coordinates = map}, blobs.labels, {.knn = 10}), 1);
    }
    const SparseMatrix affinities = sparse_from_triplets(2, 2, {{0, 1, 1.0}, {1, 0, 1.0}});
    EXPECT_THROW(method(Affinities{&affinities}, {}, {}), InvalidArgument);
  }
}

TEST(Layout, OneTwoAndThreeDimensionsAreMadeAndMoreRefusedForTsne) {
  const Matrix<double> points = roll(100);
  MethodOptions options = short_run();
  for (const std::size_t n_components : {1, 2, 3, 4}) {
    options.mds.n_components = n_components;
    EXPECT_EQ(umap(points, options).embedding.coordinates.cols(), n_components);
    if (n_components < 4) {
      EXPECT_EQ(tsne(points, options).embedding.coordinates.cols(), n_components);
    } else {
      EXPECT_THROW(tsne(points, options), InvalidArgument);
    }
  }
}

TEST(Layout, AwkwardDataHasAFiniteMap) {
  const MethodOptions options = short_run();
  std::vector<Matrix<double>> tables;
  for (const std::size_t n : {2, 3, 4, 7}) {
    tables.emplace_back(n, 3);
    for (std::size_t i = 0; i < n; ++i) tables.back()(i, i % 3) = static_cast<double>(i + 1);
  }
  tables.emplace_back(6, 2, 1.0);  // all equal
  for (const double scale : {1e-120, 1e120}) {
    tables.push_back(roll(60));
    for (std::size_t i = 0; i < tables.back().size(); ++i) tables.back().data()[i] *= scale;
  }
  tables.emplace_back(50, 1);  // a line, equally spaced: ties everywhere
  for (std::size_t i = 0; i < 50; ++i) tables.back()(i, 0) = static_cast<double>(i);
  for (const Matrix<double>& points : tables) {
    for (const MethodFunction method :
         {MethodFunction(tsne), MethodFunction(umap), MethodFunction(pca_map)}) {
      const Matrix<double> map = method(points, options, {}).embedding.coordinates;
      ASSERT_EQ(map.rows(), points.rows());
      ASSERT_EQ(map.cols(), 2u);
      for (std::size_t i = 0; i < map.size(); ++i) {
        ASSERT_TRUE(std::isfinite(map.data()[i])) << points.rows() << " points";
      }
    }
  }
  const Matrix<double> one(1, 2);
  EXPECT_THROW(tsne(one, options), InvalidArgument);
}

TEST(Layout, TheUnitOfTheLengthsDoesNotMatter) {
  const Matrix<double> points = roll(150);
  const NeighborLists lists = find_neighbors(points.view(), {.knn = 15});
  const Matrix<double> start = pca(points, {.rank = 2}).scores;
  const TsneOptions tsne_options = {.perplexity = 5, .iterations = 300};
  const UmapOptions umap_options = {.n_epochs = 50};
  const Matrix<double> tsne_map = tsne_layout(lists, start, tsne_options).coordinates;
  const Matrix<double> umap_map = umap_layout(lists, start, umap_options).coordinates;
  for (const int exponent : {-500, 300}) {  // powers of two round nothing: the same bits
    NeighborLists scaled = lists;
    for (double& d : scaled.distances) d = std::ldexp(d, exponent);
    EXPECT_TRUE(same_bits(tsne_layout(scaled, start, tsne_options).coordinates, tsne_map));
    EXPECT_TRUE(same_bits(umap_layout(scaled, start, umap_options).coordinates, umap_map));
  }
}

TEST(Layout, EqualRowsShareAPlace) {
  Matrix<double> points = roll(80);
  std::copy_n(points.row(10).data(), 3, points.row(20).data());
  for (const MethodFunction method :
       {MethodFunction(tsne), MethodFunction(umap), MethodFunction(pca_map)}) {
    const Matrix<double> map = method(points, short_run(), {}).embedding.coordinates;
    ASSERT_EQ(map.rows(), 80u);
    EXPECT_EQ(map(10, 0), map(20, 0));
    EXPECT_EQ(map(10, 1), map(20, 1));
  }
}

TEST(Layout, PcaAsAMapIsTheScoresAlsoOfFloats) {
  const Matrix<double> points = roll(100);
  Matrix<float> narrow(points.rows(), points.cols());
  for (std::size_t i = 0; i < points.size(); ++i)
    narrow.data()[i] = static_cast<float>(points.data()[i]);
  const Matrix<double> expected = pca(points, {.rank = 2}).scores;
  EXPECT_TRUE(same_bits(pca_map(points).embedding.coordinates, expected));
  const Matrix<double> of_floats = pca_map(narrow).embedding.coordinates;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(of_floats.data()[i], expected.data()[i],
                1e-4);  // coordinates of about 10 in float32
  }
  EXPECT_THROW(pca_map(DistanceMatrix{points}), InvalidArgument);
}

TEST(Layout, BadOptionsAreRefusedWithEveryComplaint) {
  const TsneOptions bad_tsne = {
      .perplexity = 0, .early_exaggeration = 0.5, .theta = 2, .learning_rate = -1.0};
  EXPECT_EQ(issues_with(bad_tsne).size(), 4u);
  const UmapOptions bad_umap = {
      .min_dist = -1, .spread = 0, .n_epochs = 0, .negative_sample_rate = 0};
  EXPECT_EQ(issues_with(bad_umap).size(), 4u);
  EXPECT_TRUE(issues_with(UmapOptions{.negative_sample_rate = 100}).empty());  // the largest
  EXPECT_EQ(issues_with(UmapOptions{.negative_sample_rate = 100.5}).size(), 1u);
  MethodOptions options;
  options.tsne = bad_tsne;
  options.umap = bad_umap;
  EXPECT_EQ(issues_with(options).size(), 8u);
  const Matrix<double> points = roll(50);
  EXPECT_THROW(tsne(points, options), InvalidArgument);
  EXPECT_THROW(tsne_layout(find_neighbors(points.view(), {.knn = 5}), Matrix<double>(49, 2)),
               InvalidArgument);
  EXPECT_THROW(umap_layout(find_neighbors(points.view(), {.knn = 5}), Matrix<double>(49, 2)),
               InvalidArgument);
}

}  // namespace
}  // namespace geotherm
