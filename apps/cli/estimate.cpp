#include "estimate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace geotherm::cli {
namespace {

// Fitted to runs on one thread of tables from 100 x 60,000 to 272,369 x 15.
constexpr double base_bytes = 2.8e7;  // the program and its libraries
constexpr double search_s = 1.9e-9;   // trees and cells: a point^1.5 and dimension
constexpr double pair_s = 7e-11;      // all pairs of rows by products: a pair and column
constexpr double point_s = 3e-5;      // graph, cells and layout, a point
constexpr double product_s = 7e-11;   // PCA: a row and column and entry of the shorter side
constexpr double eigen_s = 6e-10;     // eigenvectors: the shorter side^3
constexpr double value_s = 2e-9;      // one pass over a value
constexpr double cube_s = 3e-10;      // kernel and scaling of m landmarks, a landmark^3
constexpr double pivot_s = 5e-7;      // heat of a pivot and its share of the map, a point
constexpr double pivot_bytes = 36;    // a pivot's rows of heat and distances, a point
constexpr double time_s = 4e-5, time_bytes = 1280;  // choice of the time, a point (and thread)
constexpr double bytes_an_edge_end = 110;           // lists, graph and what they are made from
// Above 20,000 points, where no shortcut edges are looked for (docs/scaling.md, "One machine"): a
// neighbour's share of the lists in parts and in one piece, of lists and graph while one is made
// from the other, and of the graph alone; what cells and the shares of landmarks add a point.
constexpr double search_points = 20000, part_bytes = 14, list_bytes = 28, making_bytes = 47;
constexpr double graph_bytes = 28.4, cell_bytes = 24, share_bytes = 168;
// Refinement: a neighbour's share of the edges that attract, and what else a point holds by then.
// An epoch's time a point.
constexpr double attraction_bytes = 11.4, refined_bytes = 150, epoch_s = 3e-7;
constexpr double most_tree_columns = 8, most_pairs_points = 50000;  // as find_neighbors chooses
constexpr double largest_exact_side = 3000, most_truncated = 100;   // as pca chooses

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
  shape.cols = static_cast<double>(std::max(input.points().cols, input.points32().cols));
  shape.number_bytes = input.points32().empty() ? 8 : 4;
  shape.is_distances = !input.distances().empty();
  return shape;
}

InputShape shape_of(const ObservationRows& rows, const PcaOptions& pca) {
  InputShape shape;
  shape.rows = static_cast<double>(rows.rows());
  shape.cols = static_cast<double>(pca.rank.value_or(rows.cols()));
  shape.read_cols = static_cast<double>(rows.cols());
  return shape;
}

namespace {

struct Cost {
  double bytes = 0;  ///< beside the table
  double seconds = 0;
};

/// PCA of a table in memory. `rank` 0: chosen from the data, and nothing to cut.
Cost cost_of_pca(double n, double d, double rank) {
  const double side = std::min(n, d);
  const double kept = rank > 0 ? 8 * rank * (n + d) : 0;
  const bool is_exact =
      rank > 0 ? side <= largest_exact_side || 4 * rank > side : side <= largest_exact_side;
  if (!is_exact) {
    const double width = 1.5 * (rank > 0 ? rank : most_truncated) + 20;
    return {8 * (width + (rank > 0 ? rank : most_truncated)) * (n + d),
            n * d * (6 * width * value_s) + width * width * (n + d) * value_s};
  }
  // A rank far below the side is found by products with the matrix alone.
  const bool is_whole = rank == 0 || side <= 500 || 8 * rank > side;
  return {8 * side * side * (is_whole ? 5.0 : 1.5) + kept + 2.2e7,
          n * d * (side * product_s + 12 * value_s) +
              (is_whole ? side * side * side * eigen_s : side * side * rank * 20 * value_s) +
              n * d * rank * 2 * product_s};
}

/// Neighbours of n points in d columns of `number` bytes. A point's lists take `found` bytes while
/// they are found, `joined` while they are put together.
Cost cost_of_search(double n, double d, double number, double found, double joined) {
  const double copies = d <= most_tree_columns
                            ? n * (2 * d * number + joined)
                            : n * (d * number + std::max({8 * d, 4 * d + found, joined}));
  const bool by_pairs = d > most_tree_columns && n <= most_pairs_points;
  return {copies, by_pairs ? n * n * (d + 30) * pair_s + n * d * 4 * value_s
                           : n * std::sqrt(n) * (d + 10) * search_s};
}

}  // namespace

