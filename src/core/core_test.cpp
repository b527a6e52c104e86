// The thread pool, the generator, sparse matrices: laws that every module leans on.
#include "geotherm/core.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geotherm/version.hpp"

namespace geotherm {
namespace {

TEST(Executor, RunsEveryBlockOnceForAnyNumberOfThreads) {
  for (const std::size_t n_threads : {1, 2, 8}) {
    ThreadPool pool(n_threads);
    EXPECT_EQ(pool.n_threads(), n_threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<std::atomic<int>> seen(37);
      pool.run(seen.size(), [&](std::size_t b) { ++seen[b]; });
      for (const auto& count : seen) EXPECT_EQ(count.load(), 1);
    }
  }
}

TEST(Executor, CarriesAnExceptionBackAndStaysUsable) {
  ThreadPool pool(4);
  EXPECT_THROW(pool.run(100,
                        [](std::size_t b) {
                          if (b == 17) throw InvalidArgument("block 17");
                        }),
               InvalidArgument);
  std::atomic<int> n{0};
  pool.run(10, [&](std::size_t) { ++n; });
  EXPECT_EQ(n.load(), 10);
}

TEST(Version, OfTheHeadersIsThatOfTheLibrary) {
  EXPECT_EQ(std::to_string(GEOTHERM_VERSION_MAJOR) + "." + std::to_string(GEOTHERM_VERSION_MINOR) +
                "." + std::to_string(GEOTHERM_VERSION_PATCH),
            version());
}

TEST(MatrixView, HasTheStrideOfItsWidthWhereNoneIsGiven) {
  std::vector<double> values(12);
  std::iota(values.begin(), values.end(), 0);
  const MatrixView<const double> touching{values.data(), 3, 4};
  EXPECT_EQ(touching.stride, 4U);
  EXPECT_EQ(touching(2, 1), 9);
  EXPECT_EQ(touching.row(1).front(), 4);
  const MatrixView<double> part{values.data(), 3, 2, 4};
  EXPECT_EQ(MatrixView<const double>(part)(2, 1), 9);
  EXPECT_EQ(MatrixView<double>{}.stride, 0U);
}

TEST(ParallelSum, HasTheSameBitsForAnyNumberOfThreads) {
  const auto term = [](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += std::sin(static_cast<double>(i)) * 1e-3;
    return sum;
  };
  const double alone = parallel_sum({}, 100003, 1000, term);
  for (const std::size_t n_threads : {2, 8}) {
    ThreadPool pool(n_threads);
    Context context;
    context.executor = &pool;
    EXPECT_EQ(parallel_sum(context, 100003, 1000, term), alone);
  }
}

TEST(Rng, StreamsAreRepeatableAndDifferByPurposeAndIndex) {
  Rng a(7, "shuffle", 3), b(7, "shuffle", 3), c(7, "shuffle", 4), d(7, "noise", 3),
      e(8, "shuffle", 3);
  const std::uint64_t first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(first, d.next());
  EXPECT_NE(first, e.next());
}

TEST(Rng, UniformAndNormalHaveTheirMoments) {
  Rng rng(1, "moments");
  const int n = 200000;
  double mean = 0, mean_normal = 0, variance_normal = 0;
  for (int i = 0; i < n; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    mean += u / n;
    const double z = rng.normal();
    mean_normal += z / n;
    variance_normal += z * z / n;
  }
  // Five standard errors.
  EXPECT_NEAR(mean, 0.5, 5 * 0.2887 / std::sqrt(n));
  EXPECT_NEAR(mean_normal, 0.0, 5 / std::sqrt(n));
  EXPECT_NEAR(variance_normal, 1.0, 5 * std::sqrt(2.0 / n));
}

TEST(Rng, ShuffleIsAPermutation) {
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  Rng rng(3, "permutation");
  rng.shuffle(std::span(items));
  std::vector<int> sorted = items;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_NE(items, sorted);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
}

TEST(SparseMatrix, SumsEqualPositionsAndTransposes) {
  const SparseMatrix a =
      sparse_from_triplets(2, 3, {{1, 2, 5.0}, {0, 1, 1.0}, {1, 0, 2.0}, {0, 1, 3.0}});
  ASSERT_EQ(a.n_entries(), 3U);
  EXPECT_EQ(a.values[a.find(0, 1)], 4.0);
  EXPECT_EQ(a.find(0, 2), a.n_entries());
  const Matrix<double> t = to_dense(transpose(a));
  EXPECT_EQ(t(1, 0), 4.0);
  EXPECT_EQ(t(2, 1), 5.0);
  EXPECT_EQ(t(0, 1), 2.0);
  EXPECT_EQ(t(0, 0), 0.0);
}

TEST(Context, StopFlagAndCallbackBothStop) {
  std::atomic<bool> flag{false};
  Context context;
  context.stop = &flag;
  EXPECT_EQ(context.report({"stage"}), Next::go_on);
  flag = true;
  EXPECT_EQ(context.report({"stage"}), Next::stop_here);
  EXPECT_THROW(context.report_or_throw({"stage"}), Stopped);
  Context other;
  other.on_progress = [](const Progress& p) { return p.done > 3 ? Next::stop_here : Next::go_on; };
  EXPECT_EQ(other.report({.stage = "s", .done = 3}), Next::go_on);
  EXPECT_EQ(other.report({.stage = "s", .done = 4}), Next::stop_here);
}

TEST(Errors, AllComplaintsComeAtOnce) {
  EXPECT_NO_THROW(refuse_if_any({}));
  try {
    refuse_if_any({"knn is 0: give 1 or more", "time is -1: give a positive number"});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& e) {
    EXPECT_STREQ(e.what(), "knn is 0: give 1 or more\ntime is -1: give a positive number");
  }
}

}  // namespace
}  // namespace geotherm
