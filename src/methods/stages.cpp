#include "methods/stages.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "core/checksum.hpp"
#include "core/take_rows.hpp"
#include "graph/components.hpp"
#include "graph/kernel_support.hpp"
#include "methods/run_state.hpp"

namespace geotherm {

std::size_t Input::n_points() const {
  if (neighbors != nullptr) return neighbors->n_points;
  if (sparse_distances != nullptr) return sparse_distances->rows;
  if (affinities != nullptr) return affinities->rows;
  return std::max({points.rows, points32.rows, distances.rows});
}

namespace {

template <class T>
void add_table(detail::Checksum& sum, MatrixView<const T> table) {
  sum.mix(table.rows);
  sum.mix(table.cols);
  for (std::size_t i = 0; i < table.rows; ++i) sum.add(&table(i, 0), table.cols * sizeof(T));
}

template <class T>
void add_list(detail::Checksum& sum, const std::vector<T>& list) {
  sum.add(list.data(), list.size() * sizeof(T));
}

}  // namespace

std::string fingerprint(const Input& input) {
  detail::Checksum sum;
  std::string kind = "points";
  if (!input.points.empty()) add_table(sum, input.points);
  if (!input.points32.empty()) add_table(sum, input.points32);
  if (!input.distances.empty()) {
    kind = "distances";
    add_table(sum, input.distances);
  }
  if (input.neighbors != nullptr) {
    kind = "neighbours";
    add_list(sum, input.neighbors->offsets);
    add_list(sum, input.neighbors->indices);
    add_list(sum, input.neighbors->distances);
  }
  const SparseMatrix* sparse =
      input.affinities != nullptr ? input.affinities : input.sparse_distances;
  if (sparse != nullptr) {
    kind = input.affinities != nullptr ? "affinities" : "sparse distances";
    add_list(sum, sparse->offsets);
    add_list(sum, sparse->indices);
    add_list(sum, sparse->values);
  }
  char digits[24];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum.value()));
  return std::to_string(input.n_points()) + " rows of " + kind + ", checksum " + digits;
}

std::string_view to_string(Rates rates) { return rates == Rates::hops ? "hops" : "lengths"; }

std::optional<Rates> rates_named(std::string_view name) {
  if (name == "hops") return Rates::hops;
  if (name == "lengths") return Rates::lengths;
  return std::nullopt;
}

std::vector<std::string> issues_with(const MethodOptions& options) {
  std::vector<std::string> all;
  const auto add = [&](std::vector<std::string> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  };
  add(issues_with(options.affinity));
  if (options.smooth) add(issues_with(*options.smooth));
  if (options.shortcuts) add(issues_with(*options.shortcuts));
  if (options.landmarks) add(issues_with(*options.landmarks));
  add(issues_with(options.heat));
  add(issues_with(options.dissimilarity));
  add(issues_with(options.mds));
  if (options.refine) add(issues_with(*options.refine));
  add(issues_with(options.tsne));
  add(issues_with(options.umap));
  return all;
}

namespace detail {
namespace {

void require_enough_rows(std::size_t n) {
  if (n < 2) {
    throw InvalidData("the input has " + std::to_string(n) + (n == 1 ? " row" : " rows") +
                      ": a map needs at least 2 points");
  }
}

}  // namespace

Matrix<double> widen(MatrixView<const float> points) {
  Matrix<double> wide = Matrix<double>::uninitialized(points.rows, points.cols);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const auto row = points.row(i);
    std::copy(row.begin(), row.end(), wide.row(i).begin());
  }
  return wide;
}

void keep_places(std::size_t n, DistanceRun& run) {
  require_enough_rows(n);
  run.unique_inverse.resize(n);
  std::iota(run.unique_inverse.begin(), run.unique_inverse.end(), 0);
}

namespace {

template <class T>
void require_measurable_rows(MatrixView<const T> points) {
  double largest = 0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (const T x : points.row(i)) largest = std::max(largest, std::abs(static_cast<double>(x)));
  }
  if (std::isfinite(2 * static_cast<double>(points.cols) * largest)) return;
  std::ostringstream text;
  text << "the largest entry is " << largest
       << ": distances between rows would leave the range of numbers; divide the table by a "
          "constant";
  throw InvalidData(text.str());
}

}  // namespace

