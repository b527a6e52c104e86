// Runs that are ended and gone on with: every method, all pairs and landmarks, to the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <ostream>

#include "core/state.hpp"
#include "geotherm/methods.hpp"

namespace geotherm {
namespace {

/// The process was killed.
struct Killed {};

/// Keeps states in memory and ends the run after a number of keepings.
class FragileMemory final : public Checkpoint {
 public:
  std::size_t n_until_death = 0;  ///< 0: lives
  std::size_t n_kept = 0;
  std::map<std::string, std::string, std::less<>> states;

  bool is_due(std::size_t) const override { return true; }
  void save(std::string_view stage, std::span<const std::span<const char>> pieces) override {
    std::string all;
    for (const auto piece : pieces) all.append(piece.data(), piece.size());
    states[std::string(stage)] = std::move(all);
    if (++n_kept == n_until_death) throw Killed{};
  }
  std::unique_ptr<Source> load(std::string_view stage) override {
    const auto found = states.find(stage);
    if (found == states.end()) return nullptr;
    return std::make_unique<detail::StringSource>(found->second);
  }
};

struct Case {
  std::string name;
  std::string method;
  MethodOptions options;
};

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const Method& method : methods()) {
    // Scaling of distances is below; principal components have no stage to keep.
    if (method.name == "mds" || method.name == "pca") continue;
    MethodOptions options;
    options.tsne.iterations = 120;
    options.umap.n_epochs = 60;
    cases.push_back({std::string(method.name), std::string(method.name), options});
    if (method.by_landmarks != nullptr) {
      options.landmarks = LandmarkOptions{.count = 60, .n_pivots = 24};
      cases.push_back({std::string(method.name) + "_landmarks", std::string(method.name), options});
    }
  }
  MethodOptions options;
  options.mds.method = MdsMethod::sgd;
  cases.push_back({"heatgeo_sgd", "heatgeo", options});
  options.mds.method = MdsMethod::smacof;
  options.mds.n_shakes = 3;
  options.mds.weights = MdsWeights::inverse;
  cases.push_back({"phate_shaken_weighted", "phate", options});
  options = {};
  options.mds.n_components = 3;
  options.tsne.iterations = 60;
  cases.push_back({"tsne_3d", "tsne", options});
  options = {};
  options.refine = RefineOptions{.epochs = 25};
  cases.push_back({"heatgeo_refined", "heatgeo", options});
  cases.push_back({"pca_refined", "pca", options});
  for (Case& c : cases) std::replace(c.name.begin(), c.name.end(), '-', '_');
  return cases;
}

/// A bent sheet with noise, and two equal rows: every stage has something to say.
Matrix<double> sheet() {
  Rng rng(3, "checkpoint.test");
  Matrix<double> points(220, 4);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double angle = 1.5 + 6 * rng.uniform();
    points(i, 0) = angle * std::cos(angle) + 0.1 * rng.normal();
    points(i, 1) = 5 * rng.uniform();
    points(i, 2) = angle * std::sin(angle) + 0.1 * rng.normal();
    points(i, 3) = 0.1 * rng.normal();
  }
  std::ranges::copy(points.row(3), points.row(70).begin());
  return points;
}

bool same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Everything of a run that does not tell of the clock.
void expect_same(const EmbeddingRun& a, const EmbeddingRun& b) {
  EXPECT_TRUE(same_bits(a.embedding.coordinates, b.embedding.coordinates));
  EXPECT_EQ(a.embedding.outcome, b.embedding.outcome);
  EXPECT_EQ(a.embedding.iterations, b.embedding.iterations);
  EXPECT_EQ(a.embedding.stress, b.embedding.stress);
  EXPECT_EQ(a.embedding.stress_history, b.embedding.stress_history);
  EXPECT_TRUE(same_bits(a.distances.dissimilarity.values, b.distances.dissimilarity.values));
  EXPECT_EQ(a.distances.report.resolved, b.distances.report.resolved);
  EXPECT_EQ(a.distances.shortcuts.removed_fraction, b.distances.shortcuts.removed_fraction);
  EXPECT_EQ(a.distances.unique_inverse, b.distances.unique_inverse);
}

class GoesOn : public ::testing::TestWithParam<Case> {
 protected:
  EmbeddingRun run(const Context& context) const {
    return method_named(GetParam().method)->embed(points_, GetParam().options, context);
  }
  Matrix<double> points_ = sheet();
};

