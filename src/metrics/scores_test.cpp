// The table of scores: each row gives the values it names, for what it is held against alone.
#include "geotherm/scores.hpp"

#include <gtest/gtest.h>

#include <set>

namespace geotherm {
namespace {

TEST(Scores, GiveTheValuesThatTheirRowsName) {
  const std::size_t n = 30;
  Matrix<double> map(n, 2), other(12, 2);
  std::vector<Index> labels(n);
  std::vector<double> times(n);
  Rng rng(3, "scores_test");
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = static_cast<Index>(i % 3);
    times[i] = static_cast<double>(i % 3);
    for (double& x : map.row(i)) x = rng.normal() + times[i];
  }
  for (std::size_t i = 0; i < other.rows(); ++i) {
    for (double& x : other.row(i)) x = rng.normal();
  }
  const Matrix<double> truth = pairwise_distances(map);
  ScoreData data{.estimate = map, .truth = truth, .labels = labels, .points = map, .knn = 5};
  if (has_exact_transport()) {
    data.times = times;
    data.other = other;
  }
  std::set<std::string_view> seen;
  for (const Score& score : scores()) {
    if (!data.has(score.against)) continue;
    if (!score.option.empty()) data.asked[std::string(score.option)] = 4;
    const std::vector<ScoreValue> values = score.measure(data, {});
    ASSERT_EQ(values.size(), score.keys.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(values[i].key, score.keys[i]);
      EXPECT_FALSE(values[i].meaning.empty());
      EXPECT_TRUE(seen.insert(score.keys[i]).second) << score.keys[i] << " is named twice";
    }
  }
  std::size_t n_values = 0;
  for (const Against what :
       {Against::truth, Against::labels, Against::points, Against::times, Against::other}) {
    n_values += measure_scores(what, data).size();
  }
  EXPECT_EQ(n_values, seen.size());
}

TEST(Scores, OnRequestComeOnlyWhenAskedForAndMapsOnlyForMaps) {
  Matrix<double> map(20, 2);
  Rng rng(4, "scores_test");
  for (std::size_t i = 0; i < map.rows(); ++i) {
    for (double& x : map.row(i)) x = rng.normal();
  }
  const Matrix<double> truth = pairwise_distances(map);
  ScoreData data{.estimate = map, .truth = truth};
  EXPECT_EQ(measure_scores(Against::truth, data).size(), 4U);
  data.asked["demap"] = 1;
  EXPECT_EQ(measure_scores(Against::truth, data).back().key, "demap");
  const std::vector<Index> labels(20, 0);
  const ScoreData of_distances{.estimate = truth, .is_distances = true, .labels = labels};
  EXPECT_EQ(measure_scores(Against::labels, of_distances).size(), 1U);
  EXPECT_EQ(score_with_option("demap")->keys.front(), "demap");
  EXPECT_EQ(score_with_option(""), nullptr);
  EXPECT_EQ(keys_against(Against::points), "trustworthiness, continuity");
}

}  // namespace
}  // namespace geotherm
