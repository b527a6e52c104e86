// PCA against a full singular value decomposition, on every road; laws, sameness, awkward tables.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "geotherm/points.hpp"
#include "points/decompose.hpp"
#include "points/points_testing.hpp"

namespace geotherm {
namespace {

using testing::gaussian_table;
using testing::largest_difference;
using testing::same_bits;

/// Columns of falling spread, mixed a little and off centre.
Matrix<double> slanted_table(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  Matrix<double> points = gaussian_table(rows, cols, seed);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) points(i, j) *= 10 / (1 + static_cast<double>(j));
    for (std::size_t j = 1; j < cols; ++j) points(i, j) += 0.5 * points(i, j - 1) + 3;
  }
  return points;
}

struct Oracle {
  std::vector<double> values;
  Matrix<double> components;  ///< signs fixed
};
Oracle full_svd(const Matrix<double>& points) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RowMajor x = Eigen::Map<const RowMajor>(points.data(), static_cast<Eigen::Index>(points.rows()),
                                          static_cast<Eigen::Index>(points.cols()));
  x.rowwise() -= x.colwise().mean().eval();
  const Eigen::JacobiSVD<RowMajor, Eigen::ComputeThinU | Eigen::ComputeThinV> svd(x);
  Oracle oracle;
  oracle.values.assign(svd.singularValues().begin(), svd.singularValues().end());
  oracle.components = Matrix<double>(oracle.values.size(), points.cols());
  for (std::size_t r = 0; r < oracle.values.size(); ++r) {
    Eigen::VectorXd v = svd.matrixV().col(static_cast<Eigen::Index>(r));
    Eigen::Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    if (v[largest] < 0) v = -v;
    for (std::size_t j = 0; j < points.cols(); ++j) {
      oracle.components(r, j) = v[static_cast<Eigen::Index>(j)];
    }
  }
  return oracle;
}

double departure_from_orthonormal(const Matrix<double>& rows) {
  double worst = 0;
  for (std::size_t a = 0; a < rows.rows(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      double product = a == b ? -1 : 0;
      for (std::size_t j = 0; j < rows.cols(); ++j) product += rows(a, j) * rows(b, j);
      worst = std::max(worst, std::abs(product));
    }
  }
  return worst;
}

void expect_largest_entries_positive(const Matrix<double>& rows) {
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    double largest = 0;
    for (const double x : rows.row(r)) {
      if (std::abs(x) > std::abs(largest)) largest = x;
    }
    EXPECT_GT(largest, 0) << "component " << r;
  }
}

/// Compares the first components with the oracle's; `tolerance` on unit vectors.
void expect_agrees(const Matrix<double>& points, const Pca& result, double tolerance) {
  const Oracle oracle = full_svd(points);
  const std::size_t rank = result.components.rows();
  ASSERT_GE(result.singular_values.size(), rank);
  for (std::size_t r = 0; r < rank; ++r) {
    EXPECT_NEAR(result.singular_values[r], oracle.values[r], tolerance * oracle.values[0]);
    double difference = 0;
    for (std::size_t j = 0; j < points.cols(); ++j) {
      difference =
          std::max(difference, std::abs(result.components(r, j) - oracle.components(r, j)));
    }
    EXPECT_LT(difference, tolerance) << "component " << r;
  }
  EXPECT_LT(departure_from_orthonormal(result.components), 1e-12);
  expect_largest_entries_positive(result.components);
}

// Tolerances: eigenvectors lose digits by (largest eigenvalue) / (gap), at most 1e5 here.
TEST(Pca, AgreesWithASingularValueDecompositionByCovariance) {
  const Matrix<double> points = slanted_table(700, 12, 1);
  expect_agrees(points, pca(points, {.rank = 12}), 1e-10);
  expect_agrees(points, pca(points, {.rank = 3}), 1e-10);
}

TEST(Pca, AgreesWithASingularValueDecompositionByGramMatrix) {
  const Matrix<double> points = slanted_table(15, 90, 2);
  const Pca result = pca(points, {.rank = 8});
  EXPECT_NE(result.choice.find("Gram"), std::string::npos);
  expect_agrees(points, result, 1e-10);
}