void require_measurable(MatrixView<const double> points) { require_measurable_rows(points); }

namespace {

/// An explicit knn is checked against the rows that the user sees, then clamped to the distinct
/// ones.
NeighborOptions clamp_to_distinct(NeighborOptions options, std::size_t n_rows,
                                  std::size_t n_distinct, const Context& context) {
  refuse_if_any(issues_with(options, n_rows));
  if (n_distinct == n_rows || !options.knn || *options.knn < n_distinct) return options;
  context.warn("knn is " + std::to_string(*options.knn) + " but only " +
               std::to_string(n_distinct) +
               " rows are distinct: " + std::to_string(n_distinct - 1) + " neighbours are used");
  options.knn = n_distinct - 1;
  return options;
}

/// Distinct points, and what they were reduced to.
template <class T>
struct PreparedPoints {
  Matrix<T> distinct;          ///< empty where all rows are
  MatrixView<const T> places;  ///< the input's rows, or `distinct`
  NeighborOptions neighbors;   ///< knn clamped to the places
  Matrix<double> wide;         ///< double copy of float32 points, where something needs one
  Pca reduced;
  SmoothedPoints smoothed;
  MatrixView<const double> reduced_points = {};  ///< reduced or smoothed; empty where neither was

  NeighborLists find(const NeighborOptions& which, const Context& context) const {
    return reduced_points.rows > 0 ? find_neighbors(reduced_points, which, context)
                                   : find_neighbors(places, which, context);
  }
  /// The points in which neighbours are found, in double.
  MatrixView<const double> in_double() {
    if (reduced_points.rows > 0) return reduced_points;
    if constexpr (std::is_same_v<T, float>) {
      if (wide.empty()) wide = widen(places);
      return wide;
    } else {
      return places;
    }
  }
};

template <class T>
void reduce(PreparedPoints<T>& prepared, const PcaOptions& options, DistanceRun& run,
            const Context& context) {
  const StageClock clock(run.report, "pca");
  auto& resolved = run.report.resolved;
  if (!options.rank && is_principal_components(prepared.places, context)) {
    resolved["pca_rank"] = static_cast<double>(prepared.places.cols);
    resolved["pca_choice"] =
        std::string("the columns are principal components already: nothing is cut");
    return;
  }
  prepared.reduced =
      pca(prepared.places, {.rank = options.rank, .leaves_out_uncut = true}, context);
  resolved["pca_choice"] = prepared.reduced.choice;
  const std::size_t rank = prepared.reduced.was_reduced
                               ? prepared.reduced.scores.cols()
                               : std::min(prepared.places.rows, prepared.places.cols);
  resolved["pca_rank"] = static_cast<double>(rank);
  if (!prepared.reduced.was_reduced) return;
  prepared.reduced_points = prepared.reduced.scores.view();
  run.reduction.components = prepared.reduced.components;
  run.reduction.mean = prepared.reduced.mean;
}

template <class T>
void smooth(PreparedPoints<T>& prepared, const SmoothOptions& options, DistanceRun& run,
            const Context& context) {
  const StageClock clock(run.report, "smoothing");
  prepared.smoothed = smooth_points(prepared.in_double(), options, prepared.neighbors, context);
  auto& resolved = run.report.resolved;
  resolved["smooth_steps"] = static_cast<double>(prepared.smoothed.steps);
  resolved["smooth_neighbors"] = static_cast<double>(prepared.smoothed.neighbors);
  resolved["neighborhood_roundness"] = prepared.smoothed.roundness;
  if (prepared.smoothed.steps > 0) prepared.reduced_points = prepared.smoothed.points.view();
}

template <class T>
PreparedPoints<T> prepare(MatrixView<const T> points, const MethodOptions& options,
                          DistanceRun& run, const Context& context) {
  PreparedPoints<T> prepared;
  UniqueRows unique;
  {
    const StageClock clock(run.report, "points");
    require_finite(points);
    require_enough_rows(points.rows);
    require_measurable_rows(points);
    unique = find_unique_rows(points);
  }
  if (!unique.all_distinct()) {
    const std::size_t n_equal = points.rows - unique.first.size();
    context.warn(std::to_string(n_equal) +
                 (n_equal == 1 ? " row equals an earlier one and shares its place"
                               : " rows equal earlier ones and share their places"));
    run.report.resolved["duplicate_rows"] = static_cast<double>(n_equal);
    prepared.distinct = take_rows<T>(points, unique.first);
  }
  prepared.places = unique.all_distinct() ? points : prepared.distinct.view();
  run.unique_inverse = std::move(unique.unique_inverse);
  prepared.neighbors =
      clamp_to_distinct(options.neighbors, points.rows, prepared.places.rows, context);
  if (prepared.places.rows == 1) {
    context.warn("all rows are equal: every point is put at the origin");
    return prepared;
  }
  if (options.pca && options.pca->rank != 0) reduce(prepared, *options.pca, run, context);
  if (options.smooth) smooth(prepared, *options.smooth, run, context);
  return prepared;
}

void note_lists(const NeighborLists& lists, DistanceRun& run) {
  run.report.resolved["knn"] = static_cast<double>(lists.knn);
  run.report.resolved["neighbor_search"] = std::string(to_string(lists.search_used));
}

template <class T>
Graph graph_of_points(MatrixView<const T> points, const MethodOptions& options, DistanceRun& run,
                      const Context& context) {
  PreparedPoints<T> prepared = prepare(points, options, run, context);
  const std::size_t n_places = prepared.places.rows;
  NeighborOptions neighbor_options = prepared.neighbors;
  if (options.affinity.kind == Affinity::alpha_decay) {
    neighbor_options.reach = std::max(neighbor_options.reach, reach_of(options.affinity));
  }

  // All rows equal: one place, and a graph of one point without edges.
  if (n_places == 1) {
    Graph graph;
    graph.weights.rows = graph.weights.cols = 1;
    graph.weights.offsets = {0, 0};
    graph.component = {0};
    graph.n_components = 1;
    return graph;
  }

  NeighborLists lists;
  NeighborLists windows;  // for the overlap of neighbourhoods, where short circuits are looked for
  {
    const StageClock clock(run.report, "neighbors");
    const auto find = [&](const NeighborOptions& which) { return prepared.find(which, context); };
    if (looks_for_shortcuts(options)) {
      const std::size_t knn = resolve_knn(neighbor_options.knn, n_places, context);
      NeighborOptions wide_options = neighbor_options;
      // A window of a tenth of the points at most: it has to be smaller than a population.
      const std::size_t window = std::min(options.shortcuts->window, n_places / 10);
      wide_options.knn = std::min(n_places - 1, std::max(2 * knn, window));
      wide_options.reach = 1;
      windows = find(wide_options);
      lists = shortened(windows, knn, neighbor_options.reach);
      windows.knn = knn;
      if (lists.truncated_share > 0) {
        neighbor_options.knn = knn;
        lists = lists_within_reach(neighbor_options, n_places, find);
      }
    } else {
      lists = lists_within_reach(neighbor_options, n_places, find);
    }
  }
  note_lists(lists, run);
  Graph graph;
  {
    const StageClock clock(run.report, "graph");
    graph = build_graph(lists, options.affinity, context);
  }
  const auto connect = [&](Graph g, const Context& how) {
    if (g.n_components == 1) return g;
    return connect_components(std::move(g), options.components, prepared.in_double(), how);
  };
  if (looks_for_shortcuts(options)) {
    const StageClock clock(run.report, "shortcuts");
    Graph pruned = remove_shortcuts(graph, windows, *options.shortcuts, run.shortcuts, context);
    note_shortcuts(run, context);
    graph = std::move(pruned);
  }
  const StageClock clock(run.report, "graph");
  return connect(std::move(graph), context);
}

template <class T>
PlacedNeighbors lists_of_points(MatrixView<const T> points, const MethodOptions& options,
                                const NeighborCount& count, DistanceRun& run,
                                const Context& context) {
  PreparedPoints<T> prepared = prepare(points, options, run, context);
  PlacedNeighbors placed;
  if (prepared.places.rows == 1) {
    placed.lists.n_points = 1;
    placed.lists.offsets = {0, 0};
    return placed;
  }
  NeighborOptions which = prepared.neighbors;
  which.knn = count(which.knn, prepared.places.rows);
  {
    const StageClock clock(run.report, "neighbors");
    placed.lists = prepared.find(which, context);
  }
  note_lists(placed.lists, run);
  const MatrixView<const double> in_double = prepared.in_double();
  placed.points = Matrix<double>::uninitialized(in_double.rows, in_double.cols);
  for (std::size_t i = 0; i < in_double.rows; ++i) {
    const auto row = in_double.row(i);
    std::copy(row.begin(), row.end(), placed.points.row(i).begin());
  }
  return placed;
}

NeighborLists given_lists(const Input& input, const NeighborOptions& options,
                          const Context& context) {
  if (input.neighbors != nullptr) return *input.neighbors;
  if (input.sparse_distances != nullptr) {
    return neighbors_from_sparse(*input.sparse_distances, options, context);
  }
  return neighbors_from_distances(input.distances, options, context);
}

/// Neighbours, distances or affinities in place of points: no rows to compare, so no duplicates.
Graph graph_of_given(const Input& input, const MethodOptions& options, DistanceRun& run,
                     const Context& context) {
  const StageClock clock(run.report, "graph");
  keep_places(input.n_points(), run);
  Graph graph;
  if (input.affinities != nullptr) {
    graph = graph_from_affinities(*input.affinities, context);
    run.report.resolved["graph_lengths"] =
        std::string("not given: no step that needs lengths was taken");
  } else {
    NeighborOptions neighbor_options = options.neighbors;
    if (options.affinity.kind == Affinity::alpha_decay) {
      neighbor_options.reach = std::max(neighbor_options.reach, reach_of(options.affinity));
    }
    const NeighborLists lists = given_lists(input, neighbor_options, context);
    run.report.resolved["knn"] = static_cast<double>(lists.knn);
    graph = build_graph(lists, options.affinity, context);
  }
  if (looks_for_shortcuts(options)) {
    run.report.resolved["shortcuts"] =
        std::string("not looked for: there are no points whose neighbourhoods could be compared");
  }
  if (graph.n_components == 1) return graph;
  return connect_components(std::move(graph), options.components, {}, context);
}

void note_graph(DistanceRun& run, bool has_points, const Context& context) {
  const Graph& graph = run.graph;
  auto& resolved = run.report.resolved;
  const std::size_t n_edges = graph.weights.n_entries() / 2;
  resolved["edges"] = static_cast<double>(n_edges);
  resolved["components"] = static_cast<double>(graph.n_components);
  if (graph.truncated_share > 0) {
    resolved["truncated_share"] = graph.truncated_share;
    const auto n = static_cast<double>(graph.n_points());
    context.warn(std::to_string(std::lround(graph.truncated_share * n)) + " of " +
                 std::to_string(graph.n_points()) +
                 " points have fewer neighbours than the kernel needs (use " +
                 (has_points ? "a larger --decay)" : "a smaller --knn, or give longer lists)"));
  }
  if (graph.n_components < 2) return;
  resolved["bridges"] = static_cast<double>(graph.bridges.size());
  // Pairs of rows in different components: their distances are not measured.
  std::vector<double> size(graph.n_components, 0);
  for (const Index place : run.unique_inverse) {
    ++size[static_cast<std::size_t>(graph.component[static_cast<std::size_t>(place)])];
  }
  const double n = static_cast<double>(run.unique_inverse.size());
  double within = 0;
  for (const double s : size) within += s * (s - 1);
  resolved["unmeasured_share"] = 1 - within / (n * (n - 1));
  context.warn("the graph has " + describe_components(graph) +
               (graph.bridges.empty() ? "; distances between them are not measured"
                                      : "; distances between them follow straight bridges") +
               " (a larger --knn may connect them)");
}

}  // namespace

