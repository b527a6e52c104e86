#include "methods/scaled.hpp"

#include <algorithm>
#include <cmath>

#include "core/median.hpp"
#include "core/take_rows.hpp"
#include "landmarks/pull.hpp"
#include "landmarks/walk_graph.hpp"
#include "methods/across_components.hpp"
#include "methods/run_state.hpp"

namespace geotherm {
namespace {

std::string in_gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), bytes < 1e8 ? "%.2g GB" : "%.1f GB", bytes / 1e9);
  return text;
}

}  // namespace

double exact_memory(std::size_t n_points) {
  // The kernel, and as much again where it is made from or compared with another.
  return 16.0 * static_cast<double>(n_points) * static_cast<double>(n_points);
}

SolverChoice choose_solver(const MethodOptions& options, std::size_t n_points) {
  SolverChoice solver;
  solver.exact_bytes = exact_memory(n_points);
  if (!options.landmarks) {
    solver.reason = "no landmarks were asked for";
    return solver;
  }
  const LandmarkOptions& landmarks = *options.landmarks;
  solver.allowed_bytes = static_cast<double>(landmarks.max_memory.value_or(machine_memory() / 2));
  solver.n_landmarks = std::min(n_points, landmarks.count.value_or(default_landmarks(n_points)));
  if (landmarks.count) {
    solver.by_landmarks = *landmarks.count < n_points;
    solver.reason = solver.by_landmarks ? "landmarks were asked for"
                                        : "there are no more points than landmarks asked for";
  } else if (n_points > landmarks.max_exact) {
    solver.by_landmarks = true;
    solver.reason = "more than " + std::to_string(landmarks.max_exact) + " points";
  } else if (solver.exact_bytes > solver.allowed_bytes && n_points > 16) {
    solver.by_landmarks = true;
    solver.reason = "all pairs would take " + in_gigabytes(solver.exact_bytes) + ", and " +
                    in_gigabytes(solver.allowed_bytes) + " are allowed";
  } else {
    solver.reason = "all pairs take " + in_gigabytes(solver.exact_bytes) + " of " +
                    in_gigabytes(solver.allowed_bytes) + " allowed";
  }
  return solver;
}

SolverChoice choose_distance_solver(MethodOptions options, std::size_t n_points) {
  if (options.landmarks) options.landmarks->max_exact = options.landmarks->max_all_pairs;
  return choose_solver(options, n_points);
}

