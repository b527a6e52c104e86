#include "methods/heat_distances.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/at.hpp"
#include "core/take_rows.hpp"
#include "dissimilarity/heat_rows.hpp"
#include "heat/estimated_diagonal.hpp"
#include "heat/rows_in_single.hpp"
#include "landmarks/pull.hpp"
#include "methods/across_components.hpp"

namespace geotherm::detail {
namespace {

/// Of d^2, what the short time counts. A fifth leaves the large shape to the long time, and is
/// twenty times what heat that has become flat still says of the inside of a cluster.
constexpr double short_weight = 0.2;

Laplacian scaled(Laplacian laplacian, const Graph& graph, const std::vector<double>& factor) {
  for (std::size_t i = 0; i < laplacian.size(); ++i) {
    const double f = factor[at(graph.component[i])];
    for (double& value : laplacian.matrix.row_values(i)) value *= f;
  }
  return laplacian;
}

/// Heat that fills a cluster without inner structure is flat there, and the cluster a dot beside
/// the distances to others, however short (28 jumps: .06 to .5 of its size; 8 jumps: .5 to .8).
TimeOptions time_options_for(const TimeHints& hints, TimeOptions options) {
  constexpr double most_in_clusters = 8;
  if (hints.has_round_clusters && options.rule == TimeRule::reach) {
    options.most_jumps = most_in_clusters;
    options.fewest_jumps = std::min(options.fewest_jumps, most_in_clusters);
    options.jumps_a_hop = 0;
  }
  return options;
}

/// Times of one component.
struct Times {
  double time = 0;
  double short_time = 0;  ///< equal to `time` where there is none
};

}  // namespace

HeatDistances::HeatDistances(Graph given, const TimeHints& hints, const MethodOptions& options,
                             RunReport& report, const Context& context)
    : whole_(std::move(given)), options_(options), report_(report) {
  plain_.harnack = options.dissimilarity.harnack;
  plain_.kernel_floor = options.dissimilarity.kernel_floor;
  auto& resolved = report.resolved;
  const Rates rates = whole_.has_lengths() ? options.rates.value_or(Rates::hops) : Rates::hops;
  resolved["rates"] = std::string(to_string(rates));
  resolved["laplacian"] = std::string(to_string(options.laplacian));
  if (rates == Rates::lengths) whole_ = with_length_rates(std::move(whole_), context);
  if (!whole_.bridges.empty()) inside_ = without_bridges(whole_);

  const std::size_t n_components = graph().n_components;
  std::vector<Times> times(n_components, Times{options.heat.time, options.heat.time});
  if (options.time_choice) {
    const StageClock clock(report, "time");
    for (std::size_t c = 0; c < n_components; ++c) {
      const Laplacian own = build_laplacian(
          n_components == 1 ? graph() : component_graph(graph(), static_cast<Index>(c)),
          options.laplacian, context);
      const TimeChoice choice =
          choose_time(own, time_options_for(hints, *options.time_choice), context);
      times[c] = {choice.time, has_units() ? choice.short_time.value_or(choice.time) : choice.time};
      if (c == 0) time_choice_ = choice;
    }
    resolved["time_choice"] = time_choice_.how;
  }

  const auto longest = [&](double Times::* which) {
    double most = 0;
    for (const Times& t : times) most = std::max(most, t.*which);
    return most;
  };
  const auto factors = [&](double Times::* which, double most) {
    std::vector<double> factor;
    for (const Times& t : times) factor.push_back(t.*which / most);
    return factor;
  };
  const bool has_short =
      std::any_of(times.begin(), times.end(), [](const Times& t) { return t.short_time < t.time; });
  const StageClock clock(report, "heat_kernel");
  const double time = longest(&Times::time);
  add_scale({.time = hints.time_factor * time,
             .weight = has_short ? 1 - short_weight : 1,
             .factor = factors(&Times::time, time)},
            context);
  if (has_short) {
    const double brief = longest(&Times::short_time);
    add_scale({.time = hints.time_factor * brief,
               .weight = short_weight,
               .factor = factors(&Times::short_time, brief)},
              context);
    resolved["short_time"] = hints.time_factor * times.front().short_time;
  }
  const KernelReport made = kernel().report();
  resolved["time"] = hints.time_factor * times.front().time;
  resolved["kernel"] = std::string(to_string(made.method));
  resolved["order"] = static_cast<double>(made.order);
  resolved["kernel_resolution"] = made.resolution;
  resolved["kernel_condition"] =
      std::max(1.0, made.time * scales_.front().laplacian.largest_diagonal);
}

HeatDistances::HeatDistances(Graph given, std::vector<HeatScale> known,
                             const MethodOptions& options, RunReport& report,
                             const Context& context)
    : whole_(std::move(given)), options_(options), report_(report) {
  plain_.harnack = options.dissimilarity.harnack;
  plain_.kernel_floor = options.dissimilarity.kernel_floor;
  if (!whole_.bridges.empty()) inside_ = without_bridges(whole_);
  for (HeatScale& scale : known) add_scale(std::move(scale), context);
}

DistanceRun HeatDistances::added_to(DistanceRun run) && {
  run.time_choice = std::move(time_choice_);
  run.kernel = kernel().report();
  run.length_scale = length_scale_;
  if (has_all_units_) run.heat_scales.assign(scales_.begin(), scales_.end());
  run.graph = std::move(whole_);
  return run;
}

void HeatDistances::add_scale(HeatScale given, const Context& context) {
  Scale scale{std::move(given)};
  scale.laplacian = build_laplacian(graph(), options_.laplacian, context);
  if (scale.factor.size() > 1) {
    scale.laplacian = scaled(std::move(scale.laplacian), graph(), scale.factor);
  }
  HeatKernelOptions heat = options_.heat;
  heat.time = scale.time;
  // Far pairs are the long time's: the short one is read as far as a series of few terms reaches.
  if (!scales_.empty()) heat = {.time = scale.time, .method = KernelMethod::chebyshev};
  scale.kernel = heat_kernel(scale.laplacian, heat, context);
  scales_.push_back(std::move(scale));
}

Dissimilarity HeatDistances::all_pairs(const Context& context) {
  const Graph& g = graph();
  const std::vector<Index> sources = calibration_points();
  Matrix<double> paths;
  if (has_units()) paths = shortest_paths(g, sources, context);
  std::vector<Index> everyone(g.n_points());
  std::iota(everyone.begin(), everyone.end(), 0);
  Context inside = context;
  if (g.n_components > 1) inside.on_log = {};  // pairs across are not lost, but measured otherwise
  Dissimilarity result;
  for (std::size_t s = 0; s < scales_.size(); ++s) {
    Dissimilarity found;
    if (s == 0) {
      found = heat_geodesic(kernel(), plain_, inside);
      scales_[s].diagonal = std::move(found.kernel_diagonal);
      found.kernel_diagonal = {};
    } else {
      found.values = short_rows(everyone, context);
    }
    calibrate(scales_[s], sources, take_rows<double>(found.values, sources), paths);
    to_units(scales_[s], found.values, everyone);
    const bool is_first = s == 0, is_last = s + 1 == scales_.size();
    if (is_first) {
      result = std::move(found);
      if (!is_last)
        add_square(result.values, result.values, scales_[s].weight, true, false, square_unit(),
                   context);
    } else {
      add_square(result.values, found.values, scales_[s].weight, false, is_last, square_unit(),
                 context);
    }
  }
  has_all_units_ = true;
  const auto symmetrise = [&] {  // sums in another order differ by a rounding
    for (std::size_t i = 0; i < g.n_points(); ++i) {
      for (std::size_t j = 0; j < i; ++j) result.values(i, j) = result.values(j, i);
    }
  };
  if (g.n_components == 1) {
    if (scales_.size() > 1) symmetrise();
    return result;
  }
  double n_across = static_cast<double>(g.n_points()) * static_cast<double>(g.n_points());
  for (const std::size_t size : component_sizes(g)) {
    n_across -= static_cast<double>(size) * static_cast<double>(size);
  }
  const double n_pairs = static_cast<double>(g.n_points()) * static_cast<double>(g.n_points() - 1);
  result.unresolved_share = std::max(0.0, result.unresolved_share - n_across / n_pairs);
  if (result.unresolved_share < 1e-12) result.unresolved_treatment = "none";
  fill_across(result.values, everyone, whole_, context);
  symmetrise();
  return result;
}

/// Infinite where the short time's heat is below what its series resolves.
Matrix<double> HeatDistances::short_rows(std::span<const Index> points, const Context& context) {
  HeatGeodesicOptions unfilled = plain_;
  unfilled.kernel_floor = 0;
  Scale& brief = scales_.back();
  UnresolvedRows unresolved;
  Matrix<double> rows = heat_rows(*brief.kernel, points, brief.diagonal, unfilled,
                                  WithoutHeat::is_infinite, unresolved, context);
  brief.diagonal = std::move(unresolved.diagonal);
  return rows;
}

/// Rows of the long time's kernel, as exact as maps need them.
Matrix<double> HeatDistances::long_rows(std::span<const Index> points,
                                        const Context& context) const {
  if (options_.heat.method != KernelMethod::automatic || !kernel().is_symmetric()) {
    return kernel().rows(points, context);
  }
  return rows_in_single(kernel(), scales_.front().laplacian, graph().component, points, context);
}

/// Estimated from rows of the long time's kernel. Empty where that is not symmetric.
std::vector<double> HeatDistances::long_diagonal(const Matrix<double>& rows,
                                                 std::span<const Index> points,
                                                 const Context& context) const {
  constexpr double tolerance = 1e-9;  // of what probes see to some per cent
  if (!kernel().is_symmetric()) return {};
  HeatKernelOptions half = options_.heat;
  if (half.method == KernelMethod::automatic) half.method = KernelMethod::chebyshev;
  half.time = 0.5 * scales_.front().time;
  half.tolerance = std::max(half.tolerance, tolerance);
  half.order.reset();
  return estimated_diagonal(rows, points, *heat_kernel(scales_.front().laplacian, half, context),
                            context);
}

/// As maps by pivots have it.
std::vector<double> HeatDistances::long_diagonal(const Context& context) const {
  const std::size_t n = graph().n_points();
  const std::vector<Index> points = with_bridge_ends(draw_pivots(n, usual_full_pivots(n), context));
  return long_diagonal(long_rows(points, context), points, context);
}

Matrix<double> HeatDistances::from(std::span<const Index> asked, const Context& context) {
  if (is_calibrated()) {
    if (auto rows = rows_from(asked, {}, context)) return std::move(*rows);
  }
  // A unit from the asked points alone would change with them.
  return std::move(*rows_from(asked, calibration_points(), context));
}

std::optional<Matrix<double>> HeatDistances::rows_from(std::span<const Index> asked,
                                                       const std::vector<Index>& helpers,
                                                       const Context& context) {
  std::vector<Index> points = with_bridge_ends(asked);
  points.insert(points.end(), helpers.begin(), helpers.end());
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  // As all pairs have it where those are measured, else as maps by pivots do.
  const bool is_exact = graph().n_points() <= LandmarkOptions{}.max_exact;
  Scale& main = scales_.front();
  if (main.diagonal.empty()) {
    main.diagonal = is_exact ? kernel().diagonal(context) : long_diagonal(context);
  }
  std::vector<Matrix<double>> by_scale;
  Context inside = context;
  if (graph().n_components > 1) inside.on_log = {};
  UnresolvedRows unresolved;
  by_scale.push_back(heat_rows(kernel(), points, main.diagonal, plain_, WithoutHeat::is_infinite,
                               unresolved, inside));
  const auto n = static_cast<double>(graph().n_points());  // a point is no pair with itself
  const double share = unresolved.share * (n - 1) / n;
  if (helpers.empty() && share > share_across(points) + 1e-9) return std::nullopt;
  if (!helpers.empty() && unresolved.share > 0) {
    fill_by_paths_over(points, by_scale.front(), inside);
  }
  if (scales_.size() > 1) {
    Scale& brief = scales_.back();
    if (brief.diagonal.empty() && is_exact) brief.diagonal = brief.kernel->diagonal(context);
    by_scale.push_back(short_rows(points, context));
  }
  return combined_rows(std::move(by_scale), asked, points, helpers, context);
}

double HeatDistances::share_across(const std::vector<Index>& points) const {
  const Graph& g = graph();
  double within = 0;
  const std::vector<std::size_t> sizes = component_sizes(g);
  for (const Index p : points) within += static_cast<double>(sizes[at(g.component[at(p)])]);
  within /= static_cast<double>(points.size()) * static_cast<double>(g.n_points());
  return 1 - within;
}

std::optional<Matrix<double>> HeatDistances::from_pivots(std::span<const Index> pivots,
                                                         const Context& context) {
  // Where heat does not arrive, paths over other pivots stand in; for very many pairs that has not
  // been tried.
  constexpr double most_unresolved = 0.1;
  const std::vector<Index> points = with_bridge_ends(pivots);
  const double across = share_across(points);
  std::vector<Matrix<double>> by_scale;
  for (Scale& scale : scales_) {
    if (&scale != &scales_.front()) {
      by_scale.push_back(short_rows(points, context));
      continue;
    }
    UnresolvedRows unresolved;
    Matrix<double> heat = long_rows(points, context);
    std::vector<double> diagonal = long_diagonal(heat, points, context);
    Matrix<double> rows = heat_rows(std::move(heat), kernel().report(), points, std::move(diagonal),
                                    plain_, WithoutHeat::is_infinite, unresolved, context);
    scale.diagonal = std::move(unresolved.diagonal);
    const double share = unresolved.share - across;
    report_.resolved["unresolved_share"] = std::max(0.0, share);
    if (share > most_unresolved) return std::nullopt;
    if (share > 1e-9) {
      const double left = fill_by_paths_over(points, rows, context);
      if (left > across + 1e-9) return std::nullopt;
    }
    by_scale.push_back(std::move(rows));
  }
  std::vector<Index> sources;
  const std::size_t step = 1 + points.size() / most_calibration_points();
  for (std::size_t p = 0; p < points.size(); p += step) sources.push_back(points[p]);
  return combined_rows(std::move(by_scale), pivots, points, sources, context);
}

}  // namespace geotherm::detail
