// The bootstrap: a steady map has little spread, a map of noise much, and the seed decides the
// draw.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geotherm/stability.hpp"

namespace geotherm {
namespace {

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

std::vector<std::string> names_of(const std::vector<Index>& labels) {
  std::vector<std::string> names;
  for (const Index label : labels) names.emplace_back(1, static_cast<char>('a' + label));
  return names;
}

TEST(Bootstrap, TellsASteadyMapFromAMapOfNoise) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 300, .noise = 0.05}, {.seed = 2});
  Matrix<double> noise(200, 20);
  Rng rng(3, "test.noise");
  for (std::size_t k = 0; k < noise.size(); ++k) noise.data()[k] = rng.normal();
  const Method& method = *method_named("heatgeo");
  const auto relative_spread = [&](const Matrix<double>& X) {
    const Input input(X.view());
    const EmbeddingRun run = method.embed(input, {}, {});
    const Stability found =
        bootstrap(method, input, {}, run.embedding.coordinates, {}, {.n_samples = 6});
    EXPECT_EQ(found.spread.size(), X.rows());
    EXPECT_EQ(found.disparity.size(), 6U);
    std::vector<double> known;
    for (const double s : found.spread) {
      if (!std::isnan(s)) known.push_back(s);
    }
    EXPECT_GT(known.size(), X.rows() * 9 / 10);
    return median(known) / found.extent;
  };
  const double steady = relative_spread(roll.X), shaken = relative_spread(noise);
  EXPECT_LT(steady, 0.1);
  EXPECT_GT(shaken, 3 * steady);
}

TEST(Bootstrap, GivesIntervalsThatHoldTheDistancesOfTheWholeMap) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 300, .noise = 0.1}, {.seed = 4});
  const Method& method = *method_named("pca");
  const Input input(roll.X.view());
  const EmbeddingRun run = method.embed(input, {}, {});
  const std::vector<std::string> names = names_of(roll.label);
  const Stability found =
      bootstrap(method, input, {}, run.embedding.coordinates, names, {.n_samples = 8});
  ASSERT_FALSE(found.intervals.empty());
  for (const GroupInterval& pair : found.intervals) {
    EXPECT_LE(pair.low, pair.median);
    EXPECT_LE(pair.median, pair.high);
    double centre[2][2] = {}, count[2] = {};
    for (std::size_t i = 0; i < names.size(); ++i) {
      const int which = names[i] == pair.first ? 0 : names[i] == pair.second ? 1 : -1;
      if (which < 0) continue;
      ++count[which];
      for (std::size_t c = 0; c < 2; ++c) centre[which][c] += run.embedding.coordinates(i, c);
    }
    const double whole = std::hypot(centre[0][0] / count[0] - centre[1][0] / count[1],
                                    centre[0][1] / count[0] - centre[1][1] / count[1]);
    // Components hardly move with the draw; a tenth of the map's size is far more than they do.
    EXPECT_NEAR(pair.median, whole, found.extent / 10) << pair.first << " " << pair.second;
  }
}

TEST(Bootstrap, HasTheSameBitsForAnyNumberOfThreadsAndAnotherSeedDrawsOthers) {
  const Dataset roll = synthesize(Shape::swiss_roll, {.n = 120}, {.seed = 2});
  const Method& method = *method_named("shortest-path");
  const Input input(roll.X.view());
  const EmbeddingRun run = method.embed(input, {}, {});
  const auto spread = [&](std::uint64_t seed, std::size_t n_threads) {
    ThreadPool pool(n_threads);
    const Stability found = bootstrap(method, input, {}, run.embedding.coordinates, {},
                                      {.n_samples = 3}, {.executor = &pool, .seed = seed});
    std::vector<double> known = found.disparity;
    for (const double s : found.spread) known.push_back(std::isnan(s) ? -1 : s);
    return known;
  };
  const std::vector<double> once = spread(1, 1);
  EXPECT_EQ(once, spread(1, 2));
  EXPECT_EQ(once, spread(1, 8));
  EXPECT_NE(once, spread(2, 1));
}

TEST(Bootstrap, RefusesWhatItCannotSubsample) {
  const Method& method = *method_named("heatgeo");
  const SparseMatrix graph = sparse_from_triplets(3, 3, {{0, 1, 1.0}, {1, 0, 1.0}});
  EXPECT_THROW(bootstrap(method, Affinities{&graph}, {}, Matrix<double>(3, 2), {}),
               InvalidArgument);
  EXPECT_EQ(issues_with(BootstrapOptions{.n_samples = 1, .share = 1}).size(), 2U);
}

}  // namespace
}  // namespace geotherm
