// Whole runs and single kernels on a GPU, with the CPU beside: bench_gpu [--cpu | --cpu-small] [--only
// SECTION,...] [table of digits] -> tables in Markdown on stdout. --cpu-small: not for a million points. Driven by `make bench-gpu`. Sections: exact,
// digits, layouts (t-SNE and UMAP of the digits), there (a table in the GPU's memory), large, million, millions,
// kernels, profile (the kernels at 100,000 points).
#include <algorithm>
#include <cmath>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "dissimilarity/device_geodesic.hpp"
#include "embedding/device_pairs.hpp"
#include "geotherm/device.hpp"
#include "geotherm/geotherm.hpp"
#include "geotherm/model.hpp"
#include "heat/device_columns.hpp"
#include "points/device_table.hpp"

namespace {

using namespace geotherm;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Dataset roll(std::size_t n, std::size_t dim = 3) {
  SynthOptions options;
  options.n = n;
  options.dim = dim;
  options.noise = 0.1;
  options.width = 20;
  options.geodesic_limit = 0;
  return synthesize(Shape::swiss_roll, options, Context{.seed = 1});
}

double number(const RunReport& report, const char* name) {
  const auto found = report.resolved.find(name);
  const double* value = found == report.resolved.end() ? nullptr : std::get_if<double>(&found->second);
  return value == nullptr ? 0 : *value;
}

/// Pearson correlation of distances in the map with true ones, over fixed pairs.
double map_correlation(const Matrix<double>& map, const Matrix<double>& truth) {
  double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  constexpr int n_pairs = 200000;
  Rng rng(1, "bench.pairs");
  for (int k = 0; k < n_pairs; ++k) {
    const std::size_t i = rng.below(map.rows()), j = rng.below(map.rows());
    double a = 0, b = 0;
    for (std::size_t c = 0; c < map.cols(); ++c) a += (map(i, c) - map(j, c)) * (map(i, c) - map(j, c));
    for (std::size_t c = 0; c < truth.cols(); ++c) b += (truth(i, c) - truth(j, c)) * (truth(i, c) - truth(j, c));
    a = std::sqrt(a);
    b = std::sqrt(b);
    sa += a, sb += b, saa += a * a, sbb += b * b, sab += a * b;
  }
  const double n = n_pairs;
  return (sab - sa * sb / n) / std::sqrt((saa - sa * sa / n) * (sbb - sb * sb / n));
}

/// Stages, and what the run took beside them.
void print_stages(const RunReport& report, double taken) {
  std::string text;
  for (const auto& [stage, seconds] : report.timings_s) {
    char part[64];
    std::snprintf(part, sizeof part, "%s%s %.2f", text.empty() ? "" : ", ", stage.c_str(), seconds);
    text += part;
    taken -= seconds;
  }
  std::printf("%s, rest %.2f", text.c_str(), taken);
}

struct Named {
  std::string name;
  const Context* context;
};

/// Where there is no truth: do near points stay near?
double trustworthiness(const Matrix<double>& map, const Matrix<double>& points,
                       const Context& context) {
  return score_neighborhoods({.coordinates = points.view()}, {.coordinates = map.view()},
                             {.max_points = 2000}, context)
      .trustworthiness;
}

using MethodFunction = EmbeddingRun (*)(const Input&, const MethodOptions&, const Context&);

/// One row: where, seconds, quality, stages. `points`: those of the input, where there is no truth.
EmbeddingRun row(const std::string& work, const Named& where, const Input& input,
                 const MethodOptions& options, const Matrix<double>* truth,
                 const Matrix<double>* points = nullptr, MethodFunction method = heat_geo) {
  EmbeddingRun run;
  double taken = 0;
  try {
    taken = seconds_of([&] { run = method(input, options, *where.context); });
  } catch (const std::exception& error) {
    std::printf("| %s | %s | - | - | - | refused: %s |\n", work.c_str(), where.name.c_str(),
                error.what());
    std::fflush(stdout);
    return run;
  }
  std::printf("| %s | %s | %.2f | ", work.c_str(), where.name.c_str(), taken);
  if (run.embedding.stress > 0) {
    std::printf("%.5f | ", run.embedding.stress);
  } else {
    std::printf("- | ");
  }
  if (truth != nullptr) {
    std::printf("%.4f", map_correlation(run.embedding.coordinates, *truth));
  } else if (points != nullptr) {
    std::printf("trustworthiness %.4f",
                trustworthiness(run.embedding.coordinates, *points, *where.context));
  } else {
    std::printf("-");
  }
  std::printf(" | %zu %s", run.embedding.iterations,
              method == heat_geo ? "sweeps" : method == tsne ? "iterations" : "epochs");
  if (method == tsne) {
    std::printf(", divergence %.4f", number(run.distances.report, "kl_divergence"));
  }
  if (number(run.distances.report, "series_terms") > 0) {
    std::printf(", %.0f + %.0f terms, %.0f squarings", number(run.distances.report, "series_terms"),
                number(run.distances.report, "short_series_terms"),
                number(run.distances.report, "series_squarings"));
  }
  const auto kept = run.distances.report.resolved.find("refine_epochs");
  if (kept != run.distances.report.resolved.end()) {
    const RunReport& report = run.distances.report;
    std::printf(", %.0f epochs of refinement", number(report, "refine_epochs"));
    // What refinement is judged by; a map that is left as it is has no second number.
    std::printf(" (neighbours kept %.3f", number(report, "refine_kept_before"));
    if (number(report, "refine_kept") > 0) std::printf(" to %.3f", number(report, "refine_kept"));
    if (number(report, "refine_geodesics") > 0) {
      std::printf(", paths %.3f to %.3f", number(report, "refine_geodesics_before"),
                  number(report, "refine_geodesics"));
    }
    std::printf(")");
  }
  std::printf("; ");
  print_stages(run.distances.report, taken);
  std::printf(" |\n");
  std::fflush(stdout);
  return run;
}

MethodOptions all_pairs() {
  MethodOptions options;
  options.landmarks.reset();
  return options;
}

/// Single kernels at n points: time, bytes that have to move, share of the copy bandwidth.
void profile(std::size_t n, const Context& gpu, double bandwidth) {
  using namespace geotherm::detail;
  Device& device = *device_of(gpu);
  const Dataset data = roll(n);
  const MethodOptions options = all_pairs();
  const DistanceRun run = shared_graph(data.X.view(), options, gpu);
  const Laplacian laplacian = build_laplacian(run.graph, LaplacianKind::combinatorial, gpu);
  const TimeChoice choice = choose_time(laplacian, {}, gpu);
  const auto kernel = heat_kernel(laplacian, {.time = choice.time}, gpu);
  const auto& series_kernel = dynamic_cast<const BlockwiseKernel&>(*kernel);
  const double entries = static_cast<double>(laplacian.matrix.n_entries());
  const double points = static_cast<double>(n);
  const auto print = [&](const char* name, double seconds, double bytes, const char* what) {
    std::printf("| %s | %zu | %.2f | %.2f | %.0f %% | %s |\n", name, n, 1e3 * seconds, bytes / 1e9,
                100 * bytes / seconds / bandwidth, what);
    std::fflush(stdout);
  };
  for (const std::size_t width : {256, 512, 1024, 2048}) {
    if (n > 50000 && width > 1024) continue;
    DeviceSeries series(device, *series_kernel.series(), width);
    std::vector<Index> positions(std::min(width, n));
    const std::size_t from = n / 2 - positions.size() / 2;
    for (std::size_t k = 0; k < positions.size(); ++k) positions[k] = static_cast<Index>(from + k);
    series.run_units(positions);
    std::vector<double> own(positions.size());
    series.get_own(own.data(), own.size());
    const double taken = seconds_of([&] {
      series.run_units(positions);
      series.get_own(own.data(), own.size());
    });
    const double columns = static_cast<double>(positions.size());
    const double terms = static_cast<double>(series.last_terms());
    char name[96], what[160];
    std::snprintf(name, sizeof name, "series, a term of %zu columns", positions.size());
    std::snprintf(what, sizeof what,
                  "x read, y written, sum read and written; gathered from caches: %.1f GB; %.0f terms",
                  entries * columns * 8 / 1e9, terms);
    print(name, taken / terms, 4 * 8 * points * columns, what);
  }
  for (const std::size_t width : {512, 1024, 2048}) {
    if (n > 50000 && width > 1024) continue;
    DeviceColumns columns(device, *series_kernel.series(), width);
    std::vector<double> block(n * 128);
    columns.run(n / 2, 128);  // how many terms it takes is found out once
    columns.get(block.data());
    const double within = seconds_of([&] {
      columns.run(n / 2 - width / 2, width);
      device_wait(device);
    });
    const double terms = static_cast<double>(columns.last_terms());
    constexpr std::size_t repeats = 200;  // of all rows: the first terms of a run reach few
    const double taken = seconds_of([&] {
                           columns.add_terms(repeats);
                           device_wait(device);
                         }) / static_cast<double>(repeats);
    char name[96], what[320];
    std::snprintf(name, sizeof name, "all columns, a term of %zu", width);
    const double rate = columns.bytes_of_term() / taken;
    const double most = gather_bandwidth(device, n, width / columns.panel());
    std::snprintf(what, sizeof what,
                  "x read, y written, 4 bytes an entry; %.2f GB to the multiprocessors and back, %.2f TB/s: "
                  "%.0f %% of %.2f TB/s, what such gathers and writes alone reach; in a run of %.0f terms %.3f ms each",
                  columns.bytes_of_term() / 1e9, rate / 1e12, 100 * rate / most, most / 1e12, terms,
                  1e3 * within / terms);
    print(name, taken, 2 * 4 * points * static_cast<double>(width), what);
  }
  {  // an epoch of refinement, from any map
    const SparseMatrix memberships = refine_memberships(run.graph, 15, gpu);
    const double edges = static_cast<double>(memberships.n_entries());
    const auto epochs = [&](std::size_t count) {
      return seconds_of([&] {
        refine_layout(data.coordinates.view(), memberships, {.epochs = count}, gpu);
      });
    };
    epochs(10);
    const double taken = (epochs(410) - epochs(10)) / 400;
    print("refinement, an epoch", taken, 16 * edges + 68 * points,
          "edges, weights and a place for each read; places sorted into cells; those nearby, from caches");
  }
  // All pairs at a short time: a tenth of the terms.
  const auto brief = heat_kernel(
      laplacian, {.time = choice.short_time.value_or(choice.time), .method = KernelMethod::chebyshev},
      gpu);
  std::optional<LogHeat> heat;
  const double whole = seconds_of([&] {
    heat = log_heat(device, dynamic_cast<const BlockwiseKernel&>(*brief), {.kernel_floor = 0}, gpu);
  });
  print("short time, all columns: series and logarithms", whole,
        points * points * 4, "at least what is written; most terms touch few rows");
  ResidentDistances d;
  const std::vector<HeatShare> shares = {{&*heat, 1.0, std::vector<double>(run.graph.n_components, 1.0)}};
  const double joined = seconds_of([&] { join(shares, run.graph.component, d); });
  print("logarithms to distances", joined, 8 * points * points, "read and written once");
  const auto pairs = device_pairs(d);
  for (const std::size_t dims : {2, 3}) {
    Matrix<double> x(dims, n), pull(dims, n);
    Rng rng(1, "bench.layout");
    for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = rng.normal();
    const double unit = 1 / pairs->largest();
    pairs->pass(x, pull, unit);
    constexpr int repeats = 20;
    const double taken = seconds_of([&] {
      for (int r = 0; r < repeats; ++r) pairs->pass(x, pull, unit);
    });
    print(dims == 2 ? "SMACOF pass and stress, 2 components, with the way there and back"
                    : "SMACOF pass and stress, 3 components, with the way there and back",
          taken / repeats, 4 * points * points, "distances read once");
  }
  Matrix<double> block(8, n), out(8, n);
  for (std::size_t k = 0; k < block.size(); ++k) block.data()[k] = 1e-3 * static_cast<double>(k % 97);
  pairs->squares_times(block, out, 1.0);
  print("product of the squares with 8 vectors",
        seconds_of([&] { pairs->squares_times(block, out, 1.0); }), 4 * points * points,
        "distances read once");
  Matrix<double> y(2, n);
  std::vector<Index> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<Index>((i * 7919) % n);
  print("stochastic sweep", seconds_of([&] { pairs->stochastic_sweep(order, y, 0.5, 1.0); }),
        2 * points * points, "half of the distances, 4 bytes from a line of 32 each");
}

/// What decides between the devices' maps of digits: the same exact neighbours on both, and the same
/// run with the points a billionth larger, which shows what rounding alone does to a map.
void alike_digits(const Matrix<double>& points, const Context& cpu, const Context& gpu) {
  constexpr std::uint64_t n_seeds = 8;
  std::printf("\nExact neighbours on both, %d seeds. Beside each trustworthiness that of the same run with all "
              "points times 1 + 1e-9: what rounding alone does.\n\n| seed | GPU | points times 1 + 1e-9 | CPU "
              "| points times 1 + 1e-9 |\n|---|---|---|---|---|\n", static_cast<int>(n_seeds));
  Matrix<double> larger = points;
  for (std::size_t k = 0; k < larger.size(); ++k) larger.data()[k] *= 1 + 1e-9;
  MethodOptions exactly;
  exactly.neighbors.search = NeighborSearch::brute_force;
  double sum[2] = {}, square[2] = {}, rounding = 0;
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    double found[2][2];
    for (const bool on_cpu : {false, true}) {
      Context context = on_cpu ? cpu : gpu;
      context.seed = seed;
      for (const bool is_larger : {false, true}) {
        const Matrix<double>& given = is_larger ? larger : points;
        const EmbeddingRun run = heat_geo(given.view(), exactly, context);
        // Judged on the same rows for all.
        const double t = trustworthiness(run.embedding.coordinates, points, cpu);
        found[on_cpu][is_larger] = t;
        sum[on_cpu] += t;
        square[on_cpu] += t * t;
      }
      const double apart = found[on_cpu][0] - found[on_cpu][1];
      rounding += apart * apart / 2;
    }
    std::printf("| %d | %.4f | %.4f | %.4f | %.4f |\n", static_cast<int>(seed), found[0][0], found[0][1],
                found[1][0], found[1][1]);
    std::fflush(stdout);
  }
  constexpr double n = 2.0 * n_seeds;
  const double mean[2] = {sum[0] / n, sum[1] / n};
  const auto spread = [&](int k) { return std::sqrt((square[k] - n * mean[k] * mean[k]) / (n - 1)); };
  std::printf("\n| work | where | mean of %d | standard deviation |\n|---|---|---|---|\n"
              "| digits, exact neighbours, trustworthiness | GPU | %.4f | %.4f |\n"
              "| digits, exact neighbours, trustworthiness | CPU | %.4f | %.4f |\n"
              "| digits, exact neighbours, trustworthiness | rounding alone | - | %.4f |\n",
              static_cast<int>(n), mean[0], spread(0), mean[1], spread(1), std::sqrt(rounding / n));
  std::fflush(stdout);
}

