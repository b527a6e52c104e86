// Every measure against scikit-learn, scipy and POT: tests/reference/metric_values.json, made by
// make_metric_values.py beside it. Values are of order 1 and both sides work in double; 1e-12
// leaves space for a few hundred roundings. Where it is wider, the reason stands beside it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "geotherm/metrics.hpp"

namespace geotherm {
namespace {

using nlohmann::json;

/// The cases of one measure; never none, so that no loop over them passes by being empty.
const json& cases_of(const char* measure) {
  static const json values = [] {
    std::ifstream file(GEOTHERM_SOURCE_DIR "/tests/reference/metric_values.json");
    return json::parse(file);
  }();
  const json& cases = values.at(measure);
  if (cases.empty()) throw std::runtime_error(std::string("no reference values for ") + measure);
  return cases;
}

Matrix<double> matrix(const json& rows) {
  Matrix<double> m(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::size_t j = 0; j < m.cols(); ++j) m(i, j) = rows[i][j].get<double>();
  }
  return m;
}

std::vector<double> numbers(const json& values) { return values.get<std::vector<double>>(); }
std::vector<Index> labels(const json& values) { return values.get<std::vector<Index>>(); }

TEST(Reference, CorrelationsAreThoseOfScipy) {
  for (const json& c : cases_of("correlations")) {
    const auto a = numbers(c.at("a")), b = numbers(c.at("b"));
    EXPECT_EQ(ranks(a), numbers(c.at("ranks_a")));
    EXPECT_NEAR(pearson(a, b), c.at("pearson").get<double>(), 1e-13);
    EXPECT_NEAR(spearman(a, b), c.at("spearman").get<double>(), 1e-13);
  }
}

TEST(Reference, DistanceScoresAreThoseOfNumpyAndScipy) {
  for (const json& c : cases_of("distance_scores")) {
    const auto truth = matrix(c.at("truth")), map = matrix(c.at("coordinates"));
    const auto scores = score_embedding(truth, map);
    EXPECT_NEAR(scores.pearson, c.at("pearson").get<double>(), 1e-13);
    EXPECT_NEAR(scores.spearman, c.at("spearman").get<double>(), 1e-13);
    EXPECT_NEAR(scores.frobenius, c.at("frobenius").get<double>(), 1e-13);
    EXPECT_NEAR(scores.max, c.at("max").get<double>(), 1e-13);
    const Space a{.distances = truth}, b{.coordinates = map};
    EXPECT_NEAR(precision_at_knn(a, b, {.knn = c.at("knn").get<std::size_t>()}),
                c.at("precision").get<double>(), 1e-13);
    EXPECT_NEAR(demap(a, b), c.at("demap").get<double>(), 1e-13);
    const auto stress = score_stress(a, b);
    EXPECT_NEAR(stress.normalized, c.at("stress").get<double>(), 1e-13);
    EXPECT_NEAR(stress.scaled, c.at("scaled_stress").get<double>(), 1e-13);
    EXPECT_NEAR(stress.scale, c.at("scale").get<double>(), 1e-13);
  }
}

TEST(Reference, NeighborhoodScoresAreThoseOfScikitLearn) {
  for (const json& c : cases_of("neighborhoods")) {
    const auto points = matrix(c.at("points")), map = matrix(c.at("coordinates"));
    const Space a{.coordinates = points}, b{.coordinates = map};
    const auto scores = score_neighborhoods(a, b, {.knn = c.at("knn").get<std::size_t>()});
    EXPECT_NEAR(scores.trustworthiness, c.at("trustworthiness").get<double>(), 1e-13);
    EXPECT_NEAR(scores.continuity, c.at("continuity").get<double>(), 1e-13);
    EXPECT_NEAR(
        knn_accuracy(b, labels(c.at("labels")), {.knn = c.at("odd_knn").get<std::size_t>()}),
        c.at("accuracy").get<double>(), 1e-13);
  }
}

TEST(Reference, ClusteringScoresAreThoseOfScikitLearn) {
  for (const json& c : cases_of("clusterings")) {
    const auto scores = compare_labels(labels(c.at("truth")), labels(c.at("found")));
    EXPECT_NEAR(scores.homogeneity, c.at("homogeneity").get<double>(), 1e-13) << c;
    EXPECT_NEAR(scores.completeness, c.at("completeness").get<double>(), 1e-13) << c;
    EXPECT_NEAR(scores.v_measure, c.at("v_measure").get<double>(), 1e-13) << c;
    EXPECT_NEAR(scores.ari, c.at("ari").get<double>(), 1e-13) << c;
    // scikit-learn takes exponentials of differences of log-factorials, up to 600 here: 1e-14 seen.
    EXPECT_NEAR(scores.ami, c.at("ami").get<double>(), 1e-12) << c;
  }
}

TEST(Reference, KmeansFindsTheSumOfSquaresOfScikitLearnAfterManyRestarts) {
  for (const json& c : cases_of("kmeans")) {
    const Kmeans found =
        kmeans(matrix(c.at("points")),
               {.n_clusters = c.at("n_clusters").get<std::size_t>(), .n_restarts = 50});
    const double expected = c.at("within").get<double>();
    EXPECT_NEAR(found.within, expected, 1e-13 * expected);
  }
}

TEST(Reference, TransportCostsAreThoseOfPot) {
  if (!has_exact_transport()) GTEST_SKIP() << "SKIPPED: built without LEMON";
  for (const json& c : cases_of("transports")) {
    const auto from = matrix(c.at("from")), to = matrix(c.at("to"));
    const auto wa = numbers(c.at("from_weights")), wb = numbers(c.at("to_weights"));
    EXPECT_NEAR(wasserstein(from, to, GroundCost::distance, wa, wb), c.at("w1").get<double>(),
                1e-13);
    EXPECT_NEAR(wasserstein(from, to, GroundCost::squared_distance, wa, wb),
                c.at("w2").get<double>(), 1e-13);
  }
}

TEST(Reference, InterpolationScoresAreThoseOfPot) {
  if (!has_exact_transport()) GTEST_SKIP() << "SKIPPED: built without LEMON";
  for (const json& c : cases_of("interpolations")) {
    const auto score = score_interpolation(matrix(c.at("coordinates")), numbers(c.at("times")));
    const auto expected = numbers(c.at("distances"));
    ASSERT_EQ(score.distances.size(), expected.size());
    for (std::size_t t = 0; t < expected.size(); ++t) {
      EXPECT_NEAR(score.distances[t], expected[t], 1e-13);
    }
    EXPECT_NEAR(score.mean, c.at("mean").get<double>(), 1e-13);
  }
}

}  // namespace
}  // namespace geotherm
