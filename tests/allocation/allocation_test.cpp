// Memory fails at every allocation of a small run, one after the other: each time std::bad_alloc
// reaches the caller, or the run did without and gives the same bits. Nothing is leaked, no file is
// half-written, and no thread ends the program.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <random>

#include "allocation/failing_memory.hpp"
#include "geotherm/geotherm.hpp"

namespace geotherm {
namespace {

using testing::Failing;

Matrix<double> some_points() {
  Rng rng(2, "allocation.points");
  Matrix<double> points(30, 3);
  for (std::size_t i = 0; i < points.rows(); ++i) {
    const double t = 3 * rng.uniform();
    points(i, 0) = t + 0.05 * rng.normal();
    points(i, 1) = t * t / 3 + 0.05 * rng.normal();
    points(i, 2) = 0.05 * rng.normal();
  }
  return points;
}

std::string bytes_of(const Matrix<double>& m) {
  return {reinterpret_cast<const char*>(m.data()), m.size() * sizeof(double)};
}

bool is_long() {
  const char* slow = std::getenv("GEOTHERM_SLOW_TESTS");
  return slow != nullptr && std::string(slow) == "1";
}

/// What a run gives, in bytes.
using Run = std::function<std::string()>;

/// One line for each run to the file that GEOTHERM_FIGURES names.
void note(const char* name, std::size_t n_failed, std::size_t n_thrown) {
  const char* path = std::getenv("GEOTHERM_FIGURES");
  if (path == nullptr) return;
  std::ofstream(path, std::ios::app) << "| " << name << " | " << n_failed << " | " << n_thrown
                                     << " | " << n_failed - n_thrown << " |\n";
}

/// Short: about `n_tries` places, evenly spread, for each way of failing; long: every one.
void fail_everywhere(const char* name, const Run& run, const std::function<void()>& look = {},
                     std::size_t n_tries = 250) {
  const std::string expected = run();  // and everything that is made once is now made
  ASSERT_EQ(run(), expected);
  testing::let_allocation_fail(1U << 30, Failing::once);
  run();
  const std::size_t n_asked = testing::stop_failing();
  ASSERT_GT(n_asked, 5U);
  const std::size_t stride = is_long() ? 1 : 1 + n_asked / n_tries;
  std::size_t n_failed = 0, n_thrown = 0;
  for (const Failing failing : {Failing::once, Failing::from_on}) {
    for (std::size_t at = 1; at <= n_asked; at += stride) {
      std::fflush(stdout);
      const long held = testing::n_blocks_held();
      std::string found;
      bool is_thrown = false, is_other = false;
      testing::let_allocation_fail(at, failing);
      try {
        found = run();
      } catch (const std::bad_alloc&) {
        is_thrown = true;
      } catch (...) {
        is_other = true;
      }
      testing::stop_failing();
      ++n_failed;
      n_thrown += is_thrown ? 1 : 0;
      ASSERT_FALSE(is_other) << name << ": another exception where allocation " << at << " fails";
      if (!is_thrown) {
        ASSERT_EQ(found, expected) << name << ": allocation " << at;
      }
      std::string().swap(found);  // an assignment would keep its memory
      ASSERT_EQ(testing::n_blocks_held(), held)
          << name << ": leaked where allocation " << at << " fails";
      if (look) look();
    }
  }
  ASSERT_GT(n_thrown, n_failed / 2);
  note(name, n_failed, n_thrown);
}

using Method = EmbeddingRun (*)(const Input&, const MethodOptions&, const Context&);

std::string map_by(Method method, const Matrix<double>& points, std::size_t n_threads,
                   const MethodOptions& options) {
  ThreadPool pool(n_threads);
  const Context context = {.executor = &pool};
  return bytes_of(method(points, options, context).embedding.coordinates);
}

TEST(AllocationFailure, HeatGeoOnOneThread) {
  const auto points = some_points();
  const auto options = with_heat_geo_choices({}, points.rows());
  fail_everywhere("heatgeo", [&] { return map_by(heat_geo, points, 1, options); });
}

TEST(AllocationFailure, HeatGeoOnThreeThreads) {
  const auto points = some_points();
  const auto options = with_heat_geo_choices({}, points.rows());
  fail_everywhere("heatgeo, three threads", [&] { return map_by(heat_geo, points, 3, options); });
}

TEST(AllocationFailure, HeatGeoByLandmarks) {
  const auto points = some_points();
  MethodOptions options;
  options.landmarks = LandmarkOptions{.count = 12};
  fail_everywhere("heatgeo, landmarks", [&] { return map_by(heat_geo, points, 2, options); });
}

TEST(AllocationFailure, EveryOtherMethod) {
  const auto points = some_points();
  const std::pair<const char*, Method> methods[] = {{"phate", phate},
                                                    {"rand-geo", rand_geo},
                                                    {"diffusion-map", diffusion_map},
                                                    {"laplacian-eigenmaps", laplacian_eigenmaps},
                                                    {"shortest-path", shortest_path},
                                                    {"tsne", tsne},
                                                    {"umap", umap},
                                                    {"pca", pca_map}};
  MethodOptions options;
  options.tsne.perplexity = 5;
  options.tsne.iterations = 20;
  options.tsne.exaggeration_iterations = 10;
  options.umap.n_epochs = 5;
  for (const auto& [name, method] : methods) {
    fail_everywhere(name, [&] { return map_by(method, points, 2, options); }, {}, 60);
    if (HasFatalFailure()) return;
  }
}

/// An empty folder that goes with the test.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("geotherm_allocation_" + std::to_string(std::random_device{}()));
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  /// It holds `file` as it should be, or nothing: nothing half-written, nothing temporary.
  void expect_whole_or_absent(const std::string& file, const std::string& whole) const {
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      ASSERT_EQ(entry.path(), file);
      ASSERT_EQ(content(file), whole);
    }
  }
  static std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST(AllocationFailure, TablesAreWholeOrAbsent) {
  const auto points = some_points();
  const std::vector<std::string> names = {"x", "y", "z"};
  for (const std::string ending : {"csv", "csv.gz", "npy", "npz", "mtx", "fcs"}) {
    const Folder folder;
    const std::string file = folder.path / ("table." + ending);
    const auto write_and_read = [&] {
      std::filesystem::remove(file);
      write_table(file, points, {}, names, "X");
      return bytes_of(read_table(file).to_double());
    };
    write_and_read();
    const std::string whole = Folder::content(file);
    fail_everywhere(("table, ." + ending).c_str(), write_and_read,
                    [&] { folder.expect_whole_or_absent(file, whole); }, 60);
    if (HasFatalFailure()) return;
  }
}

TEST(AllocationFailure, ModelsAreWholeOrAbsent) {
  const auto points = some_points();
  const EmbeddingRun run = heat_geo(points, {}, {});
  const Folder folder;
  const std::string file = folder.path / "map.gtm";
  const auto make_save_load_and_place = [&] {
    std::filesystem::remove(file);
    save_model(file, make_model("heatgeo", points, {}, run));
    return bytes_of(place(load_model(file), points.view()));
  };
  make_save_load_and_place();
  const std::string whole = Folder::content(file);
  fail_everywhere(
      "model", make_save_load_and_place, [&] { folder.expect_whole_or_absent(file, whole); }, 100);
}

}  // namespace
}  // namespace geotherm