TEST_P(GoesOn, AfterItWasKilledAgainAndAgainToTheSameBits) {
  std::vector<std::string> said, said_at_last;
  Context whole;
  whole.on_log = [&](LogLevel level, std::string_view m) {
    if (level == LogLevel::warning) said.emplace_back(m);
  };
  const EmbeddingRun expected = run(whole);
  FragileMemory memory;
  std::optional<EmbeddingRun> found;
  const std::size_t threads[] = {1, 2, 8};
  // Lives grow longer, so that it is killed at the start, in the middle and late.
  for (std::size_t life = 0; !found; ++life) {
    ThreadPool pool(threads[life % 3]);
    Context context{.executor = &pool, .checkpoint = &memory};
    said_at_last.clear();
    context.on_log = [&](LogLevel level, std::string_view m) {
      if (level == LogLevel::warning) said_at_last.emplace_back(m);
    };
    memory.n_kept = 0;
    memory.n_until_death = 1 + life * life;
    try {
      found = run(context);
    } catch (const Killed&) {
      ASSERT_LT(life, 100U);
    }
  }
  EXPECT_FALSE(memory.states.empty());
  expect_same(*found, expected);
  EXPECT_EQ(said_at_last, said);  // warnings of stages that were not done again too
}

TEST_P(GoesOn, AfterTheUserStoppedItToTheSameBits) {
  const EmbeddingRun expected = run({});
  FragileMemory memory;
  std::size_t n_reports = 0, n_allowed = 3;
  Context context{.checkpoint = &memory};
  context.on_progress = [&](const Progress& progress) {
    if (progress.stage != "layout") return Next::go_on;
    return ++n_reports > n_allowed ? Next::stop_here : Next::go_on;
  };
  std::size_t n_stops = 0;
  std::optional<EmbeddingRun> found;
  for (; !found; ++n_stops) {
    ASSERT_LT(n_stops, 100U);
    n_reports = 0;
    n_allowed += 3;
    EmbeddingRun now = run(context);
    if (now.embedding.outcome != Outcome::stopped) found = std::move(now);
  }
  expect_same(*found, expected);
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

INSTANTIATE_TEST_SUITE_P(EveryMethod, GoesOn, ::testing::ValuesIn(every_case()),
                         [](const auto& test) { return test.param.name; });

TEST(Checkpoint, LayoutsOfGivenDistancesGoOnToo) {
  const Matrix<double> points = sheet();
  Matrix<double> distances(points.rows(), points.rows());
  for (std::size_t i = 0; i < points.rows(); ++i) {
    for (std::size_t j = 0; j < points.rows(); ++j) {
      double square = 0;
      for (std::size_t c = 0; c < points.cols(); ++c) {
        square += (points(i, c) - points(j, c)) * (points(i, c) - points(j, c));
      }
      distances(i, j) = std::sqrt(square);
    }
  }
  const EmbeddingRun expected = metric_mds(DistanceMatrix{distances});
  FragileMemory memory;
  memory.n_until_death = 7;
  const Context context{.checkpoint = &memory};
  EXPECT_THROW(metric_mds(DistanceMatrix{distances}, {}, context), Killed);
  expect_same(metric_mds(DistanceMatrix{distances}, {}, context), expected);
}

TEST(Checkpoint, AStateThatDoesNotFitIsDoneAgainWithAWarning) {
  const Matrix<double> points = sheet();
  const EmbeddingRun expected = heat_geo(points);
  FragileMemory memory;
  heat_geo(points, {}, {.checkpoint = &memory});
  const auto whole = memory.states;
  for (const auto& [stage, state] : whole) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{9}, state.size() - 1}) {
      memory.states = whole;
      memory.states[stage] = state.substr(0, length);
      std::size_t n_warnings = 0;
      Context context{.checkpoint = &memory};
      context.on_log = [&](LogLevel, std::string_view m) {
        n_warnings += m.find("'" + stage + "' is done again") != std::string_view::npos ? 1 : 0;
      };
      expect_same(heat_geo(points, {}, context), expected);
      EXPECT_EQ(n_warnings, 1U) << stage << " cut to " << length;
    }
  }
}

TEST(Fingerprint, TellsInputsApart) {
  const Matrix<double> points = sheet();
  Matrix<double> other = points;
  EXPECT_EQ(fingerprint(points), fingerprint(other));
  other(200, 3) = std::nextafter(other(200, 3), 1.0);
  EXPECT_NE(fingerprint(points), fingerprint(other));
  const Matrix<float> single(220, 4, 1.0F);
  EXPECT_NE(fingerprint(single), fingerprint(points));
  EXPECT_NE(fingerprint(points).find("220 rows of points"), std::string::npos);
}

}  // namespace
}  // namespace geotherm