RunEstimate estimate_run(const MethodFlags& options, const InputShape& input,
                         std::size_t n_threads) {
  RunEstimate estimate;
  const double n = input.rows;
  const double d = input.cols;
  const bool is_large = n > search_points;
  const double knn = static_cast<double>(options.settings.neighbors.knn.value_or(10));
  const double table = input.is_distances ? 8 * n * n : n * d * input.number_bytes;
  const double threads = static_cast<double>(std::max<std::size_t>(1, n_threads));
  const double read_cols = input.read_cols;
  const std::optional<PcaOptions>& pca = options.settings.pca;
  const Method& method = *method_named(options.method);
  // Shortest paths run on the lists as they are, and keep distances alone.
  const bool has_kernel = method.distances == nullptr || method.has(parts::affinity);
  const std::optional<RefineOptions>& refine = options.settings.refine;
  const bool may_refine = refine ? epochs_of(*refine) > 0 : method.choices != nullptr;
  const bool is_reduced = pca ? pca->rank != 0 : method.choices != nullptr;
  Cost reduction, search;
  double scores = 0, columns = d, number = input.number_bytes;
  if (d > 0 && read_cols == 0 && is_reduced) {
    const double rank = pca && pca->rank ? std::min(d, static_cast<double>(*pca->rank)) : 0;
    reduction = cost_of_pca(n, d, rank);
    if (rank > 0) {
      columns = rank;
      number = 8;
      scores = 8 * n * rank;
    }
  }
  const double found = is_large ? knn * part_bytes : 0, joined = is_large ? knn * list_bytes : 0;
  if (d > 0) search = cost_of_search(n, columns, number, found, joined);
  double seconds = reduction.seconds + search.seconds + n * d * 4 * value_s + n * point_s;
  seconds += n * read_cols * (read_cols * product_s + 4 * value_s);
  double pairs = 0;       // distances between all points, or between landmarks
  double kept_pairs = 0;  // of those, what is left when the map is refined
  estimate.knows_landmarks = method.by_landmarks != nullptr;
  if (estimate.knows_landmarks) {
    MethodOptions settings = options.settings;
    if (method.max_exact && settings.landmarks) {
      settings.landmarks->max_exact = std::min(settings.landmarks->max_exact, *method.max_exact);
    }
    estimate.solver = choose_solver(settings, static_cast<std::size_t>(n));
    if (estimate.solver.by_landmarks && method.has(parts::heat_pivots)) {
      estimate.n_pivots = pivots_on_points(settings, static_cast<std::size_t>(n));
    }
    const double m =
        estimate.solver.by_landmarks ? static_cast<double>(estimate.solver.n_landmarks) : n;
    pairs = (is_large ? 26 : has_kernel ? 16 : 8) * m * m;
    kept_pairs = estimate.solver.by_landmarks ? 0 : 8 * m * m;
    if (estimate.solver.by_landmarks) {
      // Above, the heat between landmarks, or their shares in all points with one array of theirs.
      pairs = is_large ? n * cell_bytes + std::max(pairs, n * share_bytes + 8 * m * m)
                       : pairs + n * 250;
    }
    if (settings.device != DeviceKind::cpu && method.has(parts::device) && cuda_device()) {
      estimate.device_bytes = exact_device_memory(static_cast<std::size_t>(m));
      if (!estimate.solver.by_landmarks) pairs = n * 1500;  // pairs stay on the device
    }
    // Walks take fewer products than heat, shortest paths none.
    const double cube = !has_kernel ? 0 : method.max_exact ? cube_s / 3 : cube_s;
    if (estimate.n_pivots) {
      const auto pivots = static_cast<double>(*estimate.n_pivots);
      pairs = n * (pivots * pivot_bytes + time_bytes * threads);
      seconds += n * (pivots * pivot_s + time_s);
    } else {
      seconds += m * m * m * cube + m * m * (cube == cube_s ? 4e-7 : 2e-7);
    }
  } else if (method.needs == Needs::distances) {
    seconds += n * n * 4e-7;
  } else if (method.has(parts::tsne | parts::umap)) {
    seconds += n * 1.5e-3 * threads;  // their descent runs on one thread, or nearly so
  }
  // One stage after the other gives back what it needed.
  const double making = is_large ? n * (knn * making_bytes + 32)
                                 : n * knn * (has_kernel ? 2.6 : 1) * bytes_an_edge_end;
  const double graph = is_large ? n * (knn * graph_bytes + 8) : making;
  const double searching = is_large ? std::max(search.bytes, making) : search.bytes + making;
  const double refining = is_large && may_refine
                              ? graph + kept_pairs + n * (knn * attraction_bytes + refined_bytes)
                              : 0;
  if (refine && may_refine) seconds += n * epoch_s * static_cast<double>(epochs_of(*refine));
  estimate.bytes =
      base_bytes + table +
      std::max({reduction.bytes, scores + searching, scores + graph + pairs, scores + refining});
  // Reading in blocks comes before all this: a block and its products, the covariance matrix and
  // its eigenvectors, the scores, and the keys of the rows, which stay.
  const double reading = 1.2e8 + 8 * 4 * read_cols * read_cols + n * d * 8 + n * 100;
  if (read_cols > 0) estimate.bytes = std::max(estimate.bytes + n * 40, reading);
  estimate.seconds = seconds / threads;
  return estimate;
}