namespace detail {

/// Distance for a unit of length: the median over cells that touch.
double scale_of(const Graph& touching, const Matrix<double>& distances) {
  std::vector<double> ratios;
  const SparseMatrix& w = touching.weights;
  for (std::size_t a = 0; a < w.rows; ++a) {
    for (std::size_t e = w.offsets[a]; e < w.offsets[a + 1]; ++e) {
      const double length = touching.lengths[e];
      if (length > 0) {
        ratios.push_back(distances(a, static_cast<std::size_t>(w.indices[e])) / length);
      }
    }
  }
  return median(std::move(ratios));
}

/// How many times as long the steps between landmarks are. Heat distances bend where paths have
/// more steps than heat takes in its time; with time shorter by this ratio they bend at the same
/// place as on all points. Past the largest ratio at which all pairs could still be measured, they
/// need not.
double step_ratio(double edge_length, const Graph& coarse) {
  constexpr double most = 2.5;
  if (!(edge_length > 0) || !coarse.has_lengths()) return 1;
  const double ratio = median(coarse.lengths) / edge_length;
  return ratio > 1 ? std::min(ratio, most) : 1;  // 1 also where there is no length at all
}

MethodOptions with_time_for(std::size_t n_landmarks, MethodOptions options) {
  constexpr double usual_most = 4000;  // of a million points
  const double more = static_cast<double>(n_landmarks) / usual_most;
  if (!options.time_choice) return options;
  if (more > 1) options.time_choice->most_jumps *= more;
  // Of curves, distances over many steps between landmarks are shortest paths: heat does not
  // arrive.
  options.time_choice->jumps_a_hop = 0;
  return options;
}

Graph coarse_by_component(const Graph& touching, std::size_t knn, const AffinityOptions& affinity,
                          const Context& context) {
  std::vector<std::vector<Index>> members(touching.n_components);
  for (std::size_t l = 0; l < touching.n_points(); ++l) {
    members[static_cast<std::size_t>(touching.component[l])].push_back(static_cast<Index>(l));
  }
  std::vector<Triplet> weights, lengths;
  for (std::size_t c = 0; c < members.size(); ++c) {
    Cells own;
    own.landmarks = members[c];
    own.touching = component_graph(touching, static_cast<Index>(c));
    const Graph part = coarse_graph(own, knn, affinity, context);
    for (std::size_t a = 0; a < part.n_points(); ++a) {
      for (std::size_t k = part.weights.offsets[a]; k < part.weights.offsets[a + 1]; ++k) {
        const Index from = members[c][a];
        const Index to = members[c][static_cast<std::size_t>(part.weights.indices[k])];
        weights.push_back({from, to, part.weights.values[k]});
        lengths.push_back({from, to, part.lengths[k]});
      }
    }
  }
  const std::size_t m = touching.n_points();
  Graph graph;
  graph.weights = sparse_from_triplets(m, m, std::move(weights));
  graph.lengths = sparse_from_triplets(m, m, std::move(lengths)).values;
  graph.component = touching.component;
  graph.n_components = touching.n_components;
  return graph;
}

namespace {

/// Bridges of the points, as the landmarks at their ends see them.
std::vector<Bridge> bridges_of_landmarks(const Graph& fine, const Cells& cells) {
  std::vector<Bridge> bridges;
  for (const Bridge& bridge : fine.bridges) {
    const auto from = static_cast<std::size_t>(bridge.from);
    const auto to = static_cast<std::size_t>(bridge.to);
    bridges.push_back({cells.cell_of[from], cells.cell_of[to],
                       cells.to_landmark[from] + bridge.length + cells.to_landmark[to]});
  }
  return bridges;
}

struct CoarseProblem : CoarseRun {
  Dissimilarity distances;
};

template <class Archive>
void fields(Archive& a, CoarseProblem& c) {
  put(a, c.cells, c.run, c.distances);
}

}  // namespace

CoarseRun coarse_run(const DistanceRun& run, const CoarseMethod& method,
                     const MethodOptions& options, const Context& context) {
  CoarseRun coarse;
  coarse.run.has_round_clusters = run.has_round_clusters;
  const LandmarkOptions landmarks = options.landmarks.value_or(LandmarkOptions{});
  const std::size_t n = run.graph.n_points();
  const std::size_t count = std::min(n, landmarks.count.value_or(default_landmarks(n)));
  {
    const StageClock clock(coarse.run.report, "landmarks");
    const bool is_apart = method.keeps_components && !run.graph.bridges.empty();
    const Graph inside = is_apart ? without_bridges(run.graph) : Graph{};
    const Graph& fine = is_apart ? inside : run.graph;
    coarse.cells =
        cells_around(fine, choose_landmarks(fine, count, landmarks.choice, context), context);
    if (method.walks_between_cells) {
      coarse.run.graph = walk_graph(run.graph, coarse.cells);
    } else {
      const std::size_t knn_of_landmarks = run.knn.value_or(10);
      if (is_apart) {
        coarse.run.graph =
            coarse_by_component(coarse.cells.touching, knn_of_landmarks, options.affinity, context);
        coarse.run.graph.bridges = bridges_of_landmarks(run.graph, coarse.cells);
      } else {
        coarse.run.graph = coarse_graph(coarse.cells, knn_of_landmarks, options.affinity, context);
      }
      if (method.counts_hops && options.rates.value_or(Rates::hops) == Rates::hops) {
        const std::size_t m = coarse.cells.landmarks.size();
        coarse.run.graph = with_hop_rates(std::move(coarse.run.graph),
                                          edges_of_cells(fine, coarse.cells.cell_of, m), context);
      }
      const double edge_length = run.graph.has_lengths() ? median(run.graph.lengths, context) : 0;
      coarse.run.time_factor = 1 / step_ratio(edge_length, coarse.run.graph);
    }
    const std::size_t m = coarse.cells.landmarks.size();
    coarse.run.unique_inverse = {0};  // of rows that are all equal
    if (m > 1) coarse.run.unique_inverse = rows_as_points(m);
  }
  return coarse;
}

namespace {

/// Landmarks and the distances between them; the time it took is in the report of the coarse run.
CoarseProblem make_coarse(const DistanceRun& run, const CoarseMethod& method,
                          const MethodOptions& options, const Context& context) {
  CoarseProblem coarse{coarse_run(run, method, options, context), {}};
  coarse.run = method.measured(std::move(coarse.run), coarse.cells,
                               with_time_for(coarse.cells.landmarks.size(), options), context);
  coarse.distances = std::move(coarse.run.dissimilarity);
  coarse.run.dissimilarity = {};
  return coarse;
}

CoarseProblem solve_coarse(const DistanceRun& run, const CoarseMethod& method,
                           const MethodOptions& options, const Context& context) {
  const SolverChoice solver = choose_solver(options, run.graph.n_points());
  context.info("distances by " + std::to_string(solver.n_landmarks) + " landmarks (" +
               solver.reason + ")");
  return made_once<CoarseProblem>(context, "landmarks", [&](const Context& listening) {
    return make_coarse(run, method, options, listening);
  });
}

/// The run with what was chosen and seen on its landmarks.
DistanceRun with_choices_of(const CoarseProblem& coarse, DistanceRun run,
                            const LandmarkOptions& landmarks) {
  for (const auto& [name, value] : coarse.run.report.resolved) run.report.resolved[name] = value;
  for (const auto& [stage, seconds] : coarse.run.report.timings_s) {
    run.report.timings_s[stage] += seconds;
  }
  run.time_choice = coarse.run.time_choice;
  run.kernel = coarse.run.kernel;
  run.length_scale = coarse.run.length_scale;
  auto& resolved = run.report.resolved;
  resolved["landmarks"] = static_cast<double>(coarse.cells.landmarks.size());
  resolved["landmark_choice"] = std::string(to_string(landmarks.choice));
  resolved["unresolved_share"] = coarse.distances.unresolved_share;
  resolved["unresolved_treatment"] = coarse.distances.unresolved_treatment;
  return run;
}

/// Distances between all points, by those between their landmarks.
LandmarkDistances carried_to_points(const Graph& graph, const Cells& cells,
                                    Matrix<double> between_landmarks, RunReport& report,
                                    const Context& context) {
  const StageClock clock(report, "landmarks");
  return LandmarkDistances(graph, cells, std::move(between_landmarks), context);
}

}  // namespace

bool goes_by_landmarks(std::size_t n_points, const MethodOptions& options, RunReport& report) {
  const SolverChoice solver = choose_solver(options, n_points);
  report.resolved["solver"] = std::string(solver.by_landmarks ? "landmarks" : "all pairs");
  report.resolved["solver_reason"] = solver.reason;
  return solver.by_landmarks;
}

DistanceRun measured_by_landmarks(DistanceRun run, const CoarseMethod& method,
                                  const MethodOptions& options, const Context& context) {
  CoarseProblem coarse = solve_coarse(run, method, options, context);
  run = with_choices_of(coarse, std::move(run), options.landmarks.value_or(LandmarkOptions{}));
  run.landmarks = carried_to_points(run.graph, coarse.cells, std::move(coarse.distances.values),
                                    run.report, context);
  return run;
}

EmbeddingRun map_by_landmarks(DistanceRun run, const CoarseMethod& method,
                              const MethodOptions& options, const Context& context) {
  CoarseProblem coarse = solve_coarse(run, method, options, context);
  const LandmarkOptions landmarks = options.landmarks.value_or(LandmarkOptions{});
  run = with_choices_of(coarse, std::move(run), landmarks);
  EmbeddingRun result;
  Embedding map;
  double scale = 0;
  {
    const StageClock clock(run.report, "layout");
    MdsOptions of_landmarks = options.mds;
    if (!of_landmarks.start.empty()) {
      of_landmarks.start = take_rows<double>(options.mds.start.view(), coarse.cells.landmarks);
    }
    map = mds(coarse.distances.values, of_landmarks, coarse.run.heat.view(), context);
    scale = scale_of(coarse.cells.touching, coarse.distances.values);
    run.report.resolved["landmark_stress"] = map.stress;
    run.report.resolved["landmark_iterations"] = static_cast<double>(map.iterations);
  }
  coarse.run = {};
  Context unheard = context;  // a map that was stopped half way is carried to all points
  if (map.outcome == Outcome::stopped) unheard.stop = nullptr, unheard.on_progress = {};
  run.landmarks = carried_to_points(run.graph, coarse.cells, std::move(coarse.distances.values),
                                    run.report, unheard);
  if (method.walks_between_cells) {
    const StageClock clock(run.report, "layout");
    result.embedding = map;
    result.embedding.coordinates = step_means(run.graph, coarse.cells, map.coordinates, context);
  } else {
    const StageClock clock(run.report, "layout");
    // A map that was stopped half way is no start to go on from: that stage is done again.
    Context after = context;
    if (map.outcome == Outcome::stopped) after.checkpoint = nullptr;
    result.embedding = pivot_layout(run.graph, coarse.cells, run.landmarks, map.coordinates, scale,
                                    landmarks, options.mds, after);
    if (map.outcome == Outcome::stopped) result.embedding.outcome = Outcome::stopped;
  }
  auto& resolved = run.report.resolved;
  resolved["mds"] = std::string(to_string(options.mds.method));
  if (!method.walks_between_cells) {
    resolved["pivots"] = static_cast<double>(
        std::min(landmarks.n_pivots.value_or(usual_pivots), coarse.cells.landmarks.size()));
  }
  resolved["stress"] = result.embedding.stress;
  resolved["layout_iterations"] = static_cast<double>(result.embedding.iterations);
  if (!options.keep_landmarks) run.landmarks = {};
  spread_to_rows(result.embedding, run.unique_inverse);
  result.distances = std::move(run);
  return result;
}

void refuse_all_pairs(const DistanceRun& run, const MethodOptions& options) {
  const std::size_t n = run.graph.n_points();
  const SolverChoice solver = choose_distance_solver(options, n);
  if (!solver.by_landmarks || (options.landmarks && options.landmarks->count)) return;
  throw InvalidArgument("distances between all pairs of " + std::to_string(n) +
                        " points: " + solver.reason +
                        "; ask for some rows (`from`) or pairs (`pairs`), or force all "
                        "pairs (`landmarks` none)");
}

}  // namespace detail
}  // namespace geotherm
