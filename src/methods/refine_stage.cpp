// The last stage: a finished map -> the map refined by the neighbours of its points.
#include "methods/refine_stage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/percent.hpp"
#include "core/take_rows.hpp"
#include "methods/across_components.hpp"
#include "refine/fit.hpp"
#include "refine/layout.hpp"

namespace geotherm {
namespace detail {
namespace {

constexpr std::size_t fewest_by_default = 200;
// Where nobody asked for refinement: maps that keep so many neighbours stay as they are; what it
// must add to the share kept, and which share of the correlation with paths along the graph it must
// leave.
constexpr double many_kept = 0.7;
constexpr double least_gain = 0.04;
constexpr double least_geodesics = 0.96;
// Where it leaves less, shorter attempts aim at this share; losses grow with the root of epochs.
constexpr double wanted_geodesics = 0.964, least_shortening = 0.25;
// Clouds in five dimensions would have to be that short, digits and cells longer.
constexpr double least_balance = 0.1;
constexpr int most_shorter_attempts = 2;
// Neighbours gained for what the correlation loses, both as shares: digits and cells gain 6 and
// more times what they lose, clouds without structure 1.5 to 4 times, in five dimensions 5 to 7.
constexpr double least_return = 4.75;
// Points of large sets have farther to go. Small sets have most of the gain after a few epochs;
// more cost them geodesics and types.
constexpr double balance_of_few = 0.12, few_points = 4000;
constexpr double balance_of_more = 0.25, more_points = 17500;
constexpr double balance_of_many = 0.5;

// Up to `more_points` the first attempt makes groups compact: averaged over neighbours, and the map
// taken wide. That has to leave the arrangement inside of components (correlation of distances
// before and after), which Gaussian clusters without structure lose: they have .7 to .84.
constexpr std::size_t compact_rounds = 3;
constexpr double compact_spacing = 2.5, least_agreement = 0.9;

RefineOptions compact(RefineOptions options) {
  options.balance = balance_of_more;
  options.averaging = compact_rounds;
  options.spacing = compact_spacing;
  return options;
}

double balance_of(std::size_t n_points) {
  const auto n = static_cast<double>(n_points);
  const double least = std::clamp(balance_of_few * n / few_points, balance_of_few, balance_of_more);
  return std::clamp(balance_of_more * std::sqrt(n / more_points), least, balance_of_many);
}

/// Empty where the map is to be refined; else why not.
std::string reason_against(const EmbeddingRun& run, const MethodOptions& options,
                           RefineDefault by_default) {
  const std::size_t dimensions = run.embedding.coordinates.cols();
  if (!options.refine && by_default == RefineDefault::off) return "off by default for this method";
  if (options.refine && epochs_of(*options.refine) == 0) return "not asked for";
  if (dimensions > 3) {
    return "maps of 1, 2 or 3 dimensions can be refined, this one has " +
           std::to_string(dimensions);
  }
  if (run.embedding.outcome == Outcome::stopped) return "the layout was stopped before its end";
  if (!options.refine && run.embedding.coordinates.rows() < fewest_by_default) {
    return "by default maps of " + std::to_string(fewest_by_default) +
           " points or more are refined";
  }
  return {};
}

void leave(EmbeddingRun& run, const std::string& reason) {
  run.distances.report.resolved["refine_epochs"] = 0.0;
  run.distances.report.resolved["refine_reason"] = reason;
}

/// A refined map, the share of neighbours that it keeps, and its correlation with paths along the
/// graph (0 where nothing asks for it).
struct Attempt {
  Refined refined;
  double kept = 0;
  double geodesics = 0;

