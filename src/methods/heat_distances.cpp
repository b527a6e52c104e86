#include "methods/heat_distances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/median.hpp"
#include "core/take_rows.hpp"
#include "dissimilarity/heat_rows.hpp"
#include "heat/estimated_diagonal.hpp"
#include "methods/across_components.hpp"

namespace geotherm::detail {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Of d^2, what the short time counts. A fifth leaves the large shape to the long time, and is twenty
/// times what heat that has become flat still says of the inside of a cluster.
constexpr double short_weight = 0.2;
/// Sources of the shortest paths that give distances their unit.
constexpr std::size_t most_calibration_points = 96;
constexpr std::size_t most_calibrated_components = 24;
constexpr std::size_t all_calibrate = 300;  // up to so many points

Laplacian scaled(Laplacian laplacian, const Graph& graph, const std::vector<double>& factor) {
  for (std::size_t i = 0; i < laplacian.size(); ++i) {
    const double f = factor[at(graph.component[i])];
    for (double& value : laplacian.matrix.row_values(i)) value *= f;
  }
  return laplacian;
}

/// Times of one component.
struct Times {
  double time = 0;
  double short_time = 0;  ///< equal to `time` where there is none
};

}  // namespace

bool HeatDistances::has_units() const { return options_.has_data_units && graph().has_lengths(); }

void HeatDistances::note_length_scale(double length) {
  run_.length_scale = length;
  run_.report.resolved["length_scale"] = length;
}

HeatDistances::HeatDistances(DistanceRun& run, const MethodOptions& options, const Context& context)
    : run_(run), options_(options) {
  plain_.harnack = options.dissimilarity.harnack;
  plain_.kernel_floor = options.dissimilarity.kernel_floor;
  auto& resolved = run.report.resolved;
  const Rates rates = run.graph.has_lengths() ? options.rates.value_or(Rates::hops) : Rates::hops;
  resolved["rates"] = std::string(to_string(rates));
  resolved["laplacian"] = std::string(to_string(options.laplacian));
  if (rates == Rates::lengths) run.graph = with_length_rates(std::move(run.graph), context);
  if (!run.graph.bridges.empty()) inside_ = without_bridges(run.graph);

  const std::size_t n_components = graph().n_components;
  std::vector<Times> times(n_components, Times{options.heat.time, options.heat.time});
  if (options.time_choice) {
    const StageClock clock(run.report, "time");
    for (std::size_t c = 0; c < n_components; ++c) {
      const Laplacian own = build_laplacian(
          n_components == 1 ? graph() : component_graph(graph(), static_cast<Index>(c)),
          options.laplacian, context);
      const TimeChoice choice = choose_time(own, *options.time_choice, context);
      times[c] = {choice.time, has_units() ? choice.short_time.value_or(choice.time) : choice.time};
      if (c == 0) run.time_choice = choice;
    }
    resolved["time_choice"] = run.time_choice.how;
  }

  const auto longest = [&](double Times::*which) {
    double most = 0;
    for (const Times& t : times) most = std::max(most, t.*which);
    return most;
  };
  const auto factors = [&](double Times::*which, double most) {
    std::vector<double> factor;
    for (const Times& t : times) factor.push_back(t.*which / most);
    return factor;
  };
  const bool has_short = std::any_of(times.begin(), times.end(),
                                     [](const Times& t) { return t.short_time < t.time; });
  const StageClock clock(run.report, "heat_kernel");
  const double time = longest(&Times::time);
  add_scale(run.time_factor * time, has_short ? 1 - short_weight : 1,
            factors(&Times::time, time), context);
  if (has_short) {
    const double brief = longest(&Times::short_time);
    add_scale(run.time_factor * brief, short_weight, factors(&Times::short_time, brief), context);
    resolved["short_time"] = run.time_factor * times.front().short_time;
  }
  run.kernel = kernel().report();
  resolved["time"] = run.time_factor * times.front().time;
  resolved["kernel"] = std::string(to_string(run.kernel.method));
  resolved["order"] = static_cast<double>(run.kernel.order);
  resolved["kernel_resolution"] = run.kernel.resolution;
  resolved["kernel_condition"] =
      std::max(1.0, run.kernel.time * scales_.front().laplacian.largest_diagonal);
}