/// A table in the GPU's memory beside the same on the host: what is copied, and how long it takes.
void table_there(const Context& gpu) {
  std::printf("\n## A table in the GPU's memory\n\n| work | where it lies | MB of the table | MB copied to the host "
              "before neighbours are measured | s, of that | s, points to map | Procrustes to the map of the host's |\n"
              "|---|---|---|---|---|---|---|\n");
  detail::Device& device = *detail::device_of(gpu);
  const Method& method = *method_named("heatgeo");
  const Dataset data = roll(1000000, 50);
  auto single = Matrix<float>::uninitialized(data.X.rows(), data.X.cols());
  for (std::size_t k = 0; k < single.size(); ++k) single.data()[k] = static_cast<float>(data.X.data()[k]);
  const MethodOptions options;
  const auto both = [&](const auto& points, const char* type) {
    const double size = 1e-6 * static_cast<double>(points.size() * sizeof(*points.data()));
    EmbeddingRun expected, found;
    const double on_host = seconds_of([&] { expected = heat_geo(points.view(), options, gpu); });
    const detail::OwnedDevicePoints there = detail::copy_to_device(device, points.view());
    double first = 0, copied = 0;
    const double whole = seconds_of([&] {
      MethodOptions settings = options;
      const RowsFromDevice rows = rows_from_device(there.points, method, settings, gpu);
      first = rows.seconds;
      copied = 1e-6 * static_cast<double>(rows.bytes_copied);
      found = heat_geo(rows.input(), settings, gpu);
    });
    const double checks = expected.distances.report.timings_s["points"] + expected.distances.report.timings_s["pca"];
    std::printf("| roll of %zu in 50 columns, %s | host | %.0f | - | %.2f | %.2f | - |\n", points.rows(), type, size,
                checks, on_host);
    std::printf("| roll of %zu in 50 columns, %s | GPU | %.0f | %.0f | %.2f | %.2f | %.2g |\n", points.rows(), type,
                size, copied, first, whole,
                procrustes(expected.embedding.coordinates, found.embedding.coordinates).disparity);
    std::fflush(stdout);
  };
  both(data.X, "float64");
  both(single, "float32");
}

}  // namespace