TEST(Pca, FindsTheSameLeadingPartWithoutTheRest) {
  const Matrix<double> points = slanted_table(650, 560, 3);
  const Pca whole = pca(points, {.rank = 560});
  const Pca part = pca(points, {.rank = 6});
  EXPECT_EQ(part.choice, "rank 6 as asked (covariance matrix, leading part)");
  EXPECT_LT(departure_from_orthonormal(part.components), 1e-12);
  for (std::size_t r = 0; r < 6; ++r) {
    EXPECT_NEAR(part.singular_values[r], whole.singular_values[r],
                1e-10 * whole.singular_values[0]);
    for (std::size_t j = 0; j < 560; ++j) {
      EXPECT_NEAR(part.components(r, j), whole.components(r, j), 1e-8);
    }
  }
}

TEST(Pca, AgreesWithASingularValueDecompositionByTruncation) {
  const Matrix<double> points = slanted_table(120, 90, 4);
  const auto run = [&](const Context& context) {
    const detail::CentredTable table = detail::centre(points, context);
    const detail::Decomposition d =
        detail::decompose_truncated(table, 6, detail::squared_norm(table, context), context);
    Pca result;
    for (const double value : d.values) result.singular_values.push_back(value / table.scale);
    result.components = detail::components_of(d, 6, table, context);
    return result;
  };
  const Pca alone = run({});
  expect_agrees(points, alone, 1e-8);
  testing::with_threads(0, [&](const Context& context) {
    EXPECT_TRUE(same_bits(run(context).components, alone.components));
  });
}

// Above 3,000 both ways. Without noise, so that few products tell all there is.
TEST(Pca, TruncatesLargeTablesAskedOrNot) {
  const std::size_t n = 3020, d = 3010;
  Matrix<double> points(n, d);
  const Matrix<double> left = gaussian_table(n, 3, 5), right = gaussian_table(3, d, 6);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      points(i, j) = 10 + 3 * left(i, 0) * right(0, j) + 2 * left(i, 1) * right(1, j) +
                     left(i, 2) * right(2, j);
    }
  }
  ThreadPool pool(2);
  Context context;
  context.executor = &pool;
  const Pca chosen = pca(points, {}, context);
  EXPECT_EQ(chosen.choice,
            "rank 3 chosen: the other directions have no variance (truncated, irlba)");
  const Pca asked = pca(points, {.rank = 3}, context);
  EXPECT_EQ(asked.choice, "rank 3 as asked (truncated, irlba)");
  EXPECT_LT(departure_from_orthonormal(asked.components), 1e-12);
  // Both runs find the same components, and these hold the whole table.
  EXPECT_LT(largest_difference(chosen.components, asked.components), 1e-8);
  double worst = 0;
  for (std::size_t i = 0; i < n; i += 100) {
    for (std::size_t j = 0; j < d; ++j) {
      double back = asked.mean[j];
      for (std::size_t r = 0; r < 3; ++r) back += asked.scores(i, r) * asked.components(r, j);
      worst = std::max(worst, std::abs(back - points(i, j)));
    }
  }
  EXPECT_LT(worst, 1e-8);
}

TEST(Pca, KeepsDistancesWhenNothingIsCut) {
  const Matrix<double> points = slanted_table(60, 7, 7);
  const Pca result = pca(points);
  EXPECT_FALSE(result.was_reduced);
  ASSERT_EQ(result.scores.cols(), 7U);
  for (std::size_t i = 1; i < 60; ++i) {
    double before = 0, after = 0;
    for (std::size_t j = 0; j < 7; ++j) {
      before += std::pow(points(i, j) - points(0, j), 2);
      after += std::pow(result.scores(i, j) - result.scores(0, j), 2);
    }
    EXPECT_NEAR(after, before, 1e-12 * before);
  }
}

TEST(Pca, ChoosesTheDimensionsOfANoisyRollAndSaysSo) {
  const Dataset roll =
      synthesize(Shape::swiss_roll, {.noise = 0.5, .dim = 50, .geodesic_limit = 0});
  const Pca result = pca(roll.X);
  EXPECT_TRUE(result.was_reduced);
  EXPECT_EQ(result.scores.cols(), 3U);
  EXPECT_EQ(result.singular_values.size(), 50U);
  EXPECT_NE(result.choice.find("rank 3 chosen: the other 47 directions look like white noise of "
                               "standard deviation 0."),
            std::string::npos)
      << result.choice;
}