void HeatDistances::add_scale(double time, double weight, const std::vector<double>& factor,
                              const Context& context) {
  Scale scale;
  scale.time = time;
  scale.weight = weight;
  scale.laplacian = build_laplacian(graph(), options_.laplacian, context);
  if (factor.size() > 1) scale.laplacian = scaled(std::move(scale.laplacian), graph(), factor);
  HeatKernelOptions heat = options_.heat;
  heat.time = time;
  // Far pairs are the long time's: the short one is read as far as a series of few terms reaches.
  if (!scales_.empty()) heat = {.time = time, .method = KernelMethod::chebyshev};
  scale.kernel = heat_kernel(scale.laplacian, heat, context);
  scales_.push_back(std::move(scale));
}

/// Points of the largest components, evenly, in rising order.
std::vector<Index> HeatDistances::calibration_points() const {
  const Graph& g = graph();
  const std::size_t n = g.n_points();
  if (n <= all_calibrate) {  // whatever their order
    std::vector<Index> everyone(n);
    std::iota(everyone.begin(), everyone.end(), 0);
    return everyone;
  }
  std::vector<std::vector<Index>> members(std::min(g.n_components, most_calibrated_components));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = at(g.component[i]);
    if (c < members.size()) members[c].push_back(static_cast<Index>(i));
  }
  std::vector<Index> points;
  for (const auto& of_component : members) {
    const std::size_t size = of_component.size();
    const std::size_t share = most_calibration_points * size / n;
    const std::size_t wanted = std::min(size, std::max<std::size_t>(4, share));
    for (std::size_t k = 0; k < wanted; ++k) points.push_back(of_component[k * size / wanted]);
  }
  std::sort(points.begin(), points.end());
  return points;
}

/// By component, the median ratio of shortest paths to heat distances over the farther half of the
/// pairs; where a component has none, that of all.
void HeatDistances::calibrate(Scale& scale, std::span<const Index> points,
                              const Matrix<double>& heat_rows, const Matrix<double>& paths) {
  const Graph& g = graph();
  scale.unit.assign(g.n_components, 1);
  if (&scale == &scales_.front()) note_length_scale(1);
  if (!has_units()) return;
  std::vector<std::vector<double>> ratios(g.n_components);
  std::vector<double> all;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Index own = g.component[at(points[p])];
    std::vector<double> reached;
    for (std::size_t j = 0; j < g.n_points(); ++j) {
      // The short time does not reach all pairs.
      if (g.component[j] == own && paths(p, j) > 0 && std::isfinite(heat_rows(p, j))) {
        reached.push_back(paths(p, j));
      }
    }
    if (reached.empty()) continue;
    const double middle = median(std::move(reached));
    for (std::size_t j = 0; j < g.n_points(); ++j) {
      if (g.component[j] != own || !(paths(p, j) >= middle)) continue;
      const double ratio = paths(p, j) / heat_rows(p, j);
      if (std::isfinite(ratio) && ratio > 0) ratios[at(own)].push_back(ratio);
    }
  }
  for (const auto& of_component : ratios) {
    all.insert(all.end(), of_component.begin(), of_component.end());
  }
  const double common = all.empty() ? 1 : median(std::move(all));
  for (std::size_t c = 0; c < g.n_components; ++c) {
    scale.unit[c] = ratios[c].empty() ? common : median(std::move(ratios[c]));
  }
  if (&scale == &scales_.front()) note_length_scale(scale.unit.front());
}

/// Multiplies row p, of points[p], by the unit of its component, and marks the other components.
void HeatDistances::to_units(const Scale& scale, Matrix<double>& rows,
                             const std::vector<Index>& points) const {
  const std::vector<Index>& component = graph().component;
  const bool is_whole = graph().n_components == 1;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Index own = component[at(points[p])];
    const double unit = scale.unit[at(own)];
    const auto row = rows.row(p);
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = is_whole || component[j] == own ? unit * row[j]
                                               : std::numeric_limits<double>::infinity();
    }
  }
}

