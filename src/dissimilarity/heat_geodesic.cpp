// DiffusionKernel -> heat-geodesic dissimilarity, in the one array that the kernel comes in.
#include <algorithm>
#include <cmath>
#include <string>

#include "core/percent.hpp"
#include "dissimilarity/fill_unresolved.hpp"
#include "dissimilarity/flat_heat.hpp"
#include "dissimilarity/kernel_distance.hpp"
#include "geotherm/dissimilarity.hpp"

namespace geotherm {
namespace {

using detail::HeatDistanceRule;
using detail::HeatDistanceScratch;
using detail::text;

constexpr const char* stage = "dissimilarity";

constexpr std::size_t tile = 64;

// One tile of rows i0.. and columns j0.. of the kernel, and its mirror image, become distances.
// Returns how many of its pairs i < j are unresolved.
class TileTransform {
 public:
  TileTransform(const HeatDistanceRule& rule, const std::vector<double>& diagonal,
                bool is_symmetric, MatrixView<double> values)
      : rule_(rule),
        diagonal_(diagonal),
        is_symmetric_(is_symmetric),
        values_(values),
        scratch_(tile),
        result_(tile, pitch),
        mirrored_(is_symmetric ? 0 : tile, pitch) {}

  std::size_t operator()(std::size_t i0, std::size_t j0) {
    const std::size_t rows = std::min(tile, values_.rows - i0);
    const std::size_t cols = std::min(tile, values_.rows - j0);
    const bool on_diagonal = i0 == j0;
    if (!is_symmetric_) {
      for (std::size_t j = 0; j < cols; ++j) {
        for (std::size_t i = 0; i < rows; ++i) mirrored_(i, j) = values_(j0 + j, i0 + i);
      }
    }
    std::size_t n_lost = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t first = on_diagonal ? i : 0;  // the diagonal counts as a pair here
      n_lost += detail::heat_distances(
          rule_, &values_(i0 + i, j0 + first), is_symmetric_ ? nullptr : &mirrored_(i, first),
          diagonal_[i0 + i], &diagonal_[j0 + first], cols - first, scratch_, &result_(i, first));
      if (on_diagonal && scratch_.lost[0] != 0) {
        --n_lost;
        if (rule_.marks_unresolved()) result_(i, i) = 0;
      }
    }
    if (on_diagonal) {
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < i; ++j) result_(i, j) = result_(j, i);
      }
    }
    for (std::size_t i = 0; i < rows; ++i) std::copy_n(&result_(i, 0), cols, &values_(i0 + i, j0));
    if (!on_diagonal) {
      for (std::size_t j = 0; j < cols; ++j) {
        for (std::size_t i = 0; i < rows; ++i) values_(j0 + j, i0 + i) = result_(i, j);
      }
    }
    return n_lost;
  }

 private:
  static constexpr std::size_t pitch = tile + 8;  // columns then fall into different cache sets
  const HeatDistanceRule& rule_;
  const std::vector<double>& diagonal_;
  bool is_symmetric_;
  MatrixView<double> values_;
  HeatDistanceScratch scratch_;
  Matrix<double> result_;
  Matrix<double> mirrored_;
};

// Kernel -> distances in place; unresolved pairs are infinite where the rule marks them. Returns
// their number.
std::size_t transform(Matrix<double>& values, std::vector<double> diagonal, bool is_symmetric,
                      const HeatDistanceRule& rule, const Context& context) {
  const std::size_t n = values.rows();
  detail::prepare_diagonal(rule, diagonal);

  constexpr std::size_t tiles_a_block = 4;
  std::size_t n_lost = 0;
  for (std::size_t i0 = 0; i0 < n; i0 += tile) {
    context.report_or_throw({.stage = stage, .done = i0, .total = n});
    const std::size_t n_tiles = (n - i0 + tile - 1) / tile;
    std::vector<std::size_t> lost_in_block((n_tiles + tiles_a_block - 1) / tiles_a_block);
    parallel_for(context, n_tiles, tiles_a_block, [&](std::size_t begin, std::size_t end) {
      TileTransform one_tile(rule, diagonal, is_symmetric, values);
      for (std::size_t t = begin; t < end; ++t) {
        lost_in_block[begin / tiles_a_block] += one_tile(i0, i0 + t * tile);
      }
    });
    for (const std::size_t count : lost_in_block) n_lost += count;
  }
  return n_lost;
}