TEST(Pca, ScoresAreCentredUncorrelatedAndCarryTheSingularValues) {
  const Matrix<double> points = slanted_table(500, 9, 8);
  const Pca result = pca(points, {.rank = 5});
  for (std::size_t a = 0; a < 5; ++a) {
    double mean = 0;
    for (std::size_t i = 0; i < 500; ++i) mean += result.scores(i, a) / 500;
    EXPECT_NEAR(mean, 0, 1e-12 * result.singular_values[0]);
    for (std::size_t b = 0; b <= a; ++b) {
      double product = 0;
      for (std::size_t i = 0; i < 500; ++i) product += result.scores(i, a) * result.scores(i, b);
      const double expected = a == b ? std::pow(result.singular_values[a], 2) : 0.0;
      EXPECT_NEAR(product, expected, 1e-11 * std::pow(result.singular_values[0], 2));
    }
  }
}

TEST(Pca, ProjectPutsFittedRowsOntoTheirScores) {
  const Matrix<double> points = slanted_table(400, 9, 9);
  const Pca result = pca(points, {.rank = 4});
  EXPECT_TRUE(same_bits(project(result, points), result.scores));
  const MatrixView<const double> one{points.row(17).data(), 1, 9, 9};
  const Matrix<double> alone = project(result, one);
  for (std::size_t r = 0; r < 4; ++r) EXPECT_NEAR(alone(0, r), result.scores(17, r), 1e-10);
  EXPECT_THROW(project(result, Matrix<double>(3, 8)), InvalidArgument);
}

TEST(Pca, HasTheSameBitsForAnyNumberOfThreads) {
  // Tall (grouped sums), wide (Gram), and large enough for several tiles (leading part).
  for (const auto& [rows, cols, rank] :
       std::vector<std::tuple<std::size_t, std::size_t, std::size_t>>{
           {30000, 8, 8}, {40, 900, 40}, {620, 560, 10}}) {
    const Matrix<double> points = slanted_table(rows, cols, 10);
    const Pca alone = pca(points, {.rank = rank});
    testing::with_threads(0, [&, n = rank](const Context& context) {
      const Pca other = pca(points, {.rank = n}, context);
      EXPECT_TRUE(same_bits(other.scores, alone.scores));
      EXPECT_TRUE(same_bits(other.components, alone.components));
      EXPECT_EQ(other.singular_values, alone.singular_values);
    });
  }
}

TEST(Pca, ReadsStridedViews) {
  const Matrix<double> wide = slanted_table(50, 9, 11);
  Matrix<double> narrow(50, 4);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t j = 0; j < 4; ++j) narrow(i, j) = wide(i, j + 2);
  }
  const Pca a = pca(MatrixView<const double>{wide.data() + 2, 50, 4, 9}, {.rank = 4});
  EXPECT_TRUE(same_bits(a.scores, pca(narrow, {.rank = 4}).scores));
}

TEST(Pca, WorksInAnyUnit) {
  const Matrix<double> points = slanted_table(80, 6, 12);
  const Pca plain = pca(points, {.rank = 6});
  for (const int power : {-900, 900}) {
    Matrix<double> scaled = points;
    for (std::size_t i = 0; i < 80; ++i) {
      for (double& x : scaled.row(i)) x = std::ldexp(x, power);
    }
    const Pca other = pca(scaled, {.rank = 6});
    EXPECT_TRUE(same_bits(other.components, plain.components));
    for (std::size_t i = 0; i < 80; ++i) {
      for (double& x : scaled.row(i)) x = 0;
      for (std::size_t r = 0; r < 6; ++r) {
        scaled(i, r) = std::ldexp(other.scores(i, r), -power);
      }
    }
    EXPECT_LT(largest_difference(scaled, plain.scores), 1e-12 * plain.singular_values[0]);
  }
}