namespace {

DistanceRun make_graph(const Input& input, const MethodOptions& options, const Context& context) {
  DistanceRun run;
  if (!input.points.empty()) {
    run.graph = graph_of_points(input.points, options, run, context);
  } else if (!input.points32.empty()) {
    run.graph = graph_of_points(input.points32, options, run, context);
  } else {
    run.graph = graph_of_given(input, options, run, context);
  }
  run.report.resolved["graph"] = std::string(
      input.affinities != nullptr ? "given affinities" : to_string(options.affinity.kind));
  note_graph(run, !input.points.empty() || !input.points32.empty(), context);
  return run;
}

PlacedNeighbors make_lists(const Input& input, const MethodOptions& options,
                           const NeighborCount& count, DistanceRun& run, const Context& context) {
  if (!input.points.empty()) return lists_of_points(input.points, options, count, run, context);
  if (!input.points32.empty()) return lists_of_points(input.points32, options, count, run, context);
  if (input.affinities != nullptr) {
    throw InvalidArgument(
        "this method works on distances to neighbours: give points, neighbours or "
        "distances instead of affinities");
  }
  const StageClock clock(run.report, "neighbors");
  keep_places(input.n_points(), run);
  NeighborOptions which = options.neighbors;
  which.knn = count(which.knn, input.n_points());
  PlacedNeighbors placed;
  placed.lists = given_lists(input, which, context);
  run.report.resolved["knn"] = static_cast<double>(placed.lists.knn);
  return placed;
}

struct ListsAndRun {
  PlacedNeighbors placed;
  DistanceRun run;
};
template <class Archive>
void fields(Archive& a, ListsAndRun& both) {
  put(a, both.placed, both.run);
}

}  // namespace