std::string treat_unresolved(Matrix<double>& values, const HeatDistanceRule& rule, double share,
                             const Context& context) {
  if (!rule.marks_unresolved()) {
    context.warn(detail::in_percent(share) +
                 " of the pairs have less heat than the kernel resolves: their distances are "
                 "those of the floor " +
                 text(rule.floor) + " (leave `kernel` and `kernel_floor` open to resolve them)");
    return "floored";
  }
  // The distance at which heat becomes unresolvable, for points that resolve nobody at all.
  const double horizon = 2 * std::sqrt(-rule.time * std::log(rule.least));
  const auto outcome = detail::fill_unresolved(values, horizon, context);
  std::string treatment = outcome.used_paths ? "shortest paths over resolved pairs" : "";
  if (outcome.used_constant) {
    treatment += treatment.empty() ? "constant" : "; constant between parts that no path joins";
    context.warn(
        "no chain of resolved pairs joins some of the points: their distance is set to "
        "one constant, larger than all others (use a longer `time` or a larger `knn`)");
  }
  context.info(detail::in_percent(share) + " of the pairs are unresolved: " + treatment);
  return treatment;
}

void finish(Matrix<double>& values, const HeatGeodesicOptions& options, const Context& context) {
  const std::size_t n = values.rows();
  if (options.max_distance) detail::cut_to(values, *options.max_distance, context);
  for (std::size_t i = 0; i < n; ++i) values(i, i) = 0;
}

}  // namespace

std::vector<std::string> issues_with(const HeatGeodesicOptions& options) {
  std::vector<std::string> issues;
  if (!(options.harnack >= 0) || !std::isfinite(options.harnack)) {
    issues.push_back("harnack = " + text(options.harnack) +
                     " is not a finite number >= 0: 0 leaves the volume term out, 1 makes "
                     "d(i, i) = 0");
  }
  if (!(options.denoise >= 0 && options.denoise <= 1)) {
    issues.push_back("denoise = " + text(options.denoise) +
                     " is not in [0, 1]: 0 leaves the distances as they are");
  }
  if (options.kernel_floor) {
    const double floor = *options.kernel_floor;
    if (!(floor == 0 || floor >= detail::smallest_heat) || !std::isfinite(floor)) {
      issues.push_back("kernel_floor = " + text(floor) +
                       " is neither 0 nor a finite number >= " + text(detail::smallest_heat) +
                       ": 0 fills unresolved pairs by shortest paths, leave it empty for the "
                       "kernel's own rule");
    }
  }
  if (options.max_distance) {
    if (!(*options.max_distance > 0) || !std::isfinite(*options.max_distance)) {
      issues.push_back("max_distance = " + text(*options.max_distance) +
                       " is not a finite number > 0: leave it empty for no limit");
    }
  }
  return issues;
}

Dissimilarity heat_geodesic(const DiffusionKernel& kernel, const HeatGeodesicOptions& options,
                            const Context& context) {
  refuse_if_any(issues_with(options));
  const HeatDistanceRule rule = detail::rule_for(kernel.report(), options);
  Dissimilarity result;
  result.values = kernel.dense(context);
  const std::size_t n = result.values.rows();
  result.kernel_diagonal.resize(n);
  for (std::size_t i = 0; i < n; ++i) result.kernel_diagonal[i] = result.values(i, i);
  result.flat_share =
      detail::flat_share(result.values, kernel.is_symmetric(), kernel.report(), context);
  detail::FlatHeat(kernel.report()).warn_of(result.flat_share, context);
  const std::size_t n_lost =
      transform(result.values, result.kernel_diagonal, kernel.is_symmetric(), rule, context);
  if (n > 1) {
    const double n_pairs = 0.5 * static_cast<double>(n) * static_cast<double>(n - 1);
    result.unresolved_share = static_cast<double>(n_lost) / n_pairs;
  }
  if (n_lost > 0) {
    result.unresolved_treatment =
        treat_unresolved(result.values, rule, result.unresolved_share, context);
  }
  if (options.denoise > 0) denoise_triplets(result.values, options.denoise, context);
  finish(result.values, options, context);
  context.report_or_throw({.stage = stage, .done = n, .total = n});
  return result;
}

}  // namespace geotherm
