// Heat distances in the units of the data: by component, their median ratio to shortest paths.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/at.hpp"
#include "core/median.hpp"
#include "dissimilarity/heat_rows.hpp"
#include "embedding/problem.hpp"
#include "landmarks/pull.hpp"
#include "methods/heat_distances.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t most_calibrated_components = 24;
constexpr std::size_t all_calibrate = 300;  // up to so many points

}  // namespace

bool HeatDistances::has_units() const { return options_.has_data_units && graph().has_lengths(); }

bool HeatDistances::is_calibrated() const {
  return std::none_of(scales_.begin(), scales_.end(),
                      [](const Scale& scale) { return scale.unit.empty(); });
}

double HeatDistances::square_unit() const {
  const std::vector<double>& units = scales_.front().unit;
  return units.empty() ? 1 : 1 / unit_for(*std::max_element(units.begin(), units.end()));
}

void HeatDistances::set_length_scale(double length) {
  length_scale_ = length;
  report_.resolved["length_scale"] = length;
}

std::size_t HeatDistances::most_calibration_points() const {
  return graph().n_points() > many_pivot_points ? 32 : 96;
}

/// Points of the largest components, evenly, in ascending order.
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
    const std::size_t share = most_calibration_points() * size / n;
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
  if (&scale == &scales_.front()) set_length_scale(1);
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
  if (&scale == &scales_.front()) set_length_scale(scale.unit.front());
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
      row[j] =
          is_whole || component[j] == own ? unit * row[j] : std::numeric_limits<double>::infinity();
    }
  }
}

void HeatDistances::calibrate_long_time(const Context& context) {
  const std::vector<Index> sources = calibration_points();
  Matrix<double> paths;
  if (has_units()) paths = shortest_paths(graph(), sources, context);
  Scale& main = scales_.front();
  if (main.diagonal.empty()) {
    const bool is_exact = graph().n_points() <= LandmarkOptions{}.max_exact;
    main.diagonal = is_exact ? kernel().diagonal(context) : long_diagonal(context);
  }
  UnresolvedRows unresolved;
  const Matrix<double> rows = heat_rows(kernel(), sources, main.diagonal, plain_,
                                        WithoutHeat::is_bound, unresolved, context);
  calibrate(main, sources, rows, paths);
}

}  // namespace geotherm::detail