DistanceRun graph_of(const Input& input, const MethodOptions& options, const Context& context) {
  refuse_if_any(issues_with(options));
  return made_once<DistanceRun>(context, "graph", [&](const Context& listening) {
    return make_graph(input, options, listening);
  });
}

PlacedNeighbors neighbors_of(const Input& input, const MethodOptions& options,
                             const NeighborCount& count, DistanceRun& run, const Context& context) {
  refuse_if_any(issues_with(options));
  auto both = made_once<ListsAndRun>(context, "neighbors", [&](const Context& listening) {
    ListsAndRun made;
    made.placed = make_lists(input, options, count, made.run, listening);
    return made;
  });
  run = std::move(both.run);
  return std::move(both.placed);
}

template <class T>
Matrix<double> principal_components(MatrixView<const T> points, std::size_t n_components,
                                    const Context& context, Pca* reduction) {
  const std::size_t rank = std::min({n_components, points.rows, points.cols});
  Pca found = pca(points, {.rank = rank}, context);
  Matrix<double> start(points.rows, n_components);
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t k = 0; k < rank; ++k) start(i, k) = found.scores(i, k);
  }
  if (reduction != nullptr) {
    reduction->components = std::move(found.components);
    reduction->mean = std::move(found.mean);
  }
  return start;
}
template Matrix<double> principal_components(MatrixView<const double>, std::size_t, const Context&,
                                             Pca*);