namespace {

/// sum <- w a^2 (+ sum), and its root at the end. What is infinite in a is as far as in the first
/// sum, which is (1 - w) of all.
void add_square(Matrix<double>& sum, const Matrix<double>& distances, double weight,
                bool is_first, bool is_last, const Context& context) {
  parallel_for(context, sum.rows(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto from = distances.row(i);
      const auto to = sum.row(i);
      for (std::size_t j = 0; j < to.size(); ++j) {
        const double so_far = is_first ? 0 : to[j];
        const double square = std::isinf(from[j]) && !is_first ? so_far / (1 - weight)
                                                               : weight * from[j] * from[j] + so_far;
        to[j] = is_last ? std::sqrt(square) : square;
      }
    }
  });
}

/// Pairs that neither heat nor a path over the measured points joins.
void replace_infinite(Matrix<double>& rows, const Context& context) {
  double largest = 0;
  std::size_t n_left = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (std::isfinite(rows.data()[k])) {
      largest = std::max(largest, rows.data()[k]);
    } else {
      ++n_left;
    }
  }
  if (n_left == 0) return;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!std::isfinite(rows.data()[k])) rows.data()[k] = 1.1 * largest;
  }
  context.warn(std::to_string(n_left) +
               " distances are beyond the reach of heat and set to one constant, larger than all "
               "others (use a longer `time`)");
}

}  // namespace

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
    } else {
      found.values = short_rows(everyone, {}, context);
    }
    calibrate(scales_[s], sources, take_rows<double>(found.values, sources), paths);
    to_units(scales_[s], found.values, everyone);
    const bool is_first = s == 0, is_last = s + 1 == scales_.size();
    if (is_first) {
      result = std::move(found);
      if (!is_last) add_square(result.values, result.values, scales_[s].weight, true, false, context);
    } else {
      add_square(result.values, found.values, scales_[s].weight, false, is_last, context);
    }
  }
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
  fill_across(result.values, everyone, run_.graph, context);
  symmetrise();
  return result;
}

void HeatDistances::calibrate_long_time(const Context& context) {
  const std::vector<Index> sources = calibration_points();
  Matrix<double> paths;
  if (has_units()) paths = shortest_paths(graph(), sources, context);
  calibrate(scales_.front(), sources, heat_geodesic_from(kernel(), sources, plain_, context), paths);
}

/// Infinite where the short time's heat is below what its series resolves.
Matrix<double> HeatDistances::short_rows(std::span<const Index> points,
                                         std::vector<double> diagonal,
                                         const Context& context) const {
  HeatGeodesicOptions unfilled = plain_;
  unfilled.kernel_floor = 0;
  UnresolvedRows unresolved;
  return heat_rows(*scales_.back().kernel, points, std::move(diagonal), unfilled,
                   WithoutHeat::is_infinite, unresolved, context);
}