TEST(Pca, ManagesTinyConstantAndRepeatedTables) {
  for (const std::size_t rows : {1U, 2U, 3U}) {
    for (const std::size_t cols : {1U, 2U, 5U, 700U}) {
      const std::size_t rank = std::min(rows, cols);
      for (const bool is_constant : {false, true}) {
        const Matrix<double> points =
            is_constant ? Matrix<double>(rows, cols, 0.1) : gaussian_table(rows, cols, 13);
        const Pca result = pca(points, {.rank = rank});
        EXPECT_LT(departure_from_orthonormal(result.components), 1e-12);
        EXPECT_EQ(result.scores.rows(), rows);
        if (is_constant) {
          EXPECT_EQ(result.singular_values[0], 0);
        }
        EXPECT_NO_THROW(pca(points));
      }
    }
  }
  // Every road with far more components asked for than there are: four distinct rows.
  for (const auto& [rows, cols] :
       std::vector<std::pair<std::size_t, std::size_t>>{{300, 30}, {30, 300}, {700, 600}}) {
    const Matrix<double> few = gaussian_table(4, cols, 14);
    Matrix<double> points(rows, cols);
    for (std::size_t i = 0; i < rows; ++i) {
      std::copy_n(few.row(i % 4).data(), cols, points.row(i).data());
    }
    const Pca result = pca(points, {.rank = 20});
    EXPECT_LT(departure_from_orthonormal(result.components), 1e-12);
    // Inner products square the values: zeros come out as the root of the rounding.
    EXPECT_LT(result.singular_values[3], 1e-6 * result.singular_values[0]);
    EXPECT_GT(result.singular_values[2], 1e-2 * result.singular_values[0]);
    EXPECT_EQ(pca(points).scores.cols(), 3U);
  }
}

SparseMatrix sparse_of(const Matrix<double>& dense) {
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < dense.rows(); ++i) {
    for (std::size_t j = 0; j < dense.cols(); ++j) {
      if (dense(i, j) == 0) continue;
      entries.push_back({static_cast<Index>(i), static_cast<Index>(j), dense(i, j)});
    }
  }
  return sparse_from_triplets(dense.rows(), dense.cols(), std::move(entries));
}

TEST(Pca, OfASparseTableIsThatOfTheDenseOne) {
  // Few directions that stand out and a flat rest; in doubles, and in numbers that float32 holds.
  for (const bool is_single : {false, true}) {
    Rng rng(11, "sparse_pca_test");
    Matrix<double> dense(300, 80);
    for (std::size_t i = 0; i < dense.rows(); ++i) {
      for (std::size_t j = 0; j < dense.cols(); ++j) {
        if (rng.uniform() > 0.3) continue;
        const double value = rng.normal() + (j % 4 == i % 4 ? 3 : 0) + (j < 10 ? 5 : 0);
        dense(i, j) = is_single ? static_cast<double>(static_cast<float>(value)) : value;
      }
    }
    const SparseMatrix sparse = sparse_of(dense);
    const Pca wanted = pca(dense.view(), {.rank = 12});
    const Pca got = pca(sparse, {.rank = 12});
    for (std::size_t r = 0; r < 12; ++r) {
      ASSERT_NEAR(got.singular_values[r], wanted.singular_values[r], 1e-9);
      // Settled values leave directions uncertain by the root of their error over the gaps.
      for (std::size_t j = 0; j < 80; ++j) {
        ASSERT_NEAR(got.components(r, j), wanted.components(r, j), 1e-5) << r;
      }
      for (std::size_t i = 0; i < 300; ++i) {
        ASSERT_NEAR(got.scores(i, r), wanted.scores(i, r), 1e-4) << r;
      }
    }
    ThreadPool four(4);
    const Pca again = pca(sparse, {.rank = 12}, {.executor = &four});
    for (std::size_t k = 0; k < got.scores.size(); ++k) {
      ASSERT_EQ(again.scores.data()[k], got.scores.data()[k]) << "on four threads";
    }
    EXPECT_THROW(pca(sparse, {}), InvalidArgument);
    EXPECT_THROW(pca(sparse, {.rank = 80}), InvalidArgument);
  }
}

TEST(Pca, RefusesOddRanksTablesAndStops) {
  const Matrix<double> points = gaussian_table(5, 3, 15);
  for (const std::size_t rank : {0U, 4U}) {
    const auto complaints = issues_with(PcaOptions{.rank = rank}, 5, 3);
    ASSERT_EQ(complaints.size(), 1U);
    EXPECT_EQ(complaints[0].rfind("pca.rank is " + std::to_string(rank) + ": give 1 to 3", 0), 0U);
    EXPECT_THROW(pca(points, {.rank = rank}), InvalidArgument);
  }
  EXPECT_TRUE(issues_with(PcaOptions{}, 5, 3).empty());
  EXPECT_THROW(pca(Matrix<double>(0, 3)), InvalidArgument);
  Matrix<double> odd = points;
  odd(2, 1) = NAN;
  EXPECT_THROW(pca(odd), InvalidArgument);
  const std::atomic<bool> stop{true};
  Context context;
  context.stop = &stop;
  EXPECT_THROW(pca(points, {}, context), Stopped);
}

}  // namespace
}  // namespace geotherm