template Matrix<double> principal_components(MatrixView<const float>, std::size_t, const Context&,
                                             Pca*);

Matrix<double> graph_eigenmaps(const Graph& graph, std::size_t n_components,
                               const Context& context) {
  // A start has to show the arrangement, not the last digit.
  return spectral_embedding(graph, {.n_components = n_components, .tolerance = 1e-6}, context)
      .coordinates;
}

EmbeddingRun finish(DistanceRun run, SpectralEmbedding found) {
  const std::vector<double>& values = found.eigenvalues;
  if (values.size() > 1) {
    double gap = std::abs(values[1] - values[0]);
    for (std::size_t k = 2; k < values.size(); ++k) {
      gap = std::min(gap, std::abs(values[k] - values[k - 1]));
    }
    run.report.resolved["smallest_eigengap"] = gap;
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    run.report.resolved["eigenvalue_" + std::to_string(k + 1)] = values[k];
  }
  return finish(std::move(run), std::move(found.coordinates), found.outcome, found.n_products);
}

EmbeddingRun finish(DistanceRun run, Matrix<double> coordinates, Outcome outcome,
                    std::size_t iterations) {
  EmbeddingRun result;
  result.embedding.coordinates = std::move(coordinates);
  result.embedding.outcome = outcome;
  result.embedding.iterations = iterations;
  run.report.resolved["layout_iterations"] = static_cast<double>(iterations);
  run.report.resolved["outcome"] = std::string(to_string(outcome));
  spread_to_rows(result.embedding, run.unique_inverse);
  result.distances = std::move(run);
  return result;
}

