// Built with the thread sanitizer in every build: what hands work to threads (the executor) and the
// solver whose threads write into one array (stochastic MDS). Small; all modules are run under the
// sanitizer by `make tsan`.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>

#include "geotherm/embedding.hpp"

namespace geotherm {
namespace {

TEST(Threads, BlocksOfManySmallLoopsAreHandedOutAndWaitedFor) {
  ThreadPool pool(8);
  const Context context{.executor = &pool};
  std::vector<double> values(1000);
  for (int round = 0; round < 300; ++round) {
    // Written by any thread, read by the next loop on any other: an unfinished wait is a race.
    parallel_for(context, values.size(), 7, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) values[i] += static_cast<double>(i);
    });
    const double sum =
        parallel_sum(context, values.size(), 11, [&](std::size_t begin, std::size_t end) {
          return std::accumulate(&values[begin], &values[0] + end, 0.0);
        });
    ASSERT_EQ(sum, 499500.0 * (round + 1));
  }
}

TEST(Threads, ErrorsCrossThreadsAndThePoolGoesOn) {
  ThreadPool pool(4);
  const Context context{.executor = &pool};
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(parallel_for(context, 100, 1,
                              [&](std::size_t begin, std::size_t) {
                                if (begin % 10 == 3) throw InvalidData("block");
                              }),
                 InvalidData);
    std::atomic<int> n_run{0};
    parallel_for(context, 20, 1, [&](std::size_t, std::size_t) { ++n_run; });
    EXPECT_EQ(n_run, 20);
  }
}

TEST(Threads, StochasticScalingTouchesEachPointFromOneThreadAtATime) {
  const std::size_t n = 400;
  Rng rng(5, "threads.test");
  Matrix<double> start(n, 2), distances(n, n);
  for (std::size_t e = 0; e < start.size(); ++e) start.data()[e] = rng.normal();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      distances(i, j) = distances(j, i) =
          std::hypot(start(i, 0) - start(j, 0), start(i, 1) - start(j, 1)) + rng.uniform();
    }
  }
  SgdMds alone(distances, {}, start, {.max_iterations = 4});
  alone.run_to(4);
  ThreadPool pool(8);
  SgdMds together(distances, {}, start, {.max_iterations = 4}, {.executor = &pool});
  together.run_to(4);
  const Matrix<double> a = alone.embedding().coordinates, b = together.embedding().coordinates;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0);
}

}  // namespace
}  // namespace geotherm