  bool is_stopped() const { return refined.outcome == Outcome::stopped; }
};

Attempt attempt(MatrixView<const double> start, const Attraction& attraction,
                const RefineOptions& options, const Context& context) {
  Attempt result;
  result.refined = refine_layout(start, attraction, options, context);
  // A run that was stopped looks for nothing any more.
  if (result.is_stopped()) return result;
  result.kept = neighbor_fit(result.refined.coordinates.view(), attraction, context).kept;
  return result;
}

/// What the map before keeps.
struct Before {
  double kept = 0;
  double geodesics = 0;
};

/// Why a refined map that nobody asked for is not worth what it costs; empty where it is.
std::string reason_to_go_back(const Attempt& attempt, const Before& before) {
  if (attempt.kept < before.kept + least_gain) {
    return "it would keep " + in_percent(attempt.kept) + " of the neighbours in place of " +
           in_percent(before.kept);
  }
  const double lost = 1 - attempt.geodesics / before.geodesics;
  if (attempt.geodesics < least_geodesics * before.geodesics ||
      (lost > 0 && attempt.kept - before.kept < least_return * lost)) {
    return "the correlation of distances with paths along the graph would fall from " +
           in_percent(before.geodesics) + " to " + in_percent(attempt.geodesics);
  }
  return {};
}

/// Where nobody asked for refinement: groups made compact in a small set, else the epochs of its
/// size, fewer where geodesics would fall too far.
Attempt attempt_by_default(MatrixView<const double> start, const Attraction& attraction,
                           const PathSample& paths, const Before& before, RefineOptions options,
                           std::map<std::string, Value>& resolved, const Context& context) {
  Context in_turn = context;
  const auto next = [&](const RefineOptions& chosen) {
    Attempt made = attempt(start, attraction, chosen, in_turn);
    in_turn.checkpoint = nullptr;  // holds the first
    if (!made.is_stopped()) {
      made.geodesics = paths.correlation(made.refined.coordinates.view(), context);
    }
    return made;
  };
  if (static_cast<double>(start.rows) <= more_points) {
    Attempt made = next(compact(options));
    if (made.is_stopped()) return made;
    const double agreement = paths.agreement(start, made.refined.coordinates.view(), context);
    const bool is_kept = agreement >= least_agreement && reason_to_go_back(made, before).empty();
    resolved["refine_agreement"] = agreement;
    resolved["refine_compact"] = is_kept ? 1.0 : 0.0;
    if (is_kept) return made;
  }
  options.balance = balance_of(start.rows);
  Attempt made = next(options);
  const auto goes_too_far = [&] {
    return !made.is_stopped() && made.geodesics < least_geodesics * before.geodesics;
  };
  for (int again = 0; again < most_shorter_attempts && goes_too_far(); ++again) {
    const double too_far = (1 - wanted_geodesics) / (1 - made.geodesics / before.geodesics);
    options.balance *= std::max(too_far * too_far, least_shortening);
    if (options.balance < least_balance) break;
    made = next(options);
  }
  return made;
}

/// From the run's graph; without one, from neighbours found in the input, whose places become those
/// of the run.
Attraction attraction_of(EmbeddingRun& run, const Input& input, const MethodOptions& options,
                         std::size_t knn, const Context& context) {
  if (input.memberships() != nullptr) return *input.memberships();
  if (run.distances.graph.n_points() > 0) {
    return attraction_along(run.distances.graph, knn, context);
  }
  if (input.affinities() != nullptr) {
    return refine_memberships(graph_from_affinities(*input.affinities(), context), knn, context);
  }
  MethodOptions plain = options;
  plain.pca.reset();
  auto [placed, found] = neighbors_of(
      input, plain,
      [knn](const std::optional<std::size_t>&, std::size_t n) { return std::min(knn, n - 1); },
      context);
  run.distances.unique_inverse = std::move(found.unique_inverse);
  run.distances.neighbors = std::move(found.neighbors);
  // A row finds its place by neighbours from here on, not by a projection.
  run.distances.reduction = {};
  if (placed.lists.n_points < 2) return SparseMatrix{};
  return refine_memberships(placed.lists, knn, context);
}

struct Extent {
  std::vector<double> centre;
  double radius = 0;  ///< root mean square
};

std::vector<Extent> extents(MatrixView<const double> map, const Graph& graph) {
  std::vector<Extent> found(graph.n_components, Extent{std::vector<double>(map.cols, 0.0)});
  const std::vector<std::size_t> size = component_sizes(graph);
  const auto of = [&](std::size_t i) { return static_cast<std::size_t>(graph.component[i]); };
  for (std::size_t i = 0; i < map.rows; ++i) {
    for (std::size_t c = 0; c < map.cols; ++c) found[of(i)].centre[c] += map(i, c);
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (double& centre : found[k].centre) centre /= static_cast<double>(size[k]);
  }
  for (std::size_t i = 0; i < map.rows; ++i) {
    Extent& own = found[of(i)];
    for (std::size_t c = 0; c < map.cols; ++c) {
      own.radius = std::hypot(own.radius, map(i, c) - own.centre[c]);
    }
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    found[k].radius /= std::sqrt(static_cast<double>(size[k]));
  }
  return found;
}

/// Components of the graph stay where they were and as wide: no neighbours join them, and
/// refinement, which gives all points the same room, would draw a dense one as wide as a sparse
/// one.
void keep_extents(Matrix<double>& map, MatrixView<const double> before, const Graph& graph) {
  if (graph.n_components < 2) return;
  const std::vector<Extent> was = extents(before, graph);
  const std::vector<Extent> is = extents(std::as_const(map).view(), graph);
  for (std::size_t i = 0; i < map.rows(); ++i) {
    const auto k = static_cast<std::size_t>(graph.component[i]);
    const bool has_width = was[k].radius > 0 && is[k].radius > 0;
    const double factor = has_width ? was[k].radius / is[k].radius : 1;
    for (std::size_t c = 0; c < map.cols(); ++c) {
      map(i, c) = was[k].centre[c] + factor * (map(i, c) - is[k].centre[c]);
    }
  }
}

void refine(EmbeddingRun& run, const Input& input, const MethodOptions& options,
            const Context& context) {
  auto& resolved = run.distances.report.resolved;
  const StageClock clock(run.distances.report, "refinement");
  const bool is_asked_for = options.refine.has_value();
  RefineOptions chosen = options.refine.value_or(RefineOptions{});
  const Attraction attraction = attraction_of(run, input, options, chosen.knn, context);
  // One row of each point; the map itself where no two rows are equal.
  MatrixView<const double> start = run.embedding.coordinates.view();
  Matrix<double> taken;
  if (!are_points(run.distances.unique_inverse)) {
    taken = take_rows<double>(start, first_rows(run.distances.unique_inverse));
    start = taken.view();
  }
  if (start.rows < 2) {
    leave(run, "there is one distinct point");
    return;
  }
  Before before{.kept = neighbor_fit(start, attraction, context).kept};
  resolved["refine_kept_before"] = before.kept;
  if (!is_asked_for && before.kept >= many_kept) {
    leave(run, "the map keeps " + in_percent(before.kept) + " of the neighbours as it is");
    return;
  }
  Attempt made;
  std::string against;
  if (is_asked_for) {
    made = attempt(start, attraction, chosen, context);
    // No balance keeps fewer neighbours than the map before; epochs are run as they are asked for.
    if (!chosen.epochs && !made.is_stopped() && made.kept < before.kept) {
      against = "it would keep " + in_percent(made.kept) + " of the neighbours in place of " +
                in_percent(before.kept);
    }
  } else {
    const PathSample paths(run.distances.graph, context);
    before.geodesics = paths.correlation(start, context);
    made = attempt_by_default(start, attraction, paths, before, chosen, resolved, context);
    if (!made.is_stopped()) {
      resolved["refine_geodesics_before"] = before.geodesics;
      resolved["refine_geodesics"] = made.geodesics;
      against = reason_to_go_back(made, before);
    }
  }
  if (!made.is_stopped()) resolved["refine_kept"] = made.kept;
  if (!against.empty()) {
    leave(run, against);
    return;
  }
  const Refined& refined = made.refined;
  keep_extents(made.refined.coordinates, start, run.distances.graph);
  run.unrefined = std::move(run.embedding.coordinates);
  run.embedding.coordinates = std::move(made.refined.coordinates);
  spread_to_rows(run.embedding, run.distances.unique_inverse);
  if (made.is_stopped()) run.embedding.outcome = Outcome::stopped;
  resolved["refine_epochs"] = static_cast<double>(refined.epochs);
  resolved["refine_reason"] =
      !is_asked_for
          ? "the map kept " + in_percent(before.kept) + " of the neighbours"
          : std::string(chosen.epochs ? "as many epochs as asked for" : "epochs of the balance");
  resolved["refine_unit"] = refined.unit;
  run.refined_unit = refined.unit;
  resolved["refine_largest_move"] = refined.largest_move;
}

}  // namespace

EmbeddingRun refined(EmbeddingRun run, const Input& input, const MethodOptions& options,
                     const Context& context, RefineDefault by_default) {
  const std::string reason = reason_against(run, options, by_default);
  if (reason.empty()) {
    refine(run, input, options, context);
    return run;
  }
  if (run.embedding.coordinates.cols() > 3 && options.refine && epochs_of(*options.refine) > 0) {
    context.warn("the map is not refined: " + reason);
  }
  leave(run, reason);
  return run;
}

EmbeddingRun refined(EmbeddingRun run, const Input& input, const MethodOptions& options,
                     const Context& context) {
  return refined(std::move(run), input, options, context, RefineDefault::off);
}

}  // namespace detail

EmbeddingRun refine_map(const Input& input, MatrixView<const double> map,
                        const MethodOptions& options, const Context& context) {
  refuse_if_any(issues_with(options));
  if (map.rows != input.n_points()) {
    throw InvalidArgument("the map has " + std::to_string(map.rows) + " rows, the input " +
                          std::to_string(input.n_points()) + ": give both for the same points");
  }
  if (map.cols < 1 || map.cols > 3) {
    throw InvalidArgument("the map has " + std::to_string(map.cols) +
                          " dimensions: a map of 1, 2 or 3 can be refined");
  }
  EmbeddingRun run;
  run.distances.unique_inverse = detail::rows_as_points(map.rows);
  run.embedding.coordinates = detail::take_rows<double>(map, run.distances.unique_inverse);
  MethodOptions chosen = options;
  if (!chosen.refine) chosen.refine = RefineOptions{};
  return detail::refined(std::move(run), input, chosen, context);
}

}  // namespace geotherm