std::unique_ptr<DiffusionKernel> kernel_of(DistanceRun& run, const MethodOptions& options,
                                           const Context& context) {
  Laplacian laplacian;
  const Rates rates = run.graph.has_lengths() ? options.rates.value_or(Rates::hops) : Rates::hops;
  run.report.resolved["rates"] = std::string(to_string(rates));
  {
    const StageClock clock(run.report, "laplacian");
    if (rates == Rates::lengths) run.graph = with_length_rates(std::move(run.graph), context);
    laplacian = build_laplacian(run.graph, options.laplacian, context);
  }
  HeatKernelOptions heat = options.heat;
  if (options.time_choice) {
    const StageClock clock(run.report, "time");
    run.time_choice = choose_time(laplacian, *options.time_choice, context);
    heat.time = run.time_choice.time;
    run.report.resolved["time_choice"] = run.time_choice.how;
  }
  heat.time *= run.time_factor;
  const StageClock clock(run.report, "heat_kernel");
  auto kernel = heat_kernel(laplacian, heat, context);
  run.kernel = kernel->report();
  auto& resolved = run.report.resolved;
  resolved["time"] = run.kernel.time;
  resolved["laplacian"] = std::string(to_string(options.laplacian));
  resolved["kernel"] = std::string(to_string(run.kernel.method));
  resolved["order"] = static_cast<double>(run.kernel.order);
  resolved["kernel_resolution"] = run.kernel.resolution;
  resolved["kernel_condition"] = std::max(1.0, run.kernel.time * laplacian.largest_diagonal);
  return kernel;
}

void spread_to_rows(Dissimilarity& distances, const std::vector<Index>& unique_inverse,
                    const Context& context) {
  const Matrix<double>& places = distances.values;
  if (unique_inverse.size() == places.rows()) return;
  const std::size_t n = unique_inverse.size();
  Matrix<double> rows = Matrix<double>::uninitialized(n, n);
  parallel_for(context, n, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto from = places.row(static_cast<std::size_t>(unique_inverse[i]));
      const auto to = rows.row(i);
      for (std::size_t j = 0; j < n; ++j) to[j] = from[static_cast<std::size_t>(unique_inverse[j])];
    }
  });
  distances.values = std::move(rows);
}

void spread_to_rows(Embedding& embedding, const std::vector<Index>& unique_inverse) {
  if (unique_inverse.size() == embedding.coordinates.rows()) return;
  embedding.coordinates = take_rows<double>(embedding.coordinates.view(), unique_inverse);
}

EmbeddingRun lay_out(DistanceRun run, const MethodOptions& options, const Context& context) {
  EmbeddingRun result;
  {
    const StageClock clock(run.report, "layout");
    result.embedding = mds(run.dissimilarity.values, options.mds, run.heat, context);
  }
  auto& resolved = run.report.resolved;
  resolved["mds"] = std::string(to_string(options.mds.method));
  // Infinite where all weighted distances are 0: no number to report.
  if (std::isfinite(result.embedding.stress)) resolved["stress"] = result.embedding.stress;
  resolved["layout_iterations"] = static_cast<double>(result.embedding.iterations);
  spread_to_rows(result.embedding, run.unique_inverse);
  spread_to_rows(run.dissimilarity, run.unique_inverse, context);
  result.distances = std::move(run);
  return result;
}

}  // namespace detail

DistanceRun shared_graph(const Input& input, const MethodOptions& options, const Context& context) {
  return detail::graph_of(input, options, context);
}

}  // namespace geotherm