int main(int argc, char** argv) {
  bool with_cpu = false, is_small = false;
  std::string only, mnist;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--cpu") == 0 || std::strcmp(argv[i], "--cpu-small") == 0) {
      with_cpu = true;
      is_small = std::strcmp(argv[i], "--cpu-small") == 0;
    } else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      only = std::string(",") + argv[++i] + ",";
    } else {
      mnist = argv[i];
    }
  }
  const auto has = [&](const char* section) {
    return only.empty() || only.find("," + std::string(section) + ",") != std::string::npos;
  };
  const auto info = cuda_device();
  if (!info) {
    std::fprintf(stderr, "bench_gpu: %s\n", why_no_cuda_device().c_str());
    return 1;
  }
  ThreadPool pool;
  const Context cpu{.executor = &pool};
  const DeviceContext on = on_device(DeviceKind::cuda, cpu);
  const Context& gpu = on.context;
  const std::time_t now = std::time(nullptr);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
  if (only.empty() || has("head")) {
    std::printf("# Exact maps and kernels on a GPU\n\nWritten by `make bench-gpu` on %s: %s, %.0f GiB, "
                "%d multiprocessors, second-level cache %.0f MB; %zu CPU threads.\n",
                date, info->name.c_str(), static_cast<double>(info->memory) / (1 << 30),
                info->n_multiprocessors, static_cast<double>(info->cache) / 1e6, pool.n_threads());
  }
  const auto heading = [](const char* title) {
    std::printf("\n## %s\n\n| work | where | s | stress | map against truth | sweeps, terms; stages in s |\n"
                "|---|---|---|---|---|---|\n", title);
  };
  if (has("exact") || has("digits") || has("large") || has("million") || has("millions") ||
      has("layouts") || has("there")) {
    // The context, the BLAS and the modules are made.
    heat_geo(roll(9000).X.view(), all_pairs(), gpu);
  }
  const Named on_gpu{"GPU", &gpu}, on_cpu{"CPU", &cpu};
  const auto exact = [&](std::size_t n, bool beside) {
    const Dataset data = roll(n);
    const std::string work = "roll of " + std::to_string(n) + ", all pairs, points to map";
    const EmbeddingRun found = row(work, on_gpu, data.X.view(), all_pairs(), &data.coordinates);
    if (!beside) return;
    const EmbeddingRun expected = row(work, on_cpu, data.X.view(), all_pairs(), &data.coordinates);
    std::printf("| the two pictures | Procrustes | - | %.2g | - | - |\n",
                procrustes(expected.embedding.coordinates, found.embedding.coordinates).disparity);
    std::fflush(stdout);
  };
  if (has("exact")) {
    heading("All pairs");
    exact(5000, with_cpu);
    exact(10000, with_cpu);
    exact(20000, false);
    exact(20000, false);
  }
  if (has("large")) {
    heading("All pairs of a hundred thousand points");
    exact(100000, false);
  }
  if (has("digits") && !mnist.empty()) {
    heading("Digits, defaults");
    const Matrix<double> points = read_table(mnist).to_double();
    const std::string name = "MNIST, " + std::to_string(points.rows()) + " digits in 50 components";
    for (const std::uint64_t seed : {0, 1, 2, 3}) {
      Context seeded_gpu = gpu, seeded_cpu = cpu;
      seeded_gpu.seed = seeded_cpu.seed = seed;
      const std::string work = name + ", seed " + std::to_string(seed);
      row(work, {"GPU", &seeded_gpu}, points.view(), {}, nullptr, &points);
      if (with_cpu) row(work, {"CPU", &seeded_cpu}, points.view(), {}, nullptr, &points);
    }
    if (with_cpu) alike_digits(points, cpu, gpu);
  }
  if (has("there")) table_there(gpu);
  const auto by_landmarks = [&](std::size_t n, bool beside) {
    const Dataset data = roll(n, 50);
    const std::string work = "roll of " + std::to_string(n) + " in 50 columns, defaults";
    row(work, on_gpu, data.X.view(), {}, &data.coordinates);
    if (!beside) return;
    row(work, on_gpu, data.X.view(), {}, &data.coordinates);
    if (!is_small) row(work, on_cpu, data.X.view(), {}, &data.coordinates);
  };
  if (has("million")) {
    heading("A million points");
    by_landmarks(1000000, with_cpu);
    // More than 8 dimensions are left after PCA: neighbours are approximate.
    SynthOptions branches;
    branches.n = 1000000;
    branches.dim = 50;
    branches.noise = 1;
    branches.geodesic_limit = 0;
    const Dataset tree = synthesize(Shape::tree, branches, Context{.seed = 1});
    for (int r = 0; r < (with_cpu ? 2 : 1); ++r) {
      row("tree of 1000000 in 50 columns, defaults", on_gpu, tree.X.view(), {}, nullptr);
    }
  }
  if (has("millions") && !only.empty()) {  // when asked for: an array of 4 GB
    heading("Ten million points");
    by_landmarks(10000000, false);
  }
  if (has("kernels") || has("profile")) {
    const double bandwidth = detail::copy_bandwidth(*detail::device_of(gpu));
    if (has("kernels")) {
      std::printf("\n## Kernels\n\nBytes are those that have to move (each input read once, each result "
                  "written once); the share is of %.2f TB/s, what a copy within "
                  "the device reads and writes.\n\n| kernel | points | ms | GB | of the bandwidth | what moves |\n"
                  "|---|---|---|---|---|---|\n", bandwidth / 1e12);
      profile(20000, gpu, bandwidth);
    }
    if (has("profile")) profile(100000, gpu, bandwidth);
  }
  if (has("layouts") && !mnist.empty()) {
    heading("Digits, t-SNE and UMAP");
    const Matrix<double> points = read_table(mnist).to_double();
    const std::string name = "MNIST, " + std::to_string(points.rows()) + " digits in 50 components, ";
    const auto both = [&](const std::string& work, MethodFunction method, std::uint64_t seed) {
      Context seeded_gpu = gpu, seeded_cpu = cpu;
      seeded_gpu.seed = seeded_cpu.seed = seed;
      const std::string with_seed = name + work + ", seed " + std::to_string(seed);
      row(with_seed, {"GPU", &seeded_gpu}, points.view(), {}, nullptr, &points, method);
      if (with_cpu) row(with_seed, {"CPU", &seeded_cpu}, points.view(), {}, nullptr, &points, method);
    };
    both("UMAP", umap, 0);
    both("UMAP", umap, 1);
    both("t-SNE", tsne, 0);
  }
  return 0;
}
