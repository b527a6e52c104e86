// Scores of partitions: laws, chance by brute force, and the whole computation from coordinates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geotherm/metrics.hpp"
#include "metrics/test_points.hpp"

namespace geotherm {
namespace {

using namespace testing;

double mutual_information(const std::vector<Index>& a, const std::vector<Index>& b) {
  const auto n = static_cast<double>(a.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double same_a = 0, same_b = 0, same = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      same_a += a[i] == a[j];
      same_b += b[i] == b[j];
      same += a[i] == a[j] && b[i] == b[j];
    }
    sum += std::log(n * same / (same_a * same_b)) / n;
  }
  return sum;
}

TEST(CompareLabels, ChanceIsTheMeanOverAllPermutations) {
  // AMI and ARI from their definitions, the expectation over all 8! orders of one side.
  const std::vector<Index> a = {0, 0, 0, 1, 1, 1, 2, 2};
  std::vector<Index> b = {0, 0, 1, 1, 1, 2, 2, 2};
  const auto scores = compare_labels(a, b);
  const auto pairs_together = [&](const std::vector<Index>& x, const std::vector<Index>& y) {
    double count = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) count += x[i] == x[j] && y[i] == y[j];
    }
    return count;
  };
  const double information = mutual_information(a, b), together = pairs_together(a, b);
  const double most = 0.5 * (mutual_information(a, a) + mutual_information(b, b));
  const double most_together = 0.5 * (pairs_together(a, a) + pairs_together(b, b));
  std::vector<Index> shuffled = b;
  std::sort(shuffled.begin(), shuffled.end());
  double expected = 0, expected_together = 0, n = 0;
  do {  // distinct orders are equally likely
    expected += mutual_information(a, shuffled);
    expected_together += pairs_together(a, shuffled);
    ++n;
  } while (std::next_permutation(shuffled.begin(), shuffled.end()));
  expected /= n;
  expected_together /= n;
  EXPECT_NEAR(scores.ami, (information - expected) / (most - expected), 1e-12);
  EXPECT_NEAR(scores.ari, (together - expected_together) / (most_together - expected_together),
              1e-12);
}

TEST(CompareLabels, IsOneForTheSamePartitionUnderAnyNames) {
  Rng rng(1, "labels.test");
  std::vector<Index> a(200), b(200);
  for (std::size_t i = 0; i < 200; ++i) {
    a[i] = static_cast<Index>(rng.below(7));
    b[i] = 1000 - 13 * a[i];
  }
  const auto scores = compare_labels(a, b);
  EXPECT_EQ(scores.homogeneity, 1.0);
  EXPECT_EQ(scores.completeness, 1.0);
  EXPECT_EQ(scores.v_measure, 1.0);
  EXPECT_EQ(scores.ari, 1.0);
  EXPECT_EQ(scores.ami, 1.0);
}

TEST(CompareLabels, IsNearZeroForUnrelatedLabelsOfAnyNumber) {
  Rng rng(2, "labels.test");
  std::vector<Index> a(5000), b(5000);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<Index>(rng.below(300));
    b[i] = static_cast<Index>(rng.below(200));
  }
  const auto scores = compare_labels(a, b);
  EXPECT_NEAR(scores.ami, 0.0, 0.01);  // chance alone gives a V-measure of 0.45
  EXPECT_NEAR(scores.ari, 0.0, 0.01);
  EXPECT_GT(scores.v_measure, 0.4);
}

TEST(CompareLabels, SwapsHomogeneityAndCompletenessWithItsArguments) {
  const std::vector<Index> a = {0, 0, 0, 1, 1, 2, 2, 2, 2}, b = {0, 0, 1, 1, 1, 1, 0, 0, 0};
  const auto forth = compare_labels(a, b), back = compare_labels(b, a);
  EXPECT_DOUBLE_EQ(forth.homogeneity, back.completeness);
  EXPECT_DOUBLE_EQ(forth.completeness, back.homogeneity);
  EXPECT_DOUBLE_EQ(forth.ari, back.ari);
  EXPECT_NEAR(forth.ami, back.ami, 1e-14);
}

TEST(CompareLabels, RefusesUnequalLengthsAndAcceptsNone) {
  const std::vector<Index> three = {1, 2, 3};
  EXPECT_NE(refusal([&] { compare_labels(three, {}); }).find("3 true labels and 0"),
            std::string::npos);
  EXPECT_EQ(compare_labels({}, {}).ami, 1.0);
}

TEST(ClusteringScores, FindGroupsWhateverTheUnitsOfTheAxes) {
  auto points = random_points(120, 2, 3);
  std::vector<Index> labels(120);
  for (std::size_t i = 0; i < 120; ++i) {
    labels[i] = static_cast<Index>(i % 4);
    points(i, 0) = (points(i, 0) + (i % 2 == 0 ? 0 : 15)) * 1e200;
    points(i, 1) = (points(i, 1) + (i % 4 < 2 ? 0 : 15)) * 1e-200;
  }
  const auto scores = clustering_scores(points, labels);
  EXPECT_EQ(scores.ari, 1.0);
  EXPECT_EQ(scores.v_measure, 1.0);
  const auto fewer = clustering_scores(points, labels, {.n_clusters = 2});
  EXPECT_LT(fewer.homogeneity, 0.6);  // two of four groups in each cluster
  EXPECT_GT(fewer.completeness, 0.95);
}

TEST(ClusteringScores, OfOneClassOrEqualPointsAreNumbers) {
  const auto points = random_points(10, 2, 4);
  EXPECT_EQ(clustering_scores(points, std::vector<Index>(10, 3)).ari, 1.0);
  const std::vector<Index> labels = {0, 1, 0, 1};
  const auto scores = clustering_scores(Matrix<double>(4, 2), labels);
  EXPECT_EQ(scores.homogeneity, 0.0);
  EXPECT_EQ(scores.completeness, 1.0);
  EXPECT_EQ(scores.ami, 0.0);
  EXPECT_EQ(clustering_scores(Matrix<double>(1, 2), std::vector<Index>{4}).ari, 1.0);
}

TEST(ClusteringScores, RefuseEveryBadFieldByName) {
  EXPECT_TRUE(issues_with(ClusteringScoreOptions{}).empty());
  const auto points = random_points(10, 2, 5);
  const std::string message = refusal([&] {
    clustering_scores(points, std::vector<Index>(3),
                      {.n_clusters = 0, .n_restarts = 0, .max_iterations = 0});
  });
  for (const char* part :
       {"n_clusters is 0", "n_restarts is 0", "max_iterations is 0", "3 labels"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace geotherm
