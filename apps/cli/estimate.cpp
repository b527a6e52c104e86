#include "estimate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace geotherm::cli {
namespace {

// Fitted to runs on MNIST (70,000 x 50) and TrajAtlas (272,369 x 15) with 2 threads.
constexpr double search_s = 1.9e-9;        // a point^1.5 and dimension
constexpr double point_s = 3e-5;           // graph, cells and layout, a point
constexpr double product_s = 7e-11;        // PCA of blocks of rows, a row and column^2
constexpr double value_s = 2e-9;           // reading a value, of which there are four passes
constexpr double cube_s = 3e-10;           // kernel and scaling of m landmarks, a landmark^3
constexpr double bytes_an_edge_end = 110;  // lists, graph and what they are made from

/// Memory that can still be had; that of the machine where the system does not say.
double available_memory() {
  const auto all = static_cast<double>(machine_memory());
  std::ifstream file("/proc/meminfo");
  std::string word;
  double kib = 0;
  while (file >> word) {
    if (word == "MemAvailable:" && file >> kib) return std::min(all, 1024 * kib);
  }
  return all;
}

std::string size_in_words(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.0f} MB", bytes / 1e6)
                     : fmt::format("{:.1f} GB", bytes / 1e9);
}

std::string time_in_words(double seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

InputShape shape_of(const Input& input) {
  InputShape shape;
  shape.rows = static_cast<double>(input.n_points());
  shape.cols = static_cast<double>(std::max(input.points.cols, input.points32.cols));
  shape.number_bytes = input.points32.empty() ? 8 : 4;
  shape.is_distances = !input.distances.empty();
  return shape;
}

InputShape shape_of(const ObservationRows& rows, const PcaOptions& pca) {
  InputShape shape;
  shape.rows = static_cast<double>(rows.rows());
  shape.cols = static_cast<double>(pca.rank.value_or(rows.cols()));
  shape.read_cols = static_cast<double>(rows.cols());
  return shape;
}

RunEstimate estimate_run(const MethodFlags& options, const InputShape& input,
                         std::size_t n_threads) {
  RunEstimate estimate;
  const double n = input.rows;
  const double d = input.cols;
  const double knn = static_cast<double>(options.settings.neighbors.knn.value_or(10));
  const double number = input.number_bytes;
  const double table = input.is_distances ? 8 * n * n : n * d * number;
  // The table, a copy to search in and one in float32; lists and graph.
  estimate.bytes = 3e7 + table + n * d * (number + 4) + n * knn * 2.6 * bytes_an_edge_end;
  const double threads = static_cast<double>(std::max<std::size_t>(1, n_threads));
  double seconds = n * std::sqrt(n) * (d + 10) * search_s + n * point_s;
  const double read_cols = input.read_cols;
  const std::optional<PcaOptions>& pca = options.settings.pca;
  if (read_cols == 0 && pca && pca->rank != 0) {
    // The scores, and those of distinct rows.
    const double rank = pca->rank ? std::min(d, static_cast<double>(*pca->rank)) : d;
    estimate.bytes += n * rank * 8 * 2;
  }
  seconds += n * read_cols * (read_cols * product_s + 4 * value_s);
  const Method& method = *method_named(options.method);
  estimate.knows_landmarks = method.by_landmarks != nullptr;
  if (estimate.knows_landmarks) {
    MethodOptions settings = options.settings;
    if (method.max_exact && settings.landmarks) {
      settings.landmarks->max_exact = std::min(settings.landmarks->max_exact, *method.max_exact);
    }
    estimate.solver = choose_solver(settings, static_cast<std::size_t>(n));
    const double m = estimate.solver.by_landmarks ? static_cast<double>(estimate.solver.n_landmarks) : n;
    estimate.bytes += 16 * m * m + (estimate.solver.by_landmarks ? n * 250 : 0);
    seconds += m * m * m * cube_s + m * m * 4e-7;
  } else if (method.needs == Needs::distances) {
    seconds += n * n * 4e-7;
  } else if (method.has(parts::tsne | parts::umap)) {
    seconds += n * 1.5e-3 * threads;  // their descent runs on one thread, or nearly so
  }
  // Reading in blocks comes before all this: a block and its products, the covariance matrix and
  // its eigenvectors, the scores, and the keys of the rows, which stay.
  const double reading = 1.2e8 + 8 * 4 * read_cols * read_cols + n * d * 8 + n * 100;
  if (read_cols > 0) estimate.bytes = std::max(estimate.bytes + n * 40, reading);
  estimate.seconds = seconds / threads;
  return estimate;
}

std::string in_words(const RunEstimate& estimate) {
  return fmt::format(
      "about {} of memory and {}{}", size_in_words(estimate.bytes), time_in_words(estimate.seconds),
      estimate.knows_landmarks
          ? fmt::format("; distances {} ({})",
                        estimate.solver.by_landmarks
                            ? fmt::format("by {} landmarks", estimate.solver.n_landmarks)
                            : "between all pairs",
                        estimate.solver.reason)
          : "");
}

void refuse_if_too_large(const RunEstimate& estimate) {
  const double available = available_memory();
  if (estimate.bytes <= available) return;
  throw InvalidArgument(fmt::format(
      "this run needs about {} of memory, and {} are free: {}use fewer columns (`pca`) or rows",
      size_in_words(estimate.bytes), size_in_words(available),
      estimate.knows_landmarks && !estimate.solver.by_landmarks ? "take `landmarks` auto, or " : ""));
}

bool only_estimates(bool is_wanted, const MethodFlags& options, const InputShape& input,
                    const Context& context) {
  const RunEstimate estimate = estimate_run(options, input, context.executor->n_threads());
  if (is_wanted) {
    fmt::print("{}\n", in_words(estimate));
  } else {
    refuse_if_too_large(estimate);
  }
  return is_wanted;
}

}  // namespace geotherm::cli