std::vector<Index> HeatDistances::with_bridge_ends(std::span<const Index> points) const {
  std::vector<Index> all(points.begin(), points.end());
  for (const Bridge& bridge : run_.graph.bridges) {
    all.push_back(bridge.from);
    all.push_back(bridge.to);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Matrix<double> HeatDistances::combined_rows(std::vector<Matrix<double>> by_scale,
                                            std::span<const Index> asked,
                                            const std::vector<Index>& points,
                                            const std::vector<Index>& sources,
                                            const Context& context) {
  const auto places_of = [&](std::span<const Index> some) {
    std::vector<Index> places;
    for (const Index point : some) {
      places.push_back(static_cast<Index>(std::lower_bound(points.begin(), points.end(), point) -
                                          points.begin()));
    }
    return places;
  };
  Matrix<double> paths;
  if (has_units()) paths = shortest_paths(graph(), sources, context);
  const std::vector<Index> of_sources = places_of(sources);
  for (std::size_t s = 0; s < scales_.size(); ++s) {
    calibrate(scales_[s], sources, take_rows<double>(by_scale[s], of_sources), paths);
    to_units(scales_[s], by_scale[s], points);
  }
  Matrix<double>& rows = by_scale.front();
  for (std::size_t s = 0; s < scales_.size() && scales_.size() > 1; ++s) {
    add_square(rows, by_scale[s], scales_[s].weight, s == 0, s + 1 == scales_.size(), context);
  }
  if (graph().n_components > 1) fill_across(rows, points, run_.graph, context);
  replace_infinite(rows, context);
  if (std::ranges::equal(asked, points)) return std::move(rows);
  return take_rows<double>(rows, places_of(asked));
}

/// Estimated, by kernels of half the long time.
std::vector<double> HeatDistances::long_diagonal(const Context& context) const {
  HeatKernelOptions half = options_.heat;
  half.time = 0.5 * scales_.front().time;
  half.order.reset();
  return estimated_diagonal(*heat_kernel(scales_.front().laplacian, half, context), context);
}

Matrix<double> HeatDistances::from(std::span<const Index> asked, const Context& context) {
  // A unit from the asked points alone would change with them.
  const std::vector<Index> sources = calibration_points();
  std::vector<Index> points = with_bridge_ends(asked);
  points.insert(points.end(), sources.begin(), sources.end());
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  // As all pairs have it where those are measured, else as maps by pivots do.
  const bool is_exact = graph().n_points() <= LandmarkOptions{}.max_exact;
  std::vector<Matrix<double>> by_scale;
  Context inside = context;
  if (graph().n_components > 1) inside.on_log = {};
  UnresolvedRows unresolved;
  by_scale.push_back(heat_rows(
      kernel(), points, is_exact ? kernel().diagonal(context) : long_diagonal(context), plain_,
      WithoutHeat::is_infinite, unresolved, inside));
  if (unresolved.share > 0) fill_by_ways_over(points, by_scale.front(), inside);
  if (scales_.size() > 1) {
    const DiffusionKernel& brief = *scales_.back().kernel;
    by_scale.push_back(short_rows(
        points, is_exact ? brief.diagonal(context) : std::vector<double>{}, context));
  }
  return combined_rows(std::move(by_scale), asked, points, sources, context);
}

std::optional<Matrix<double>> HeatDistances::from_pivots(std::span<const Index> pivots,
                                                         const Context& context) {
  // Where heat does not arrive, paths over other pivots stand in; for very many pairs that has not
  // been tried.
  constexpr double most_unresolved = 0.1;
  const std::vector<Index> points = with_bridge_ends(pivots);
  const Graph& g = graph();
  double within = 0;  // share of the pairs inside of components
  const std::vector<std::size_t> sizes = component_sizes(g);
  for (const Index p : points) within += static_cast<double>(sizes[at(g.component[at(p)])]);
  within /= static_cast<double>(points.size()) * static_cast<double>(g.n_points());
  std::vector<Matrix<double>> by_scale;
  for (const Scale& scale : scales_) {
    if (&scale != &scales_.front()) {
      by_scale.push_back(short_rows(points, {}, context));
      continue;
    }
    UnresolvedRows unresolved;
    Matrix<double> rows = heat_rows(*scale.kernel, points, long_diagonal(context), plain_,
                                    WithoutHeat::is_infinite, unresolved, context);
    const double share = unresolved.share - (1 - within);
    run_.report.resolved["unresolved_share"] = std::max(0.0, share);
    if (share > most_unresolved) return std::nullopt;
    if (share > 1e-9) {
      const double left = fill_by_ways_over(points, rows, context);
      if (left > (1 - within) + 1e-9) return std::nullopt;
    }
    by_scale.push_back(std::move(rows));
  }
  std::vector<Index> sources;
  const std::size_t step = 1 + points.size() / most_calibration_points;
  for (std::size_t p = 0; p < points.size(); p += step) sources.push_back(points[p]);
  return combined_rows(std::move(by_scale), pivots, points, sources, context);
}

}  // namespace geotherm::detail
