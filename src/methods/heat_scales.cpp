// Distances at each time -> one: d^2 is the weighted mean of their squares; across components along
// the bridges.
#include <algorithm>
#include <cmath>

#include "core/take_rows.hpp"
#include "methods/across_components.hpp"
#include "methods/heat_distances.hpp"

namespace geotherm::detail {

void add_square(Matrix<double>& sum, const Matrix<double>& distances, double weight, bool is_first,
                bool is_last, double unit, const Context& context) {
  parallel_for(context, sum.rows(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto from = distances.row(i);
      const auto to = sum.row(i);
      for (std::size_t j = 0; j < to.size(); ++j) {
        const double so_far = is_first ? 0 : to[j];
        const double d = from[j] / unit;
        const double square =
            std::isinf(d) && !is_first ? so_far / (1 - weight) : weight * d * d + so_far;
        to[j] = is_last ? unit * std::sqrt(square) : square;
      }
    }
  });
}

namespace {

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

std::vector<Index> HeatDistances::with_bridge_ends(std::span<const Index> points) const {
  std::vector<Index> all(points.begin(), points.end());
  for (const Bridge& bridge : whole_.bridges) {
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
  const auto positions_of = [&](std::span<const Index> some) {
    std::vector<Index> positions;
    for (const Index point : some) {
      positions.push_back(static_cast<Index>(std::lower_bound(points.begin(), points.end(), point) -
                                             points.begin()));
    }
    return positions;
  };
  const bool is_known = is_calibrated();
  Matrix<double> paths;
  if (has_units() && !is_known) paths = shortest_paths(graph(), sources, context);
  const std::vector<Index> of_sources = positions_of(sources);
  for (std::size_t s = 0; s < scales_.size(); ++s) {
    if (!is_known) {
      calibrate(scales_[s], sources, take_rows<double>(by_scale[s], of_sources), paths);
    }
    to_units(scales_[s], by_scale[s], points);
  }
  has_all_units_ = true;
  Matrix<double>& rows = by_scale.front();
  for (std::size_t s = 0; s < scales_.size() && scales_.size() > 1; ++s) {
    add_square(rows, by_scale[s], scales_[s].weight, s == 0, s + 1 == scales_.size(), square_unit(),
               context);
  }
  if (graph().n_components > 1) fill_across(rows, points, whole_, context);
  replace_infinite(rows, context);
  if (std::ranges::equal(asked, points)) return std::move(rows);
  return take_rows<double>(rows, positions_of(asked));
}

}  // namespace geotherm::detail