std::string in_words(const RunEstimate& estimate) {
  return fmt::format(
      "about {} of memory{} and {}{}", size_in_words(estimate.bytes),
      estimate.device_bytes > 0
          ? fmt::format(", {} of GPU memory", size_in_words(estimate.device_bytes))
          : "",
      time_in_words(estimate.seconds) + (estimate.device_bytes > 0 ? " by the CPU alone" : ""),
      estimate.knows_landmarks
          ? fmt::format("; distances {} ({})",
                        estimate.n_pivots ? fmt::format("from {} pivots", *estimate.n_pivots)
                        : estimate.solver.by_landmarks
                            ? fmt::format("by {} landmarks", estimate.solver.n_landmarks)
                            : "between all pairs",
                        estimate.solver.reason)
          : "");
}

namespace {

void refuse_if_too_large_for_device(const RunEstimate& estimate) {
  if (estimate.device_bytes == 0) return;
  const auto device = cuda_device();
  const double free = device ? static_cast<double>(device->memory_free) : 0;
  if (estimate.device_bytes <= free) return;
  throw InvalidArgument(
      fmt::format("this run needs about {} of GPU memory, and {} are free: take `landmarks` auto, "
                  "fewer rows, or "
                  "`device` cpu",
                  size_in_words(estimate.device_bytes), size_in_words(free)));
}

/// A device that was asked for by name and is not there: said before the work starts.
void refuse_absent_device(const MethodFlags& options) {
  if (options.settings.device != DeviceKind::cuda || cuda_device()) return;
  throw InvalidArgument("`device` is cuda: " + why_no_cuda_device());
}

}  // namespace

void refuse_if_too_large(const RunEstimate& estimate) {
  refuse_if_too_large_for_device(estimate);
  const double available = available_memory();
  if (estimate.bytes <= available) return;
  throw InvalidArgument(fmt::format(
      "this run needs about {} of memory, and {} are free: {}use fewer columns (`pca`) or rows",
      size_in_words(estimate.bytes), size_in_words(available),
      estimate.knows_landmarks && !estimate.solver.by_landmarks ? "take `landmarks` auto, or "
                                                                : ""));
}

bool only_estimates(bool is_wanted, const MethodFlags& options, const InputShape& input,
                    const Context& context) {
  refuse_absent_device(options);
  const RunEstimate estimate = estimate_run(options, input, context.executor->n_threads());
  if (is_wanted) {
    fmt::print("{}\n", in_words(estimate));
  } else {
    refuse_if_too_large(estimate);
  }
  return is_wanted;
}

}  // namespace geotherm::cli
